package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code egress}, {@code rule}, {@code secret}, {@code env} and {@code audit}, at a real control plane. */
class ResourcesTest {

    @TempDir
    Path folder;

    private final TestControl control = TestControl.shared();
    private Shell shell;
    private String key;

    @BeforeEach
    void signUp() {
        key = control.newKey();
        shell = new Shell(folder).with("SALLYPORT_SERVER", control.url()).with("SALLYPORT_API_KEY", key);
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    @Test
    void theModeIsShownAndSet() {
        assertThat(shell.run("egress", "get").table()).containsExactly("MODE", "enforce");

        assertThat(shell.run("egress", "set", "warn")).isEqualTo(new Shell.Result(0, "warn set\n", ""));

        assertThat(shell.run("egress", "get", "--json").json()).isEqualTo(api("/v1/egress/policy"));
        assertThat(shell.run("egress", "get", "-o", "name").out()).isEqualTo("warn\n");
    }

    @Test
    void anotherModeEndsWith1AndNoModeWith2() {
        Shell.Result refused = shell.run("egress", "set", "off", "--json");

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).startsWith("sallyport: refused with 422 validation_error: ");
        assertThat(shell.run("egress", "set").code()).isEqualTo(2);
    }

    @Test
    void rulesAreCreatedListedAndDeleted() {
        JsonNode made = shell.run("rule", "create", "--host", "*.a.test", "--name", "one", "--json")
                .json();
        shell.run("rule", "create", "--cidr", "10.0.0.0/8", "--comment", "c");

        assertThat(made.path("host").asText()).isEqualTo("*.a.test");
        assertThat(shell.run("rule", "list", "--json").json()).isEqualTo(api("/v1/egress/rules"));
        assertThat(shell.run("rule", "list").table())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("one egr_") && line.contains("*.a.test"))
                .anyMatch(line -> line.startsWith("<none> egr_") && line.contains("10.0.0.0/8"));
        assertThat(shell.run("rule", "list", "--host", "*.A.test", "-o", "name").out())
                .isEqualTo(made.path("id").asText() + "\n");
        assertThat(shell.run("rule", "list", "--sort", "host", "--limit", "1", "--json")
                        .json()
                        .path("data"))
                .hasSize(1);
        assertThat(shell.run("rule", "delete", "one")).isEqualTo(new Shell.Result(0, "one deleted\n", ""));
        assertThat(api("/v1/egress/rules").path("data")).hasSize(1);
    }

    @Test
    void aRuleHasOneDestination() {
        assertThat(shell.run("rule", "create").code()).isEqualTo(2);
        assertThat(shell.run("rule", "create", "--host", "a.test", "--cidr", "10.0.0.0/8")
                        .code())
                .isEqualTo(2);
        Shell.Result refused = shell.run("rule", "create", "--host", "http://a");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("host: ");
    }

    @Test
    void aRuleIsCreatedOnceForAnIdempotencyKey() {
        String first = shell.run("rule", "create", "--host", "a.test", "--idempotency-key", "k")
                .out();

        assertThat(shell.run("rule", "create", "--host", "a.test", "--idempotency-key", "k")
                        .out())
                .isEqualTo(first);
        assertThat(api("/v1/egress/rules").path("data")).hasSize(1);
    }

    @Test
    void whatIsNotThereEndsWith1UnlessThatIsNoProblem() {
        for (String[] command :
                new String[][] {{"rule", "delete", "none"}, {"secret", "delete", "none"}, {"env", "delete", "NONE"}}) {
            Shell.Result result = shell.run(command);
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).startsWith("sallyport: ");
            assertThat(shell.run(command[0], command[1], command[2], "--ignore-not-found"))
                    .isEqualTo(new Shell.Result(0, "", ""));
        }
    }

    @Test
    void aSecretIsReadFromStandardInputAndNeverShown() {
        Shell.Result created = shell.input("s3cr3t-value\n")
                .run("secret", "create", "--name", "github", "--env-var", "GITHUB_TOKEN", "--host", "*.a.test");
        assertThat(created).isEqualTo(new Shell.Result(0, "github created\n", ""));

        Shell.Result updated =
                shell.input("an0ther-value").run("secret", "update", "github", "--value", "--comment", "c", "--json");
        assertThat(updated.code()).as(updated.err()).isZero();
        assertThat(updated.json().path("comment").asText()).isEqualTo("c");
        assertThat(updated.json().path("hosts").get(0).asText()).isEqualTo("*.a.test");

        Shell.Result list = shell.run("secret", "list", "-o", "wide");
        assertThat(list.out()).contains("SALLYPORT_PROXY_github", "GITHUB_TOKEN", "*.a.test");
        assertThat(shell.run("secret", "list", "--json").json()).isEqualTo(api("/v1/secrets"));
        assertThat(shell.run("secret", "get", "github", "--json").json())
                .isEqualTo(api("/v1/secrets").path("data").get(0));
        assertThat(created.out() + updated.out() + list.out()).doesNotContain("-value");
        assertThat(shell.run("secret", "delete", "github").out()).isEqualTo("github deleted\n");
    }

    @Test
    void aSecretMayBeSentWithoutTlsWhereThatIsSaid() {
        shell.input("v").run("secret", "create", "--name", "s", "--env-var", "S");
        assertThat(api("/v1/secrets").at("/data/0/allow_plaintext").asBoolean(true))
                .isFalse();

        assertThat(shell.run("secret", "update", "s", "--allow-plaintext").code())
                .isZero();
        assertThat(api("/v1/secrets").at("/data/0/allow_plaintext").asBoolean()).isTrue();
        assertThat(shell.run("secret", "update", "s", "--comment", "c").code()).isZero();
        assertThat(api("/v1/secrets").at("/data/0/allow_plaintext").asBoolean()).isTrue();
        assertThat(shell.run("secret", "update", "s", "--no-allow-plaintext").code())
                .isZero();
        assertThat(api("/v1/secrets").at("/data/0/allow_plaintext").asBoolean(true))
                .isFalse();
    }

    @Test
    void anEmptyCommentIsNone() {
        shell.input("v").run("secret", "create", "--name", "s", "--env-var", "S", "--comment", "c");

        assertThat(shell.run("secret", "update", "s", "--comment", "").code()).isZero();

        assertThat(api("/v1/secrets").at("/data/0/comment").isNull()).isTrue();
    }

    @Test
    void aNameMayBeginLikeAnIdentifier() {
        shell.input("v").run("secret", "create", "--name", "sec_x", "--env-var", "X");
        shell.run("rule", "create", "--host", "a.test", "--name", "egr_x");

        assertThat(shell.run("secret", "get", "sec_x", "-o", "name").out()).isEqualTo("sec_x\n");
        String id = api("/v1/secrets").at("/data/0/id").asText();
        assertThat(shell.run("secret", "get", id, "-o", "name").out()).isEqualTo("sec_x\n");
        assertThat(shell.run("secret", "delete", "sec_x").out()).isEqualTo("sec_x deleted\n");
        assertThat(shell.run("rule", "delete", "egr_x").out()).isEqualTo("egr_x deleted\n");
        assertThat(api("/v1/secrets").path("data")).isEmpty();
        assertThat(api("/v1/egress/rules").path("data")).isEmpty();
    }

    @Test
    void aSecretNeedsAValueAndAnUpdateSomethingToChange() {
        assertThat(shell.input("").run("secret", "create", "--name", "a", "--env-var", "A"))
                .isEqualTo(new Shell.Result(
                        2, "", "sallyport: standard input is empty (expected: the value, one line)\n"));
        assertThat(shell.run("secret", "update", "a").code()).isEqualTo(2);
        assertThat(shell.run("secret", "get", "none").code()).isEqualTo(1);
        Shell.Result refused = shell.input("one\ntwo\n").run("secret", "create", "--name", "a", "--env-var", "a");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("secret: ", "env_var: ").doesNotContain("two");
    }

    @Test
    void changesWaitForProxiesWhenAsked() {
        assertThat(shell.run("egress", "set", "warn", "--wait"))
                .isEqualTo(new Shell.Result(0, "warn set, and applied\n", ""));
        assertThat(shell.run("rule", "create", "--host", "a.test", "--name", "r", "--wait")
                        .out())
                .endsWith(" created, and applied\n");
        assertThat(shell.run("rule", "delete", "r", "--wait")).isEqualTo(new Shell.Result(0, "r deleted\n", ""));
        shell.input("v");
        assertThat(shell.run("secret", "create", "--name", "s", "--env-var", "S", "--wait")
                        .out())
                .isEqualTo("s created, and applied\n");
        assertThat(shell.run("secret", "update", "s", "--value", "--wait", "--timeout", "2s")
                        .out())
                .isEqualTo("s updated, and applied\n");
        assertThat(shell.run("secret", "delete", "s", "--wait").code()).isZero();
        assertThat(shell.run("egress", "set", "enforce", "--wait", "--timeout", "31s")
                        .code())
                .isEqualTo(2);
        assertThat(api("/v1/egress/policy").path("mode").asText()).isEqualTo("warn");
    }

    @Test
    void variablesKeysAndProxiesWaitWhenAsked() {
        assertThat(shell.run("env", "set", "A", "one", "--wait").out()).isEqualTo("A set, and applied\n");
        assertThat(shell.run("env", "delete", "A", "--wait")).isEqualTo(new Shell.Result(0, "A deleted\n", ""));
        Shell.Result made = shell.run("key", "create", "--name", "k", "--wait");
        assertThat(made.code()).isZero();
        assertThat(made.err()).endsWith(" (name k, expires never), and applied; its text is not shown again\n");
        assertThat(shell.run("key", "revoke", "k", "--wait").code()).isZero();
        assertThat(shell.run("proxy", "add", "p", "--wait").err()).contains("), and applied; its token");
        assertThat(shell.run("proxy", "remove", "p", "--wait")).isEqualTo(new Shell.Result(0, "p removed\n", ""));
    }

    @Test
    void variablesAreSetShownAndDeleted() {
        assertThat(shell.run("env", "set", "A", "one").out()).isEqualTo("A set\n");
        assertThat(shell.input("line one\nline two").run("env", "set", "B").code())
                .isZero();

        assertThat(shell.run("env", "get", "B").out()).as("no byte more").isEqualTo("line one\nline two");
        assertThat(shell.run("env", "get", "A", "--json").json()).isEqualTo(api("/v1/env/A"));
        assertThat(shell.run("env", "list").out()).contains("A", "B").doesNotContain("one");
        assertThat(shell.run("env", "list", "--json").json()).isEqualTo(api("/v1/env"));
        assertThat(shell.run("env", "delete", "A", "B").out()).isEqualTo("A deleted\nB deleted\n");
        assertThat(shell.run("env", "list").err()).isEqualTo("no environment variables\n");
        assertThat(shell.run("env", "get", "A").code()).isEqualTo(1);
        assertThat(shell.run("env", "set", "1", "v").code()).isEqualTo(1);
    }

    @Test
    void theAuditIsListedWithItsFilters() {
        Shell.Result none = shell.run("audit", "list", "--verdict", "denied", "--allowed", "false", "--host", "a.test");

        assertThat(none).isEqualTo(new Shell.Result(0, "", "no events\n"));
        assertThat(shell.run("audit", "list", "--json").json()).isEqualTo(api("/v1/audit/egress"));
        assertThat(shell.run("audit", "list", "--mode", "off").code()).isEqualTo(1);
        assertThat(shell.run("audit", "list", "--vm", "nope").err()).contains("no VM is called nope");
        assertThat(shell.run("audit", "--follow", "--vm", "nope").err()).contains("no VM is called nope");
        assertThat(shell.run("audit", "list", "--limit", "0").code()).isEqualTo(2);
        assertThat(api("/v1/audit/admin?action=read").path("data").findValuesAsText("resource"))
                .containsOnly("egress_audit")
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void requestsAreCountedByHour() {
        Shell.Result none =
                shell.run("audit", "hours", "--verdict", "denied", "--allowed", "false", "--host", "a.test");

        assertThat(none).isEqualTo(new Shell.Result(0, "", "no counts\n"));
        assertThat(shell.run("audit", "hours", "--json").json()).isEqualTo(api("/v1/audit/egress/hours"));
        assertThat(shell.run("audit", "hours", "--verdict", "maybe").code()).isEqualTo(1);
        assertThat(shell.run("audit", "hours", "--limit", "0").code()).isEqualTo(2);
        assertThat(shell.run("audit", "--host", "a.test", "hours").code()).isEqualTo(2);
    }

    @Test
    void changesAreListedWithWhoMadeThem() {
        shell.run("env", "set", "A", "one");
        shell.run("egress", "set", "warn");

        Shell.Result changes = shell.run("audit", "admin", "--resource", "environment_variable", "-o", "wide");
        assertThat(changes.code()).isZero();
        assertThat(changes.table().getFirst()).isEqualTo("TIME ACTION RESOURCE ID BY FROM");
        assertThat(changes.table().get(1)).matches("\\S+ create environment_variable \\S+ \\S+ 127.0.0.1");
        assertThat(changes.table()).hasSize(2);
        assertThat(shell.run("audit", "admin", "--action", "update", "-o", "name")
                        .out()
                        .lines()
                        .toList())
                .isEqualTo(api("/v1/audit/admin?action=update").path("data").findValuesAsText("id"));
        assertThat(shell.run("audit", "admin", "--json", "--order", "asc").json())
                .isEqualTo(api("/v1/audit/admin?order=asc"));
        assertThat(shell.run("audit", "admin", "--action", "none")).isEqualTo(new Shell.Result(0, "", "no changes\n"));
        assertThat(shell.run("audit", "admin", "--since", "1h", "-o", "wide").table())
                .hasSize(5);
        assertThat(shell.run("audit", "admin", "--until", "1d").err()).isEqualTo("no changes\n");
        Shell.Result none = shell.run("audit", "admin", "--since", "yesterday");
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).contains("--since: \"yesterday\" is not a time (expected: such as 2026-11-29");
        assertThat(shell.run("audit", "admin", "--limit", "0").code()).isEqualTo(2);
        assertThat(shell.run("audit", "--follow", "admin").code()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "egress get",
                "rule list",
                "secret list",
                "env list",
                "audit list",
                "audit hours",
                "audit admin",
                "rule delete x"
            })
    void aKeyThatIsNotValidEndsWith4(String command) {
        shell.with("SALLYPORT_API_KEY", "sp_live_0123456789012345678901234567890123456789012");

        Shell.Result result = shell.run(command.split(" ", -1));

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.out()).isEmpty();
    }
}
