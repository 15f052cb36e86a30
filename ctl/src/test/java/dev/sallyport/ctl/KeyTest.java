package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code key} and its commands. */
class KeyTest {

    private final TestControl control = TestControl.shared();
    private final String key = control.newKey();
    private Shell shell;

    @TempDir
    Path folder;

    @BeforeEach
    void signIn() {
        shell = new Shell(folder).with("SALLYPORT_SERVER", control.url()).with("SALLYPORT_API_KEY", key);
    }

    @Test
    void createPrintsTheKeyAloneToStandardOutput() {
        Shell.Result result = shell.run("key", "create", "--name", "ci");

        assertThat(result.code()).isZero();
        assertThat(result.out()).matches("sp_live_[A-Za-z0-9_-]{43}\n");
        assertThat(result.err())
                .matches("key_[0-9a-z]{26} created \\(name ci, expires never\\); its text is not shown again\n");
        assertThat(control.send("GET", "/v1/me", result.out().strip(), null)
                        .at("/api_key/name")
                        .asText())
                .isEqualTo("ci");
    }

    @Test
    void createWithJsonAnswersTheDocumentOfTheApi() {
        Shell.Result result = shell.run("key", "create", "--name", "ci", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.json().path("token").asText()).startsWith("sp_live_");
        assertThat(result.json().path("name").asText()).isEqualTo("ci");
    }

    @Test
    void aKeyEndsWhenItWasToldTo() {
        JsonNode at = shell.run("key", "create", "--name", "a", "--expires-at", "2099-01-01T00:00:00Z", "--json")
                .json();
        JsonNode in = shell.run("key", "create", "--name", "b", "--expires-in", "90d", "--json")
                .json();

        assertThat(at.path("expires_at").asText()).isEqualTo("2099-01-01T00:00:00.000Z");
        assertThat(Duration.between(
                        Instant.now(), Instant.parse(in.path("expires_at").asText())))
                .isBetween(Duration.ofDays(89), Duration.ofDays(90));
        assertThat(shell.run("key", "list", "--name", "b").table().getLast()).contains(" in 89d ");
    }

    @Test
    void theNameOfAKeyMayBeginLikeAnIdentifier() {
        String id = shell.run("key", "create", "--name", "key_x", "--json")
                .json()
                .path("id")
                .asText();

        assertThat(shell.run("key", "revoke", "key_x").out()).isEqualTo(id + " revoked\n");
    }

    @Test
    void createThatCannotSucceedSendsNothing() {
        assertThat(shell.run("key", "create", "--name", "x", "-o", "name").code())
                .isEqualTo(2);
        assertThat(shell.run("key", "create", "--name", "x", "--expires-in", "soon")
                        .code())
                .isEqualTo(2);
        assertThat(shell.run(
                                "key",
                                "create",
                                "--name",
                                "x",
                                "--expires-in",
                                "1d",
                                "--expires-at",
                                "2099-01-01T00:00:00Z")
                        .code())
                .isEqualTo(2);
        assertThat(shell.run("key", "create").code()).isEqualTo(2);
        assertThat(shell.run("key", "list", "--name", "x", "--json").json().path("data"))
                .isEmpty();
        assertThat(shell.run("key", "create", "--name", "x", "--expires-at", "tomorrow", "--json")
                        .code())
                .isEqualTo(1);
    }

    @Test
    void createWithAKeyOfItsOwnMakesOneKey() {
        String[] command = {"key", "create", "--name", "ci", "--idempotency-key", "build-7"};

        assertThat(shell.run(command).out()).isEqualTo(shell.run(command).out());
        assertThat(shell.run("key", "list", "--name", "ci", "--json").json().path("data"))
                .hasSize(1);
    }

    @Test
    void listShowsATableWithoutKeys() {
        shell.run("key", "create", "--name", "ci");

        Shell.Result result = shell.run("key", "list");

        assertThat(result.code()).isZero();
        assertThat(result.table()).hasSize(3).first().isEqualTo("NAME ID PREFIX EXPIRES AGE");
        assertThat(result.table().get(1)).matches("ci key_[0-9a-z]{26} sp_live_\\S+ never [0-9]+s");
        assertThat(result.out()).doesNotContain(key);
    }

    @Test
    void listWithJsonIsTheDocumentOfTheApi() {
        shell.run("key", "create", "--name", "ci");

        Shell.Result result = shell.run("key", "list", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.json()).isEqualTo(control.send("GET", "/v1/api-keys", key, null));
    }

