package dev.sallyport.server.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.config.SchemaGenerator;
import dev.sallyport.spi.TransformFactory;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/design.md, section 3: third-party plug-ins. */
class PluginsTest {

    @TempDir
    private Path plugins;

    @Test
    void finds_what_is_on_the_class_path() throws Exception {
        try (Plugins loaded = Plugins.load(null)) {
            assertThat(loaded.catalog().transformNames()).contains("allowlist", "secrets");
            assertThat(loaded.catalog().sourceTypes()).contains("env");
            assertThat(loaded.installed()).isZero();
        }
    }

    @Test
    void a_folder_that_is_not_there_holds_none() throws Exception {
        try (Plugins loaded = Plugins.load(plugins.resolve("none"))) {
            assertThat(loaded.installed()).isZero();
        }
    }

    @Test
    void takes_folders_and_single_jars_and_passes_over_other_files() throws Exception {
        PluginJar.headerTransform("first", "1").write(plugins.resolve("one/one.jar"));
        PluginJar.headerTransform("second", "2").write(plugins.resolve("two.jar"));
        Files.writeString(plugins.resolve("README.md"), "no plug-in");

        try (Plugins loaded = Plugins.load(plugins)) {
            assertThat(loaded.catalog().transformNames()).contains("allowlist", "first", "second");
            assertThat(loaded.installed()).isEqualTo(2);
        }
    }

    @Test
    void each_plugin_has_its_own_classes_and_shares_only_the_contract() throws Exception {
        // given: two plug-ins with classes of the same names, one of which is also a library of the server
        PluginJar.headerTransform("first", "1").write(plugins.resolve("one/one.jar"));
        PluginJar.headerTransform("second", "2").write(plugins.resolve("two/two.jar"));

        try (Plugins loaded = Plugins.load(plugins)) {
            // when
            ClassLoader first = loader(loaded.catalog().transform("first"));
            ClassLoader second = loader(loaded.catalog().transform("second"));

            // then: theirs differ
            assertThat(first.loadClass("plug.Value")).isNotSameAs(second.loadClass("plug.Value"));
            // the contract is one
            for (String shared : new String[] {
                "dev.sallyport.spi.Decision",
                "dev.sallyport.toolkit.match.CidrSet",
                "org.jspecify.annotations.Nullable",
                "com.fasterxml.jackson.annotation.JsonProperty",
                "org.slf4j.Logger"
            }) {
                assertThat(first.loadClass(shared)).isSameAs(Class.forName(shared));
            }
            // nothing else of the server is there
            for (String hidden : new String[] {
                "dev.sallyport.core.EgressProxy",
                "dev.sallyport.server.Server",
                "com.fasterxml.jackson.databind.ObjectMapper",
                "io.netty.buffer.ByteBuf",
                "com.google.inject.Guice"
            }) {
                assertThat(catchThrowableOfType(ClassNotFoundException.class, () -> first.loadClass(hidden)))
                        .as(hidden)
                        .isNotNull();
            }
        }
    }

    @Test
    void a_copy_of_the_contract_in_a_plugin_is_not_used() throws Exception {
        // given: a jar that carries its own Decision
        PluginJar.headerTransform("first", "1")
                .source("dev.sallyport.spi.Forged", "package dev.sallyport.spi; public final class Forged {}")
                .write(plugins.resolve("one.jar"));

        try (Plugins loaded = Plugins.load(plugins)) {
            ClassLoader loader = loader(loaded.catalog().transform("first"));

            assertThat(catchThrowableOfType(
                            ClassNotFoundException.class, () -> loader.loadClass("dev.sallyport.spi.Forged")))
                    .isNotNull();
        }
    }

    @Test
    void two_of_one_name_are_refused_naming_both_jars() throws Exception {
        Path one = PluginJar.headerTransform("twice", "1").write(plugins.resolve("one/one.jar"));
        Path two = PluginJar.headerTransform("twice", "2").write(plugins.resolve("two/two.jar"));

        assertThat(problem()).contains(one.toString(), two.toString(), "\"twice\"", "(expected: one of the two)");
    }

    @Test
    void a_plugin_cannot_take_the_name_of_a_built_in_one() throws Exception {
        Path jar = PluginJar.headerTransform("allowlist", "1").write(plugins.resolve("one.jar"));

        assertThat(problem()).contains(jar.toString(), "\"allowlist\"", "allowlist");
    }

    @Test
    void a_plugin_cannot_take_a_further_name_of_a_built_in_one() throws Exception {
        Path jar = PluginJar.headerTransform("aws_auth", "1").write(plugins.resolve("one.jar"));

        assertThat(problem()).contains(jar.toString(), "\"aws_auth\"", "sigv4-auth", "(expected: one of the two)");
    }

