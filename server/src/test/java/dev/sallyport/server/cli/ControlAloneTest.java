package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.CompanionAlone;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.server.plugin.Plugins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport check} of files that {@code sallyport control} runs: docs/spec/decisions.md, section 16. */
class ControlAloneTest {

    private static final String CONTROL = "control: {listen: \"127.0.0.1:8090\"}\n";

    @TempDir
    Path folder;

    private ConfigResult check(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("f.yaml"), text);
        try (Plugins plugins = Plugins.load(null)) {
            return EgressProxy.check(ConfigLoader.load(file, Map.of(), plugins.catalog()), plugins.catalog(), Map.of());
        }
    }

    private static List<String> pointers(ConfigResult result) {
        return CompanionAlone.only(result, CheckCommand.CONTROL, result.problems()).stream()
                .map(ConfigProblem::pointer)
                .toList();
    }

    @Test
    void aFileForTheControlPlaneAloneNeedsNoProxy() throws Exception {
        ConfigResult result = check(CONTROL + "metrics: {listen: \"127.0.0.1:9090\"}\n");

        assertThat(CompanionAlone.isMeant(result, CheckCommand.CONTROL)).isTrue();
        assertThat(result.problems()).isNotEmpty();
        assertThat(pointers(result)).isEmpty();
    }

    @Test
    void whatIsReadOfItIsChecked() throws Exception {
        ConfigResult result = check(CONTROL.replace("8090\"", "8090\", base_url: nonsense") + "log: {level: loud}\n");

        assertThat(pointers(result)).containsExactlyInAnyOrder("/control/base_url", "/log/level");
    }

    @Test
    void aFileWithASectionOfAProxyIsCheckedAsThatOfAProxy() throws Exception {
        assertThat(CompanionAlone.isMeant(check(CONTROL + "transforms: []\n"), CheckCommand.CONTROL))
                .isFalse();
        assertThat(CompanionAlone.isMeant(check("log: {level: info}\n"), CheckCommand.CONTROL))
                .isFalse();
    }
}
