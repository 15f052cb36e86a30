package dev.sallyport.server.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the code of a plug-in throws, as its author needs to hear of it: the jar, the message, the line; and no more.
 */
class PluginFaultsTest {

    @TempDir
    private Path plugins;

    private static PluginJar plugin(String capabilities, String create) {
        return plugin("", capabilities, create);
    }

    private static PluginJar plugin(String constructor, String capabilities, String create) {
        return new PluginJar()
                .source("plug.Faulty", """
                        package plug;
                        import dev.sallyport.spi.*;
                        public final class Faulty implements TransformFactory<Faulty.Config> {
                            public record Config() {
                                public Config {
                                    %s
                                }
                            }
                            public Descriptor<Config> descriptor() {
                                return Descriptor.of("faulty", Config.class, "Throws.");
                            }
                            public Capabilities capabilities(Config config) {
                                %s
                                return Capabilities.none();
                            }
                            public Transform create(Config config, BuildContext context) {
                                %s
                                return (InlineTransform) request -> Decision.proceed();
                            }
                        }
                        """.formatted(constructor, capabilities, create))
                .source("plug.Library", """
                        package plug;
                        final class Library {
                            static void call() {}
                        }
                        """)
                .transform("plug.Faulty");
    }

    private String problem() throws Exception {
        String yaml = """
                dns: {enabled: false}
                metrics: {listen: disabled}
                proxy: {http_listen: "127.0.0.1:0", https_listen: disabled}
                tls: {mode: sni-only}
                transforms:
                  - name: faulty
                """;
        try (Plugins loaded = Plugins.load(plugins)) {
            EgressProxy proxy = EgressProxy.builder()
                    .configText("f.yaml", yaml)
                    .environment(Map.of())
                    .catalog(loaded.catalog())
                    .build();
            StartException refused = catchThrowableOfType(StartException.class, proxy::start);
            assertThat(refused).isNotNull();
            assertThat(refused.problems()).singleElement().asString().doesNotContain("\n");
            return refused.problems().get(0).toString();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"capabilities", "create"})
    void aThrowKeepsItsMessageAndItsPlace(String method) throws Exception {
        String fault = "if (true) throw new IllegalStateException(\"no table of routes\");";
        Path jar = (method.equals("create") ? plugin("", fault) : plugin(fault, ""))
                .write(plugins.resolve("faulty/faulty.jar"));

        assertThat(problem())
                .startsWith("f.yaml:6:5: /transforms/0/config: " + jar + ": plug.Faulty failed in " + method
                        + ": java.lang.IllegalStateException: no table of routes (at plug.Faulty." + method
                        + ", Faulty.java:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"capabilities", "create"})
    void aClassThatIsMissingIsNamedWithTheJar(String method) throws Exception {
        String call = "Library.call();";
        Path jar = plugins.resolve("faulty/faulty.jar");
        (method.equals("create") ? plugin("", call) : plugin(call, "")).writeWithout("plug.Library", jar);

        assertThat(problem())
                .isEqualTo(
                        "f.yaml:6:5: /transforms/0/config: " + jar
                                + ": plug.Faulty needs the class plug.Library, which is missing (expected: its jar next to this one)");
    }

    @Test
    void aRecordThatCannotBeMadeIsTold() throws Exception {
        String fault = "if (true) throw new IllegalStateException(\"no table of routes\");";
        Path jar = plugin(fault, "", "").write(plugins.resolve("faulty/faulty.jar"));

        assertThat(problem())
                .startsWith("f.yaml:6:5: /transforms/0")
                .contains(jar + ": plug.Faulty$Config failed in its constructor: java.lang.IllegalStateException:"
                        + " no table of routes (at plug.Faulty$Config.<init>, Faulty.java:");
    }

    @Test
    void aRecordWhoseClassesAreMissingNamesThem() throws Exception {
        Path jar = plugins.resolve("faulty/faulty.jar");
        plugin("Library.call();", "", "").writeWithout("plug.Library", jar);

        assertThat(problem()).contains(jar + ": plug.Faulty$Config needs the class plug.Library, which is missing");
    }

    @Test
    void anAssertionIsAFaultAsAnyOther() throws Exception {
        plugin("", "if (true) throw new AssertionError(\"never\");").write(plugins.resolve("faulty.jar"));

        assertThat(problem()).contains("plug.Faulty failed in create: java.lang.AssertionError: never");
    }
}
