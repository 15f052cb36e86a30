package dev.sallyport.transforms.sigv4auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testkit.VirtualTime;
import java.io.File;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The SDK is loaded for its chain of credentials, and for nothing else. */
class InstalledTest {

    /** Loads everything anew, except the SDK, which is not there. */
    private static final class WithoutSdk extends URLClassLoader {

        private final List<String> missed = new ArrayList<>();

        WithoutSdk() {
            super(
                    Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                            .map(InstalledTest::url)
                            .toArray(URL[]::new),
                    ClassLoader.getPlatformClassLoader());
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

    private static URL url(String entry) {
        try {
            return new File(entry).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void transformsWithKeysOfTheirOwnNeedNoSdk() throws Exception {
        try (WithoutSdk loader = new WithoutSdk()) {
            Object transform = made(loader);
            assertThat(transform.getClass().getSimpleName()).isEqualTo("SigV4Auth");
            assertThat(transform.getClass().getClassLoader()).isSameAs(loader);
            assertThat(loader.missed).isEmpty();
        }
    }

    /** A transform, all of whose classes come from a loader. */
    private static Object made(ClassLoader loader) throws Exception {
        Class<?> helper = loader.loadClass(Inside.class.getName());
        Constructor<?> constructor = helper.getDeclaredConstructor();
        constructor.setAccessible(true);
        return ((Callable<?>) constructor.newInstance()).call();
    }

    /** What runs within the loader. */
    static final class Inside implements Callable<Object> {

        @Override
        public Object call() throws Exception {
            SigV4AuthFactory factory = new SigV4AuthFactory();
            TransformFactory<SigV4AuthConfig> shown = factory;
            BuildContext context = new Lent(
                    Map.of("ID", "AKIDEXAMPLE", "SECRET", "secret", "TOKEN", "token"),
                    Clock.systemUTC(),
                    new VirtualTime());
            SigV4AuthConfig config = Lent.config(true);
            shown.validate(config, (pointer, message, expected) -> {
                throw new AssertionError(pointer);
            });
            assertThat(shown.capabilities(config).needsFullVisibility()).isTrue();
            return shown.create(config, context);
        }
    }
}
