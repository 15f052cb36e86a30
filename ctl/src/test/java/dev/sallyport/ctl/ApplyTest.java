package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code apply} and {@code diff}, at a real control plane. */
class ApplyTest {

    private static final String VALUE = "hunter2-hunter2";

    private static final String ALL = """
            kind: egress_policy
            mode: enforce
            ---
            kind: egress_rule
            name: github
            host: "*.github.com"
            ---
            kind: network_policy
            name: net
            priority: 5
            rules: [{host: a.test}]
            ---
            kind: mcp_policy
            name: tools
            priority: 5
            tools: [{name: t, matchers: [{path: p, equals: null}, {path: q, in: [1, 2.50]}]}]
            ---
            kind: secret_policy
            name: key
            priority: 5
            mode: inject
            source: {var: TOKEN, secret_id: of-another-type}
            inject_config: {header: Authorization, formatter: "Bearer {{.Value}}"}
            replace_config: {proxy_value: x}
            ---
            kind: secret
            name: stored
            env_var: STORED
            value_env: MY_VALUE
            ---
            kind: environment_variable
            key: LEVEL
            value: info
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
                .with("MY_VALUE", VALUE);
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    private String file(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text).toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String file(String text) {
        return file("account.yaml", text);
    }

    private String everything() {
        StringBuilder all = new StringBuilder();
        for (String path : List.of(
                "/v1/egress/policy",
                "/v1/egress/rules",
                "/v1/policies/network",
                "/v1/policies/mcp",
                "/v1/policies/secrets",
                "/v1/secrets",
                "/v1/env")) {
            all.append(api(path)).append('\n');
        }
        return all.toString();
    }

    @Test
    void everyKindIsMadeAndASecondRunChangesNothing() {
        Shell.Result first = shell.run("apply", "-f", file(ALL));
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.out().lines())
                .contains(
                        "egress_policy unchanged",
                        "network_policy/net would be created",
                        "network_policy/net created",
                        "secret/stored created",
                        "environment_variable/LEVEL created");
        String after = everything();

        Shell.Result second = shell.run("apply", "-f", file(ALL));

        assertThat(second.code()).isZero();
        assertThat(second.out().lines()).hasSize(7).allMatch(line -> line.endsWith(" unchanged"));
        assertThat(everything()).as("times too").isEqualTo(after);
        assertThat(shell.run("diff", "-f", file(ALL)).code()).isZero();
        assertThat(shell.run("apply", "--dry-run", "-f", file(ALL)).code()).isZero();
        assertThat(first.out() + first.err()).doesNotContain(VALUE);
    }

    @Test
    void theExampleOfTheDocumentationIsApplied() throws IOException {
        Path example = Path.of("../examples/account");
        shell.with("GITHUB_TOKEN", VALUE);

        Shell.Result applied = shell.run("apply", "-f", example.toString());

        assertThat(applied.code()).as(applied.err()).isZero();
        assertThat(shell.run("diff", "-f", example.toString()).code()).isZero();
        assertThat(api("/v1/secrets").at("/data/0/hosts/0").asText()).isEqualTo("api.github.com");
        try (Stream<Path> files = Files.list(example)) {
            assertThat(files).hasSize(4);
        }
    }

    @Test
    void aDifferenceIsShownAndEndsWith1AndNothingIsChanged() {
        shell.run("apply", "-f", file(ALL));
        String before = everything();
        String changed =
                file(ALL.replace("priority: 5\nrules: [{host: a.test}]", "priority: 7\nrules: [{host: b.test}]")
                        .replace("value: info", "value: debug-level"));

        Shell.Result diff = shell.run("diff", "-f", changed);

        assertThat(diff.code()).isEqualTo(1);
        assertThat(diff.out())
                .contains(
                        "network_policy/net would be configured\n  priority: 5 -> 7\n  rules[0].host: \"a.test\" -> \"b.test\"\n")
                .contains("environment_variable/LEVEL would be configured\n  value: another value\n")
                .doesNotContain("debug-level");
        assertThat(shell.run("apply", "--dry-run", "-f", changed)).isEqualTo(diff);
        assertThat(everything()).isEqualTo(before);

        assertThat(shell.run("apply", "-f", changed).code()).isZero();
        assertThat(api("/v1/policies/network").at("/data/0/priority").asInt()).isEqualTo(7);
        assertThat(api("/v1/env/LEVEL").path("value").asText()).isEqualTo("debug-level");
    }

    @Test
    void jsonIsOneDocumentWithWhatWasDone() {
        Shell.Result diff = shell.run("diff", "--json", "-f", file(ALL));
        Shell.Result applied = shell.run("apply", "--json", "-f", file(ALL));

        assertThat(diff.code()).isEqualTo(1);
        assertThat(diff.json().path("changes").findValuesAsText("done")).containsOnly("false");
        JsonNode changes = applied.json().path("changes");
        assertThat(changes).hasSize(7);
        assertThat(changes.get(0).path("kind").asText()).isEqualTo("egress_policy");
        assertThat(changes.get(0).path("action").asText()).isEqualTo("unchanged");
        assertThat(changes.get(1).path("done").asBoolean()).isTrue();
        assertThat(changes.get(1).path("place").asText())
                .startsWith(folder.toString())
                .matches(".*:[0-9]+");
        assertThat(applied.out()).doesNotContain(VALUE);
    }

    @Test
    void onlyKindsInTheFilesArePrunedAndOnlyWhenAsked() {
        shell.run("apply", "-f", file(ALL));
        control.send("POST", "/v1/egress/rules", key, "{\"host\": \"unnamed.test\"}");
        String fewer = file("""
                kind: egress_rule
                name: gitlab
                host: gitlab.com
                """);

        Shell.Result kept = shell.run("apply", "-f", fewer);
        assertThat(kept.code()).isZero();
        assertThat(kept.err()).contains("2 more of these kinds are in no file, and stay");
        assertThat(api("/v1/egress/rules").path("data")).hasSize(3);

        Shell.Result would = shell.run("diff", "--prune", "-f", fewer);
        assertThat(would.out()).contains("egress_rule/github would be pruned\n");
        Shell.Result pruned = shell.run("apply", "--prune", "-f", fewer);
        assertThat(pruned.code()).as(pruned.err()).isZero();
        assertThat(api("/v1/egress/rules").path("data").findValuesAsText("name"))
                .containsExactly("gitlab");
        assertThat(api("/v1/policies/network").path("data")).as("another kind").hasSize(1);
        assertThat(api("/v1/secrets").path("data")).hasSize(1);
    }

    @Test
    void allKindsArePruned() {
        shell.run("apply", "-f", file(ALL));
        String others = ALL.replace("name: net", "name: other")
                .replace("name: tools", "name: other")
                .replace("name: key", "name: other")
                .replace("name: stored", "name: other")
                .replace("key: LEVEL", "key: OTHER");

        Shell.Result pruned = shell.run("apply", "--prune", "-f", file(others));

        assertThat(pruned.code()).as(pruned.err()).isZero();
        assertThat(api("/v1/policies/network").path("data").findValuesAsText("name"))
                .containsExactly("other");
        assertThat(api("/v1/policies/secrets").path("data").findValuesAsText("name"))
                .contains("other")
                .doesNotContain("key");
        assertThat(api("/v1/secrets").path("data").findValuesAsText("name")).containsExactly("other");
        assertThat(api("/v1/env").path("data").findValuesAsText("key")).containsExactly("OTHER");
        assertThat(shell.run("diff", "--prune", "-f", file(others)).code()).isZero();
    }

    @Test
    void whatLimitsComesBeforeWhatOpens() {
        shell.run("egress", "set", "warn");
        shell.run("apply", "-f", file(ALL.replace("mode: enforce", "mode: warn")));
        String others = ALL.replace("name: net", "name: other")
                .replace("name: tools", "name: other")
                .replace("name: key", "name: other-key")
                .replace("name: stored", "name: other")
                .replace("name: github", "name: other");

        List<String> done = new ArrayList<>();
        shell.run("apply", "--prune", "--json", "-f", file(others))
                .json()
                .path("changes")
                .forEach(change -> done.add(change.path("kind").asText() + " "
                        + change.path("action").asText()));

        assertThat(done)
                .containsExactly(
                        "egress_policy configure",
                        "egress_rule prune",
                        "network_policy prune",
                        "secret prune",
                        "secret_policy prune",
                        "mcp_policy create",
                        "environment_variable unchanged",
                        "secret create",
                        "secret_policy create",
                        "network_policy create",
                        "egress_rule create",
                        "mcp_policy prune");
    }

    @Test
    void theModeWarnComesAfterEverythingThatLimits() {
        List<String> kinds = new ArrayList<>();
        shell.run("diff", "--json", "-f", file(ALL.replace("mode: enforce", "mode: warn")))
                .json()
                .path("changes")
                .forEach(change -> kinds.add(change.path("kind").asText()));

        assertThat(kinds.getLast()).isEqualTo("egress_policy");
    }

    @Test
    void aRuleIsReplacedAndItsDestinationStaysOpen() {
        String rule = "kind: egress_rule\nname: r\nhost: a.test\n";
        shell.run("apply", "-f", file(rule));

        assertThat(shell.run("apply", "-f", file(rule + "comment: why\n")).code())
                .isZero();

        assertThat(api("/v1/egress/rules").path("data")).hasSize(1);
        assertThat(api("/v1/egress/rules").at("/data/0/comment").asText()).isEqualTo("why");
        JsonNode record = api("/v1/audit/admin?resource=egress_rule&order=asc").path("data");
        assertThat(record.findValuesAsText("action"))
                .as("there is a rule for the destination at each moment")
                .containsExactly("create", "create", "delete", "create", "delete");
        assertThat(shell.run("apply", "-f", file(rule.replace("a.test", "b.test")))
                        .code())
                .isZero();
        assertThat(api("/v1/egress/rules").path("data").findValuesAsText("host"))
                .containsExactly("b.test");
    }

    @Test
    void whatARunThatWasEndedHasLeftIsRemoved() {
        String rule = "kind: egress_rule\nname: r\nhost: a.test\n";
        shell.run("apply", "-f", file(rule));
        control.send(
                "POST",
                "/v1/egress/rules",
                key,
                "{\"host\": \"a.test\", \"comment\": \"sallyport ctl apply: while the rule of this destination is replaced\"}");

        assertThat(shell.run("apply", "--prune", "-f", file(rule)).code()).isZero();
        assertThat(api("/v1/egress/rules").path("data"))
                .as("it may be that of a run that goes on")
                .hasSize(2);

        shell.later(Duration.ofMinutes(11));
        assertThat(shell.run("apply", "-f", file(rule)).code()).isZero();

        assertThat(api("/v1/egress/rules").path("data").findValuesAsText("name"))
                .containsExactly("r");
    }

    /** Of a secret false is the same as absence, whatever the control plane tells. */
    @Test
    void plaintextIsAllowedAndForbiddenAgain() {
        shell.run("apply", "-f", file(ALL));
        String allowed = ALL.replace("value_env: MY_VALUE", "value_env: MY_VALUE\nallow_plaintext: true");

        assertThat(shell.run("apply", "-f", file(allowed)).code()).isZero();
        assertThat(api("/v1/secrets").at("/data/0/allow_plaintext").asBoolean()).isTrue();

        assertThat(shell.run("apply", "-f", file(ALL)).code()).isZero();
        assertThat(api("/v1/secrets").at("/data/0/allow_plaintext").asBoolean(true))
                .isFalse();
        assertThat(shell.run(
                                "diff",
                                "-f",
                                file(ALL.replace("value_env: MY_VALUE", "value_env: MY_VALUE\nallow_plaintext: false")))
                        .code())
                .isZero();
    }

    @Test
    void aValueIsReplacedWhenAskedAndReadFromAFileToo() throws IOException {
        shell.run("apply", "-f", file(ALL));
        String before = api("/v1/secrets").at("/data/0/updated_at").asText();
        Files.writeString(folder.resolve("value"), "from-a-file\n");
        String fromFile = file(ALL.replace("value_env: MY_VALUE", "value_file: value"));

        assertThat(shell.run("diff", "-f", fromFile).code())
                .as("nobody can compare values")
                .isZero();
        Shell.Result applied = shell.run("apply", "--values", "-f", fromFile);

        assertThat(applied.code()).as(applied.err()).isZero();
        assertThat(applied.out()).contains("secret/stored would be configured\n  secret: another value\n");
        assertThat(api("/v1/secrets").at("/data/0/updated_at").asText()).isNotEqualTo(before);
        JsonNode record = api("/v1/audit/admin?resource=secret&order=asc").path("data");
        List<String> versions = record.findValuesAsText("value_version");
        assertThat(versions.getLast()).isNotEqualTo(versions.getFirst());
    }

    @Test
    void aValueThatIsMissingIsToldBeforeAnythingIsChanged() {
        String before = everything();

        Shell.Result result = shell.run("apply", "-f", file(ALL.replace("MY_VALUE", "NOT_SET")));

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("account.yaml:29: the variable NOT_SET is not set (expected: the value)");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void aRefusalNamesFileAndLineAndEndsTheRun() {
        Shell.Result result = shell.run("apply", "-f", file("""
                kind: network_policy
                name: bad
                priority: 1
                rules:
                  - host: a.test
                  - host: "http://b.test"
                colour: red
                ---
                kind: egress_rule
                name: later
                host: c.test
                """));

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .contains("account.yaml:1: network_policy/bad: refused with 422 validation_error: 2 fields are wrong")
                .contains("account.yaml:6: rules[1].host: ")
                .contains("account.yaml:7: colour: ");
        assertThat(api("/v1/egress/rules").path("data"))
                .as("what follows is not opened")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "kind: egres_rule\\nname: a | account.yaml:1: no such kind (expected: one of egress_policy, egress_rule,",
                "name: a | account.yaml:1: no kind (expected: one of ",
                "kind: egress_rule\\nhost: a.test | account.yaml:1: egress_rule without name",
                "kind: secret\\nname: a\\nsecret: hunter2 | account.yaml:3: the value of a secret in a file",
                "kind: secret\\nname: a\\nenv_var: A | account.yaml:1: secret/a without value_env and value_file",
                "kind: secret\\nname: a\\nvalue_env: A\\nvalue_file: b | account.yaml:4: both value_env and value_file",
                "kind: environment_variable\\nkey: A | account.yaml:1: environment_variable/A without a value",
                "kind: environment_variable\\nkey: A\\nvalue: x\\nvalue_env: B | account.yaml:3: environment_variable/A with two values",
                "kind: environment_variable\\nkey: A\\nvalue: x\\nname: B | account.yaml:4: unknown field",
                "kind: egress_rule\\nname: a\\nvalue_env: B | account.yaml:3: value_env for kind egress_rule",
                "kind: egress_rule\\nname: a\\n---\\nkind: egress_rule\\nname: a | account.yaml:4: egress_rule/a is at ",
                "- a | account.yaml:1:1: no object",
                "kind: [hunter2 | account.yaml:",
                "kind: egress_rule\\nkind: hunter2 | account.yaml:2",
                "kind: &x hunter2\\nname: *x | account.yaml:2:7: an alias",
                "# nothing | account.yaml: no objects"
            })
    void whatIsWrongInAFileIsToldWithItsPlaceAndQuotesNoValue(String text, String message) {
        Shell.Result result = shell.run("apply", "-f", file(text.replace("\\n", "\n")));

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains(message).contains("(expected: ").doesNotContain("hunter2");
    }

    @Test
    void allProblemsOfTheFilesAreToldAtOnceAndAFolderIsItsFiles() {
        file("a.yaml", "kind: nonsense\n");
        file("b.yml", "kind: egress_rule\n");
        file("c.json", "{\"kind\": \"egress_rule\", \"name\": \"c\", \"host\": \"c.test\"}");
        file(".hidden.yaml", "kind: hidden\n");
        file("notes.txt", "kind: notes\n");

        Shell.Result result = shell.run("apply", "-f", folder.toString());

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("2 problems in the files", "a.yaml:1: ", "b.yml:1: ");
        assertThat(shell.run("apply", "-f", folder.resolve("c.json").toString()).code())
                .isZero();
        assertThat(shell.run("apply", "-f", folder.resolve("none.yaml").toString())
                        .code())
                .isEqualTo(2);
        assertThat(shell.input("kind: egress_rule\nname: d\nhost: d.test\n")
                        .run("apply", "-f", "-")
                        .code())
                .isZero();
        assertThat(api("/v1/egress/rules").path("data").findValuesAsText("name"))
                .containsExactlyInAnyOrder("c", "d");
    }

    @Test
    void applyWaitsForProxies() {
        Shell.Result result = shell.run("apply", "--wait", "-f", file(ALL));

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(shell.run("apply", "--wait", "--timeout", "31s", "-f", file(ALL))
                        .code())
                .isEqualTo(2);
    }
}
