package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.server.run.RunOptions.Policy;
import dev.sallyport.server.run.RunOptions.Unlisted;
import dev.sallyport.spi.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunPolicyTest {

    @TempDir
    private Path folder;

    @Test
    void a_command_line_becomes_an_allowlist_and_secrets() throws Exception {
        Policy options = new Policy(
                List.of("*.example.com", "b.example.org:8443", "2001:db8::/32"),
                List.of(new SecretOption("TOKEN", "REAL", List.of("a.example.com"))),
                List.of(),
                null,
                Unlisted.REFUSED);

        RunPolicy policy = RunPolicy.of(options, null, List.of());

        assertThat(policy.text())
                .contains("{host: \"*.example.com\"}", "{host: \"b.example.org\", ports: [8443]}")
                .contains(
                        "{cidr: \"2001:db8::/32\"}",
                        "var: \"REAL\"",
                        policy.placeholders().get("TOKEN"));
        assertThat(policy.ports()).containsExactly(8443);
        assertThat(policy.file()).isNull();
    }

    @Test
    void a_file_keeps_its_text_and_gets_what_the_command_line_adds() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        String text = """
                # kept
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - {host: a.example.com, ports: [9443]}
                """;
        Files.writeString(file, text);

        RunPolicy alone = RunPolicy.of(
                new Policy(List.of(), List.of(), List.of(), file, Unlisted.REFUSED), PolicyFile.read(file), List.of());
        RunPolicy more = RunPolicy.of(
                new Policy(
                        List.of("b.example.com"),
                        List.of(new SecretOption("T", "REAL", List.of("b.example.com"))),
                        List.of(),
                        file,
                        Unlisted.REFUSED),
                PolicyFile.read(file),
                List.of(Rule.host("preset.example.com")));

        assertThat(alone.file()).isEqualTo(file);
        assertThat(alone.ports()).containsExactly(9443);
        assertThat(more.file()).isNull();
        assertThat(more.base()).isEqualTo(folder.toAbsolutePath());
        assertThat(more.text())
                .startsWith("# kept\n")
                .contains("a.example.com", "b.example.com", "preset.example.com", "  - {name: secrets, ");
    }

    @Test
    void what_lets_a_host_through_is_an_option_that_is_read_back() throws Exception {
        assertThat(AllowedHost.option("a.example.com", 443)).isEqualTo("a.example.com");
        assertThat(AllowedHost.option("a.example.com", 0)).isEqualTo("a.example.com");
        assertThat(AllowedHost.option("a.example.com", 8443)).isEqualTo("a.example.com:8443");
        assertThat(AllowedHost.option("2001:db8::1", 80)).isEqualTo("2001:db8::1");
        assertThat(AllowedHost.option("2001:db8::1", 8443)).isEqualTo("[2001:db8::1]:8443");

        Rule rule = AllowedHost.rule(AllowedHost.option("2001:db8::1", 8443));
        assertThat(rule.cidr()).isEqualTo("2001:db8::1");
        assertThat(rule.ports()).containsExactly(8443);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "host:99999", "host:0", "**.example.com/x", "192.0.2.0/99"})
    void a_host_that_is_none_is_refused(String host) {
        assertThatThrownBy(() -> AllowedHost.rule(host))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--allow " + host);
    }
}