    @Test
    void listFollowsCursorsToTheEndOrToItsLimit() throws Exception {
        for (int i = 0; i < 204; i++) {
            makeShortLived("n" + i);
        }

        JsonNode all = shell.run("key", "list", "--json").json();
        JsonNode some = shell.run("key", "list", "--json", "--limit", "203").json();
        JsonNode rest = shell.run(
                        "key", "list", "--json", "--cursor", some.path("cursor").asText())
                .json();

        assertThat(all.path("data")).hasSize(205);
        assertThat(all.path("has_more").asBoolean()).isFalse();
        assertThat(all.path("cursor").isNull()).isTrue();
        assertThat(some.path("data")).hasSize(203);
        assertThat(some.path("has_more").asBoolean()).isTrue();
        assertThat(rest.path("data")).hasSize(2);
        assertThat(shell.run("key", "list", "-o", "name", "--limit", "2").out().lines())
                .containsExactly(
                        all.at("/data/0/id").asText(), all.at("/data/1/id").asText());
    }

    /** A key that is soon listed as expired, since no more than 100 may be valid; waits for others to expire. */
    private void makeShortLived(String name) throws InterruptedException {
        for (int attempt = 0; attempt < 200; attempt++) {
            String until = Instant.now().plusMillis(500).toString();
            JsonNode made = control.send(
                    "POST", "/v1/api-keys", key, "{\"name\": \"" + name + "\", \"expires_at\": \"" + until + "\"}");
            if (made.has("id")) {
                return;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("no place for the key " + name);
    }

    @Test
    void listRefusesWhatIsNoLimitOrNoCursor() {
        assertThat(shell.run("key", "list", "--limit", "0").code()).isEqualTo(2);
        assertThat(shell.run("key", "list", "--cursor", "nonsense", "--json").code())
                .isEqualTo(1);
    }

    @Test
    void revokeTakesIdentifiersAndNamesThatOneKeyHas() {
        String first = shell.run("key", "create", "--name", "ci", "--json")
                .json()
                .path("id")
                .asText();
        String made = shell.run("key", "create", "--name", "other").out().strip();

        Shell.Result result = shell.run("key", "revoke", first, "other");

        assertThat(result.code()).isZero();
        assertThat(result.out()).matches(first + " revoked\nkey_[0-9a-z]{26} revoked\n");
        assertThat(control.send("GET", "/v1/me", made, null).at("/error/code").asText())
                .isEqualTo("unauthorized");
    }

    @Test
    void revokeWithJsonPrintsNothingSinceTheApiAnswersNothing() {
        shell.run("key", "create", "--name", "ci");

        assertThat(shell.run("key", "revoke", "ci", "--json")).isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void revokeOfWhatIsNotThereOrNotOneKeyEndsWith1() {
        shell.run("key", "create", "--name", "twice");
        shell.run("key", "create", "--name", "twice");

        assertThat(shell.run("key", "revoke", "twice").err()).startsWith("sallyport: several keys are called twice ");
        assertThat(shell.run("key", "revoke", "twice").code()).isEqualTo(1);
        assertThat(shell.run("key", "revoke", "none").code()).isEqualTo(1);
        assertThat(shell.run("key", "revoke", "key_00000000000000000000000000", "--json")
                        .err())
                .startsWith("sallyport: refused with 404 api_key_not_found: ");
        assertThat(shell.run("key", "revoke", "none", "key_00000000000000000000000000", "--ignore-not-found"))
                .isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void aKeyThatIsNotValidEndsWith4() {
        shell.with("SALLYPORT_API_KEY", "sp_live_0123456789012345678901234567890123456789012");

        for (String[] command : new String[][] {
            {"key", "list"},
            {"key", "list", "--json"},
            {"key", "create", "--name", "x"},
            {"key", "revoke", "key_1"},
            {"policy", "list", "--kind", "mcp", "--json"},
            {"policy", "get", "mcp/x"},
            {"policy", "delete", "mcp/x"},
            {"whoami"}
        }) {
            Shell.Result result = shell.run(command);

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.out()).isEmpty();
            assertThat(result.err())
                    .startsWith("sallyport: not signed in at " + control.url())
                    .doesNotContain("sp_live_0");
        }
    }
}
