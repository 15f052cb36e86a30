package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.server.plugin.Plugins;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as those of iron-proxy pass the check: docs/spec/decisions.md, section 17. */
class ForeignFilesTest {

    @TempDir
    Path folder;

    private List<String> problems(String name) throws Exception {
        return lines(name, check(name).problems());
    }

    private static List<String> lines(String name, List<ConfigProblem> found) {
        return found.stream()
                .map(ConfigProblem::toString)
                .map(line -> line.substring(line.indexOf(name)))
                .toList();
    }

    private ConfigResult check(String name) throws Exception {
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        String text;
        try (InputStream in = ForeignFilesTest.class.getResourceAsStream("/foreign/" + name)) {
            text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        Path file = Files.writeString(folder.resolve(name), text);
        try (Plugins plugins = Plugins.load(null)) {
            ConfigResult read = ConfigLoader.load(file, Map.of(), plugins.catalog());
            return EgressProxy.check(read, plugins.catalog(), Map.of());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"everything.yaml", "sni-only.yaml"})
    void nothingIsWrongWithThem(String name) throws Exception {
        assertThat(problems(name)).isEmpty();
    }

    @Test
    void ofTheControlPlaneThatItsEnvironmentNamesTheFileHasOnlyAnIntervalWhichHasNoEffect() throws Exception {
        ConfigResult read = check("everything.yaml");

        assertThat(lines("everything.yaml", read.warnings()))
                .filteredOn(line -> line.contains("/control_plane"))
                .singleElement(as(InstanceOfAssertFactories.STRING))
                .contains("the section control_plane of iron-proxy has no effect");
    }

    @Test
    void whatThereIsNoneOfHereIsNamedWithWhatToDoInstead() throws Exception {
        assertThat(problems("sections.yaml"))
                .hasSize(2)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("sections.yaml:7:1: /postgres: the section postgres of iron-proxy does not"
                                        + " exist here"),
                        line -> assertThat(line)
                                .startsWith("sections.yaml:9:1: /mcp_gateway: the section mcp_gateway of iron-proxy"
                                        + " does not exist here")
                                .contains("a secrets entry with inject"));
    }
}
