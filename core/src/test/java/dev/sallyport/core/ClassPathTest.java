package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.Version;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What an application finds that embeds the proxy among libraries of its own. */
class ClassPathTest {

    /** The class path of this test, but for one class, as with an older library. */
    private static final class Without extends URLClassLoader {

        private final String missing;

        Without(Class<?> missing) {
            super(urls(), ClassLoader.getPlatformClassLoader());
            this.missing = missing.getName();
        }

        private static URL[] urls() {
            return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                    .map(place -> {
                        try {
                            return Path.of(place).toUri().toURL();
                        } catch (MalformedURLException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.equals(missing)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }

    private static final String CONFIG = """
            dns: {enabled: false}
            proxy: {http_listen: "127.0.0.1:0", https_listen: disabled}
            tls: {mode: sni-only}
            """;

    @Test
    void theNettyThatIsExpectedIsTheOneThatTheTestsRunOn() {
        assertThat(Version.identify().values())
                .isNotEmpty()
                .allMatch(version -> version.artifactVersion().startsWith(ClassPath.NETTY + "."));
    }

    /** In a process of its own: native libraries belong to the class loader that asked first. */
    @Test
    void aNettyThatDoesNotFitIsToldInOneLine() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(said.lines().filter(line -> line.startsWith("start: ")))
                .singleElement(InstanceOfAssertFactories.STRING)
                .matches("start: incompatible class: java.lang.NoClassDefFoundError: "
                        + "io/netty/channel/MultiThreadIoEventLoopGroup; Netty on the class path: 4\\.2\\S+ "
                        + "\\(expected: all of it 4\\.2, see sallyport-bom\\)");
    }

    /** Embeds the proxy beside a Netty without a class that it needs. */
    static final class Application {

        private Application() {}

        public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
            try (Without older = new Without(MultiThreadIoEventLoopGroup.class)) {
                Class<?> api = older.loadClass(EgressProxy.class.getName());
                Object builder = api.getMethod("builder").invoke(null);
                builder.getClass()
                        .getMethod("configText", String.class, String.class)
                        .invoke(builder, "app.yaml", CONFIG);
                Object proxy = builder.getClass().getMethod("build").invoke(builder);
                api.getMethod("start").invoke(proxy);
            } catch (InvocationTargetException e) {
                System.out.println("start: " + e.getCause().getMessage());
                System.exit(0);
            }
        }
    }

    /** Standard output belongs to the application. */
    @Test
    void recordsGoNowhereUnlessSomebodySaysWhere() {
        EmbedderSettings.AuditOutput audit =
                EgressProxy.builder().configText("app.yaml", "").settings().audit();

        assertThat(audit.sink()).isNull();
        assertThat(audit.standardOutput()).isFalse();
    }
}
