package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/secrets}. */
class SecretsTest extends SecretSuite {

    private List<String> names(String query) {
        return api.get(PATH + query).data().findValuesAsText("name");
    }

    @Test
    void plaintextIsAllowedWhereItIsSaid() {
        JsonNode secret = made(body("plain", "PLAIN"));
        assertThat(secret.path("allow_plaintext").asBoolean(true)).isFalse();

        assertThat(api.patch(path(secret), "{\"allow_plaintext\": true}")
                        .json()
                        .path("allow_plaintext")
                        .asBoolean())
                .isTrue();
        assertThat(api.patch(path(secret), "{\"comment\": \"c\"}")
                        .json()
                        .path("allow_plaintext")
                        .asBoolean())
                .isTrue();
        assertThat(api.get(path(secret)).json().path("allow_plaintext").asBoolean())
                .isTrue();
        assertThat(api.patch(path(secret), "{\"allow_plaintext\": 1}").fields()).containsExactly("allow_plaintext");
    }

    @Test
    void aSecretIsReturnedWithItsPlaceholderAndWithoutItsValue() {
        JsonNode secret = made(body("git-hub_1", "GITHUB_TOKEN"));

        assertThat(secret.propertyStream().map(Map.Entry::getKey))
                .containsExactly(
                        "id",
                        "name",
                        "env_var",
                        "hosts",
                        "proxy_value",
                        "comment",
                        "allow_plaintext",
                        "created_at",
                        "updated_at");
        assertThat(secret.path("id").asText()).matches("sec_[0-9a-z]{26}");
        assertThat(secret.path("proxy_value").asText()).isEqualTo("SALLYPORT_PROXY_git-hub_1");
        assertThat(secret.path("hosts")).isEqualTo(Api.tree("[\"*\"]"));
        assertThat(secret.path("comment").isNull()).isTrue();
        assertThat(secret.path("updated_at")).isEqualTo(secret.path("created_at"));
        assertThat(api.get(path(secret)).json()).isEqualTo(secret);
        assertThat(api.get(PATH).data()).containsExactly(secret);
    }

