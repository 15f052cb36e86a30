package dev.sallyport.sources.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;
import java.io.File;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** Being on the class path must cost those who do not use the sources next to nothing. */
class InstalledTest {

    /** Loads everything anew, except the SDK, which is not there. */
    private static final class WithoutSdk extends URLClassLoader {

        private final List<String> missed = new ArrayList<>();

        WithoutSdk(URL[] urls) {
            super(urls, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("software.amazon.")) {
                missed.add(name);
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }

    private static WithoutSdk loader() {
        return new WithoutSdk(
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .map(InstalledTest::url)
                        .toArray(URL[]::new));
    }

    private static URL url(String entry) {
        try {
            return new File(entry).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    /** The factory, made by the loader without the SDK. */
    private static Object factory(ClassLoader loader, String name) throws Exception {
        Class<?> service = loader.loadClass(SecretSourceFactory.class.getName());
        for (Object factory : ServiceLoader.load(service, loader)) {
            Object descriptor = service.getMethod("descriptor").invoke(factory);
            if (descriptor.getClass().getMethod("name").invoke(descriptor).equals(name)) {
                return factory;
            }
        }
        throw new AssertionError(name);
    }

    private static Object config(Object factory, Object... values) throws Exception {
        Object descriptor = factory.getClass().getMethod("descriptor").invoke(factory);
        Class<?> type = (Class<?>) descriptor.getClass().getMethod("configType").invoke(descriptor);
        return type.getDeclaredConstructors()[0].newInstance(values);
    }

    @Test
    void theServiceLoaderFindsBoth() {
        assertThat(ServiceLoader.load(SecretSourceFactory.class))
                .extracting(found -> found.descriptor().name())
                .contains("cloud_sm", "cloud_ssm");
    }

    @Test
    void noClassOfTheSdkIsLoadedUntilASourceIsMade() throws Exception {
        try (WithoutSdk loader = loader()) {
            // given both factories, and a configuration that has been validated
            Object factory = factory(loader, "cloud_ssm");
            Object manager = factory(loader, "cloud_sm");
            Object config = config(manager, "prod/token", "eu-west-1", "", Duration.ZERO);
            Class<?> problems = loader.loadClass(Problems.class.getName());
            Object collector =
                    Proxy.newProxyInstance(loader, new Class<?>[] {problems}, (proxy, method, values) -> null);
            manager.getClass()
                    .getMethod("validate", config.getClass(), problems)
                    .invoke(manager, config, collector);
            assertThat(factory).isNotNull();
            assertThat(loader.missed).isEmpty();

            // when one makes a source, the loader sees it
            Class<?> context = loader.loadClass(SourceContext.class.getName());
            Object lent = Proxy.newProxyInstance(loader, new Class<?>[] {context}, (proxy, method, values) -> null);
            assertThatThrownBy(() -> manager.getClass()
                            .getMethod("create", config.getClass(), context)
                            .invoke(manager, config, lent))
                    .hasCauseInstanceOf(NoClassDefFoundError.class);
            assertThat(loader.missed).isNotEmpty();
        }
    }
}
