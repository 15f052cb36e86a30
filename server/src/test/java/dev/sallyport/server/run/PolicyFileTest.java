package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.plugin.Plugins;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which variables a run takes from the program because the configuration reads them: docs/run.md. */
class PolicyFileTest {

    private static final int MORE_THAN_A_READER_ALLOWS = 60;

    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("proxy.yaml"), text);
    }

    private static PolicyFile read(Path file) throws Failure {
        return Objects.requireNonNull(PolicyFile.read(file));
    }

    private static ConfigResult loaded(Path file) throws Failure, IOException {
        try (Plugins plugins = Home.loadPlugins()) {
            return ConfigLoader.load(file, Map.of("REAL", "value"), plugins.catalog(), true);
        }
    }

    @Test
    void a_file_with_many_aliases_hides_its_variables_as_the_loader_accepts_it() throws Exception {
        StringBuilder text = new StringBuilder("""
                dns: {enabled: false}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - &rule {host: api.run.test, ports: [8443]}
                """);
        text.append("        - *rule\n".repeat(MORE_THAN_A_READER_ALLOWS));
        text.append("""
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: REAL}
                          replace: {proxy_value: placeholder-of-the-file}
                          rules: [*rule]
                """);
        Path file = file(text.toString());

        PolicyFile read = read(file);

        assertThat(loaded(file)).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(read.variables()).contains("REAL");
        assertThat(read.ports()).containsExactly(8443);
    }

    @Test
    void a_file_of_many_characters_hides_its_variables() throws Exception {
        String comment = "# " + "x".repeat(1022) + "\n";

        PolicyFile read = read(file("\uFEFF" + comment.repeat(4096) + "management: {api_key_env: KEY}\n"));

        assertThat(read.variables()).contains("KEY");
    }

    @Test
    void as_many_levels_as_the_loader_reads() throws Exception {
        Path most = file("a: " + "[".repeat(62) + "{var: DEEP}" + "]".repeat(62) + "\n");
        assertThat(read(most).variables()).contains("DEEP");
        assertThat(loaded(most).toString()).doesNotContain("nested too deeply");

        Path more = file("a: " + "[".repeat(63) + "{var: DEEP}" + "]".repeat(63) + "\n");
        assertThatThrownBy(() -> PolicyFile.read(more)).isInstanceOf(Failure.class);
        assertThat(loaded(more).toString()).contains("nested too deeply");
    }

    @Test
    void what_cannot_be_read_is_refused_with_its_place_and_nothing_of_its_text() throws Exception {
        Path file = file("transforms:\n  - {source: {var: REAL}\nkey: the-value-itself\n");

        assertThatThrownBy(() -> PolicyFile.read(file))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(file + ":3:")
                .hasMessageContaining("cannot be read as YAML (expected: a file that sallyport check accepts)")
                .hasMessageNotContaining("the-value-itself");
    }
}