    /** docs/spec/decisions.md, section 16: {@code ?wait=applied} on changes. */
    @Test
    void aChangeWaitsUntilProxiesHaveAppliedIt() {
        Api.Reply made = api.post(PATH + "?wait=applied", body("a", "A"));
        String secret = path(made.json());

        assertThat(made.header("Sallyport-Applied")).isEqualTo("true");
        assertThat(api.send("PATCH", secret + "?wait=never", "{}").fields()).containsExactly("wait");
        assertThat(api.send("PATCH", secret + "x?wait=never", "{}").error()).isEqualTo("404 secret_not_found");
        assertThat(api.send("PATCH", secret + "?wait=applied", "{\"secret\": \"another\"}")
                        .header("Sallyport-Applied"))
                .isEqualTo("true");
        assertThat(api.delete(secret + "x?wait=never").error()).isEqualTo("404 secret_not_found");
        assertThat(api.delete(secret + "?wait=applied").header("Sallyport-Applied"))
                .isEqualTo("true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "secret", "env_var"})
    void requiredFieldsAreRequired(String field) {
        ObjectNode body = (ObjectNode) Api.tree(body("a", "A"));

        assertThat(api.post(PATH, body.without(field).toString()).fields()).containsExactly(field);
        assertThat(api.post(PATH, with(field, "null")).fields()).containsExactly(field);
        assertThat(api.post(PATH, with(field, "1")).fields()).containsExactly(field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a.b", "ä", "a\\n"})
    void malformedNamesAre422(String name) {
        assertThat(api.post(PATH, with("name", "\"" + name + "\"")).fields()).containsExactly("name");
    }

    @Test
    void aNameHas64CharactersAtMost() {
        assertThat(api.post(PATH, with("name", "\"" + "n".repeat(65) + "\"")).fields())
                .containsExactly("name");
        made(with("name", "\"" + "n".repeat(64) + "\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "_A", "1A", "A-B", "A B", "Ä"})
    void malformedVariablesAre422(String variable) {
        assertThat(api.post(PATH, with("env_var", "\"" + variable + "\"")).fields())
                .containsExactly("env_var");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UID",
                "EUID",
                "PPID",
                "SHELLOPTS",
                "BASHOPTS",
                "BASH_VERSINFO",
                "PATH",
                "HOME",
                "SHELL",
                "IFS",
                "ENV",
                "BASH_ENV",
                "LD_PRELOAD",
                "LD_LIBRARY_PATH",
                "LD_AUDIT"
            })
    void variablesWithoutWhichGuestsDoNotWorkAre422(String variable) {
        String secret = path(made(body("a", "A")));

        assertThat(api.post(PATH, body("b", variable)).fields()).containsExactly("env_var");
        assertThat(api.patch(secret, "{\"env_var\": \"" + variable + "\"}").fields())
                .containsExactly("env_var");
        assertThat(api.get(secret).json().path("env_var").asText()).isEqualTo("A");
    }

    @Test
    void variablesThatOnlyBeginAsThoseAreAccepted() {
        made(body("a", "PATH_1"));
        made(body("b", "LDAP_PASSWORD"));
    }

    /** It may be older than the rule. */
    @Test
    void aStoredVariableWithoutWhichGuestsDoNotWorkStaysUntilAnotherIsGiven() throws Exception {
        JsonNode made = made(body("a", "A"));
        control.execute("update secret set env_var = 'PATH' where id = '"
                + made.path("id").asText() + "'");
        JsonNode stored = api.get(path(made)).json();

        assertThat(stored.path("env_var").asText()).isEqualTo("PATH");
        assertThat(api.patch(path(made), stored.toString()).status()).isEqualTo(200);
        assertThat(api.patch(path(made), "{\"comment\": \"c\"}").status()).isEqualTo(200);
        assertThat(api.patch(path(made), "{\"env_var\": \"HOME\"}").fields()).containsExactly("env_var");
        assertThat(api.patch(path(made), "{\"env_var\": \"B\"}").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\\nb", "a\\rb", "a\\u0000b", "a\\u0001b", "a\\u007f"})
    void valuesThatNoHeaderFieldCanHoldAre422(String value) {
        Api.Reply reply = api.post(PATH, with("secret", "\"" + value + "\""));

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly("secret");
    }

    @Test
    void aValueHas64KiBAtMost() {
        assertThat(api.post(PATH, with("secret", "\"" + "s".repeat(65_537) + "\""))
                        .fields())
                .containsExactly("secret");
        assertThat(api.post(PATH, with("secret", "\"" + "ä".repeat(32_769) + "\""))
                        .fields())
                .containsExactly("secret");
        made(with("secret", "\"" + "ä".repeat(32_768) + "\""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://a.test",
                "a.test:443",
                "[::1]:443",
                "a.*.test",
                "*a.test",
                "*.*.test",
                "**",
                "?.test",
                "*.",
                "*.10.0.0.1",
                "",
                "a..test",
                "a.test/x"
            })
    void malformedHostsAre422(String host) {
        assertThat(api.post(PATH, with("hosts", "[\"ok.test\", \"" + host + "\"]"))
                        .fields())
                .containsExactly("hosts[1]");
    }

    @Test
    void noHostsAreNoHosts() {
        assertThat(api.post(PATH, with("hosts", "[]")).fields()).containsExactly("hosts");
    }

    @Test
    void hostsAddressesAndPatternsAreKeptAsTheyAre() {
        String hosts = "[\"Api.Example.com\",\"*.example.com\",\"localhost\",\"127.0.0.1\",\"::1\",\"[::1]\",\"*\"]";

        assertThat(made(with("hosts", hosts)).path("hosts")).isEqualTo(Api.tree(hosts));
    }

    @Test
    void allProblemsAreToldAtOnce() {
        Api.Reply reply = api.post(
                PATH,
                "{\"name\": \"a b\", \"secret\": \"\", \"env_var\": \"a\", \"hosts\": [\"a:1\"], \"comment\": 1, \"x\": 2}");

        assertThat(reply.fields()).containsExactlyInAnyOrder("name", "secret", "env_var", "hosts[0]", "comment", "x");
    }

    @Test
    void namesAndVariablesAreUniqueInTheAccountTheNameFirst() {
        JsonNode secret = made(body("a", "A"));

        assertThat(api.post(PATH, body("a", "A")).error()).isEqualTo("409 secret_name_taken");
        assertThat(api.post(PATH, body("a", "B")).error()).isEqualTo("409 secret_name_taken");
        assertThat(api.post(PATH, body("b", "A")).error()).isEqualTo("409 env_var_taken");
        assertThat(control.newAccount().post(PATH, body("a", "A")).status()).isEqualTo(201);
        assertThat(api.delete(path(secret)).status()).isEqualTo(204);
        made(body("a", "A"));
    }

    @Test
    void patchChangesWhatIsGivenAndNothingElse() {
        JsonNode secret = made(with("comment", "\"c\""));

        JsonNode rotated =
                api.patch(path(secret), "{\"secret\": \"new-value\"}").json();
        JsonNode moved = api.patch(path(secret), "{\"env_var\": \"B\", \"hosts\": [\"a.test\"]}")
                .json();

        assertThat(((ObjectNode) rotated.deepCopy()).<JsonNode>without("updated_at"))
                .isEqualTo(((ObjectNode) secret.deepCopy()).<JsonNode>without("updated_at"));
        assertThat(rotated.path("updated_at").asText())
                .isGreaterThan(secret.path("updated_at").asText());
        assertThat(moved.path("env_var").asText()).isEqualTo("B");
        assertThat(moved.path("hosts")).isEqualTo(Api.tree("[\"a.test\"]"));
        assertThat(moved.path("comment").asText()).isEqualTo("c");
        assertThat(moved.path("proxy_value")).isEqualTo(secret.path("proxy_value"));
    }

    @Test
    void nullTakesTheCommentAwayAndLeavesOtherFields() {
        JsonNode secret = made(with("comment", "\"c\""));

        JsonNode changed = api.patch(
                        path(secret), "{\"comment\": null, \"secret\": null, \"env_var\": null, \"hosts\": null}")
                .json();

        assertThat(changed.path("comment").isNull()).isTrue();
        assertThat(changed.path("env_var")).isEqualTo(secret.path("env_var"));
        assertThat(changed.path("hosts")).isEqualTo(secret.path("hosts"));
    }

    @Test
    void theNameCannotChange() {
        JsonNode secret = made(body("a", "A"));

        Api.Reply reply = api.patch(path(secret), "{\"name\": \"b\", \"env_var\": \"b\"}");

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactlyInAnyOrder("name", "env_var");
        assertThat(api.patch(path(secret), "{\"name\": \"a\"}").status()).isEqualTo(200);
    }

    @Test
    void updatedAtAdvancesUnlessThePatchIsEmpty() {
        JsonNode secret = made(body("a", "A"));

        Api.Reply empty = api.patch(path(secret), "{}");
        JsonNode first = api.patch(path(secret), "{\"name\": \"a\"}").json();
        JsonNode second = api.patch(path(secret), "{\"env_var\": \"A\"}").json();

        assertThat(empty.json()).isEqualTo(secret);
        assertThat(first.path("updated_at").asText())
                .isGreaterThan(secret.path("updated_at").asText());
        assertThat(second.path("updated_at").asText())
                .isGreaterThan(first.path("updated_at").asText());
        assertThat(api.get("/v1/audit/admin?resource=secret&action=update").data())
                .hasSize(2);
    }

    @Test
    void patchIsCheckedAsCreateIs() {
        JsonNode secret = made(body("a", "A"));
        made(body("b", "B"));

        assertThat(api.patch(path(secret), "{\"secret\": \"a\\nb\", \"hosts\": [], \"id\": 1, \"x\": 1}")
                        .fields())
                .containsExactlyInAnyOrder("secret", "hosts", "x");
        assertThat(api.patch(path(secret), "{\"env_var\": \"B\"}").error()).isEqualTo("409 env_var_taken");
        assertThat(api.patch(path(secret), "[]").error()).isEqualTo("422 validation_error");
        assertThat(api.patch(path(secret), "{").error()).isEqualTo("400 bad_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sec_00000000000000000000000000", "sec_x", "x"})
    void anUnknownSecretIs404(String id) {
        assertThat(api.get(PATH + "/" + id).error()).isEqualTo("404 secret_not_found");
        assertThat(api.patch(PATH + "/" + id, "{\"x\": 1}").error()).isEqualTo("404 secret_not_found");
        assertThat(api.patch(PATH + "/" + id, "{}").error()).isEqualTo("404 secret_not_found");
        assertThat(api.delete(PATH + "/" + id).error()).isEqualTo("404 secret_not_found");
    }

    @Test
    void theListIsSortedByTimeOrByNameAndPaged() {
        made(body("b", "B"));
        made(body("C", "C"));
        made(body("a-", "A1"));
        made(body("a_", "A2"));

        assertThat(names("")).containsExactly("a_", "a-", "C", "b");
        assertThat(names("?sort=name&order=asc")).containsExactly("C", "a-", "a_", "b");
        assertThat(names("?name=C")).containsExactly("C");
        assertThat(names("?name=c")).isEmpty();
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = api.get(PATH + "?sort=name&limit=1" + cursor).json();
            seen.addAll(page.path("data").findValuesAsText("name"));
            cursor = page.path("cursor").isNull()
                    ? ""
                    : "&cursor=" + page.path("cursor").asText();
        } while (!cursor.isEmpty());
        assertThat(seen).containsExactly("b", "a_", "a-", "C");
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=0", "limit=201", "order=up", "sort=env_var", "cursor=x"})
    void badParametersAre422(String query) {
        assertThat(api.get(PATH + "?" + query).error()).isEqualTo("422 validation_error");
    }

    @Test
    void theAdministrativeRecordShowsThatAValueWasReplacedAndNotWhich() {
        JsonNode secret = made(body("a", "A"));
        api.patch(path(secret), "{\"secret\": \"another-s3cr3t\"}");
        api.delete(path(secret));

        Api.Reply reply = api.get("/v1/audit/admin?resource=secret&order=asc");

        assertThat(reply.data().findValuesAsText("action")).containsExactly("create", "update", "delete");
        long before = reply.data().at("/1/before/value_version").asLong();
        assertThat(before).isPositive();
        assertThat(reply.data().at("/1/after/value_version").asLong())
                .as("no count, which would repeat after a restore")
                .isPositive()
                .isNotIn(before, before + 1);
        assertThat(reply.text()).doesNotContain("s3cr3t");
    }

    @Test
    void valuesStandNowhereInClear() throws IOException {
        try (TestControl own = TestControl.with(TestControl.NO_LIMITS);
                LogCapture log = LogCapture.open()) {
            Api client = own.newAccount();
            String secret = client.withHeader("Idempotency-Key", "k")
                    .post(PATH, body("a", "A").replace("s3cr3t-value", "MARK-of-the-secret"))
                    .json()
                    .path("id")
                    .asText();
            client.patch(PATH + "/" + secret, "{\"secret\": \"MARK-of-the-next\"}");
            client.patch(PATH + "/" + secret, "{\"secret\": \"MARK-of-a-bad\\none\"}");
            client.put("/v1/env/PLAIN", "{\"value\": \"MARK-of-a-variable\"}");

            assertThat(client.get("/v1/audit/admin").text()).doesNotContain("MARK");
            assertThat(client.get(PATH).text()).doesNotContain("MARK");
            assertThat(log.text()).doesNotContain("MARK");
            try (Stream<Path> files = Files.walk(own.folder())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                            .as(file.toString())
                            .doesNotContain("MARK");
                }
            }
        }
    }

    @Test
    void aChangeWaitsForProxiesWhenAsked() {
        String secrets = "/v1/secrets";
        Api.Reply made = api.post(
                secrets + "?wait=applied&timeout=1s", "{\"name\": \"w\", \"secret\": \"s\", \"env_var\": \"W\"}");
        String secret = secrets + "/" + made.json().path("id").asText();

        assertThat(made.header("Sallyport-Applied")).isEqualTo("true");
        assertThat(api.patch(secret + "?wait=applied", "{\"comment\": \"c\"}").header("Sallyport-Applied"))
                .isEqualTo("true");
        assertThat(api.patch(secret + "?wait=never", "{}").fields()).containsExactly("wait");
        assertThat(api.delete(secrets + "/x?wait=never").error()).isEqualTo("404 secret_not_found");
        assertThat(api.delete(secret + "?wait=applied").header("Sallyport-Applied"))
                .isEqualTo("true");
    }
}
