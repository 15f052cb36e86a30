package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code apply} opens nothing too early, closes nothing by mistake, and shows no value. */
class ApplySafetyTest {

    private static final String RULE = "kind: egress_rule\nname: r\nhost: a.test\n";
    private static final String SECRET = """
            ---
            kind: secret
            name: stored
            env_var: STORED
            value_env: MY_VALUE
            """;

    @TempDir
    Path folder;

    private final TestControl control = TestControl.shared();
    private Shell shell;
    private String key;

    @BeforeEach
    void signUp() {
        key = control.newKey();
        shell = new Shell(folder.resolve("home"))
                .with("SALLYPORT_SERVER", control.url())
                .with("SALLYPORT_API_KEY", key)
                .with("MY_VALUE", "hunter2-hunter2");
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("account.yaml"), text).toString();
    }

    private void apply(String text) throws IOException {
        Shell.Result applied = shell.run("apply", "-f", file(text));
        assertThat(applied.code()).as(applied.err()).isZero();
        assertThat(shell.run("diff", "-f", file(text)).code()).isZero();
    }

    /** What was changed since so many records. */
    private List<String> changes(int since) {
        List<String> changes = new ArrayList<>();
        record().forEach(event -> changes.add(
                event.path("resource").asText() + " " + event.path("action").asText()));
        return changes.subList(since, changes.size());
    }

    private JsonNode record() {
        return api("/v1/audit/admin?order=asc").path("data");
    }

    @ParameterizedTest
    @ValueSource(strings = {"host: \"http://b.test\"", "host: a.test\ncomment: LONG", "cidr: 10.0.0.0/99"})
    void aRuleThatIsRefusedDoesNotCostTheOneThatIsThere(String line) throws IOException {
        apply(RULE);
        JsonNode before = api("/v1/egress/rules");
        String text = "kind: egress_policy\nmode: warn\n---\nkind: egress_rule\nname: r\n"
                + line.replace("LONG", "x".repeat(1025)) + "\n";

        Shell.Result result = shell.run("apply", "-f", file(text));

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .contains("account.yaml:4: egress_rule/r: refused with 422 validation_error: 1 field is wrong")
                .doesNotContain("only_check");
        assertThat(api("/v1/egress/rules")).isEqualTo(before);
        assertThat(api("/v1/egress/policy").path("mode").asText())
                .as("nothing was changed")
                .isEqualTo("enforce");
    }

    @Test
    void theOldDestinationOfARuleGoesBeforeCredentialsComeAndTheNewOneComesAfterThem() throws IOException {
        apply(RULE);
        int before = record().size();

        apply(RULE.replace("a.test", "b.test") + SECRET);

        assertThat(changes(before)).containsExactly("egress_rule delete", "secret create", "egress_rule create");
        assertThat(api("/v1/egress/rules").path("data").findValuesAsText("host"))
                .containsExactly("b.test");
    }

    @Test
    void aNetworkPolicyClosesBeforeCredentialsAndToolsComeAndOpensAfterThem() throws IOException {
        String net = "kind: network_policy\nname: net\npriority: 5\nrules: [{host: a.test}, {host: b.test}]\n";
        String tools = "---\nkind: mcp_policy\nname: tools\npriority: 5\ntools: [{name: t}]\n";
        apply(net + tools);
        int before = record().size();

        apply(net.replace("a.test", "c.test") + tools.replace("{name: t}", "{name: t}, {name: u}") + SECRET);

        assertThat(changes(before))
                .containsExactly(
                        "network_policy update", "mcp_policy update", "secret create", "network_policy update");
        assertThat(record().get(before).path("after").path("rules").findValuesAsText("host"))
                .as("what it has and will have")
                .containsExactly("b.test");
        assertThat(api("/v1/policies/network").path("data").findValuesAsText("host"))
                .containsExactly("c.test", "b.test");
    }

    @Test
    void aNetworkPolicyThatOnlyClosesIsFirstAndOneThatOnlyOpensIsLate() throws IOException {
        String net = "kind: network_policy\nname: net\npriority: 5\nrules: [{host: a.test}, {host: b.test}]\n";
        apply(net);
        int before = record().size();
        apply(net.replace("{host: a.test}, ", "") + SECRET);
        assertThat(changes(before)).containsExactly("network_policy update", "secret create");

        before = record().size();
        apply(net + SECRET.replace("env_var: STORED", "env_var: OTHER"));
        assertThat(changes(before)).containsExactly("secret update", "network_policy update");

        before = record().size();
        apply(net.replace("priority: 5", "priority: 5\nmatch_tags: [eu]") + SECRET);
        assertThat(changes(before)).containsExactly("network_policy update", "secret update", "network_policy update");
        assertThat(record().get(before).path("after").path("active").asBoolean(true))
                .as("for other proxies, closed meanwhile")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"value", "secret", "valeu", "token"})
    void aValueInAWrongFieldOfASecretIsShownNowhere(String field) throws IOException {
        String good = SECRET.substring(4);
        apply(good);

        for (String command : List.of("diff", "apply")) {
            Shell.Result result = shell.run(command, "-f", file(good + field + ": hunter2\n"));

            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err()).contains("account.yaml:5: ").contains("(expected: ");
            assertThat(result.out() + result.err()).doesNotContain("hunter2");
        }
    }

    @Test
    void hostsThatAreNullMeanAllAndConverge() throws IOException {
        apply(SECRET.substring(4) + "hosts: null\n");
    }

    @Test
    void aValueThatIsTooLongOrEmptyIsToldAsSuch() throws IOException {
        shell.with("MY_VALUE", "");
        assertThat(shell.run("apply", "-f", file(SECRET.substring(4))).err())
                .contains("account.yaml:4: the variable MY_VALUE is empty (expected: the value)");
        Files.writeString(folder.resolve("value"), "\u20ac".repeat(400_000));
        String fromFile = SECRET.substring(4).replace("value_env: MY_VALUE", "value_file: value");
        assertThat(shell.run("apply", "-f", file(fromFile)).err()).contains("account.yaml:4: value is longer than");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "audit --verdict denied list",
                "audit --follow list",
                "audit --count 3 list",
                "audit --follow --since 2026-01-01T00:00:00Z",
                "audit --follow --until 2026-01-01T00:00:00Z"
            })
    void optionsOfTheRecordThatWouldBeIgnoredAreRefused(String line) {
        assertThat(shell.run(line.split(" ")).code()).isEqualTo(2);
    }
}