    @Test
    void a_broken_jar_is_named() throws Exception {
        Path jar = PluginJar.broken(plugins.resolve("one/one.jar"));

        assertThat(problem()).isEqualTo(jar + ": cannot be opened (expected: a jar)");
    }

    @Test
    void a_jar_without_a_plugin_is_named() throws Exception {
        Path jar = new PluginJar()
                .source("plug.Nothing", "package plug; class Nothing {}")
                .write(plugins.resolve("one.jar"));

        assertThat(problem())
                .startsWith(
                        jar + ": it has no plug-in (expected: META-INF/services/" + TransformFactory.class.getName());
    }

    @Test
    void a_folder_without_a_jar_is_named() throws Exception {
        Path folder = Files.createDirectory(plugins.resolve("empty"));

        assertThat(problem()).isEqualTo(folder + ": it has no jar (expected: the jars of a plug-in)");
    }

    @Test
    void a_factory_that_is_not_in_the_jar_is_named() throws Exception {
        PluginJar.headerTransform("first", "1").writeWithout("plug.Factory", plugins.resolve("one/one.jar"));

        assertThat(problem()).contains(plugins.resolve("one").toString(), "plug.Factory");
    }

    @Test
    void a_config_record_that_is_missing_is_named() throws Exception {
        PluginJar.headerTransform("first", "1").writeWithout("plug.Factory$Config", plugins.resolve("one/one.jar"));

        assertThat(problem()).contains(plugins.resolve("one").toString(), "plug.Factory$Config");
    }

    @Test
    void a_config_record_that_cannot_be_bound_is_named() throws Exception {
        Path jar = new PluginJar().source("plug.Odd", """
                        package plug;
                        import dev.sallyport.spi.*;
                        public final class Odd implements TransformFactory<Odd.Config> {
                            public record Config(java.net.Socket odd) {}
                            public Descriptor<Config> descriptor() {
                                return Descriptor.of("odd", Config.class, "Odd.");
                            }
                            public Transform create(Config config, BuildContext context) {
                                return (InlineTransform) request -> Decision.proceed();
                            }
                        }
                        """).transform("plug.Odd").write(plugins.resolve("odd.jar"));

        assertThat(problem()).startsWith(jar + ": plug.Odd cannot be used: ");
    }

    @Test
    void all_faults_are_told_at_once_and_each_on_one_line() throws Exception {
        Path one = PluginJar.broken(plugins.resolve("one.jar"));
        Path two = PluginJar.broken(plugins.resolve("two.jar"));

        PluginException refused = catchThrowableOfType(PluginException.class, () -> Plugins.load(plugins));

        assertThat(refused.problems())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).doesNotContain("\n"));
        assertThat(refused.problems().get(0)).contains(one.toString());
        assertThat(refused.problems().get(1)).contains(two.toString());
    }

    @Test
    void a_companion_on_the_class_path_is_found() throws Exception {
        Path jar = PluginJar.companion("beside").write(plugins.resolve("beside.jar"));
        try (URLClassLoader classPath = classPathWith(jar);
                Plugins loaded = Plugins.load(null, classPath)) {
            assertThat(loaded.catalog().companionNames()).containsExactly("beside", "control", "control_plane");
            assertThat(loaded.catalog().transformNames()).contains("allowlist");
            assertThat(SchemaGenerator.generate(loaded.catalog())).contains("Stands beside.");
        }
        try (Plugins loaded = Plugins.load(null)) {
            assertThat(loaded.catalog().companionNames()).containsExactly("control", "control_plane");
        }
    }

    @Test
    void a_companion_in_the_folder_is_none() throws Exception {
        Path jar = PluginJar.companion("beside").write(plugins.resolve("beside.jar"));

        assertThat(problem()).startsWith(jar + ": it has no plug-in ");
    }

    @Test
    void a_companion_cannot_take_the_section_of_another() throws Exception {
        for (String taken : new String[] {"mcp", "proxy"}) {
            Path jar = PluginJar.companion(taken).write(plugins.resolve("jars/" + taken + ".jar"));
            try (URLClassLoader classPath = classPathWith(jar)) {
                PluginException refused =
                        catchThrowableOfType(PluginException.class, () -> Plugins.load(null, classPath));
                assertThat(refused.problems())
                        .singleElement()
                        .asString()
                        .contains("plug.Beside", taken, "(expected: ")
                        .doesNotContain("\n");
            }
        }
    }

    private static URLClassLoader classPathWith(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, Plugins.class.getClassLoader());
    }

    /** The only line. */
    private String problem() throws IOException {
        PluginException refused = catchThrowableOfType(PluginException.class, () -> Plugins.load(plugins));
        assertThat(refused).isNotNull();
        assertThat(refused.problems()).singleElement().asString().doesNotContain("\n");
        return refused.problems().getFirst();
    }

    private static ClassLoader loader(@Nullable Object factory) {
        assertThat(factory).isNotNull();
        return factory.getClass().getClassLoader();
    }
}
