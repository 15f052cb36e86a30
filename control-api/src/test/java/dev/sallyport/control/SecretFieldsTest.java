package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Fields of {@code /v1/secrets} one by one, in the order of checks, and what sandboxes get of them. */
class SecretFieldsTest extends SecretSuite {

    @Test
    void aCommentHas1024CharactersAtMost() {
        String longest = "\"" + "ä".repeat(1024) + "\"";
        String longer = "\"" + "c".repeat(1025) + "\"";

        assertThat(api.post(PATH, with("comment", longer)).fields()).containsExactly("comment");
        JsonNode secret = made(with("comment", longest));
        assertThat(secret.path("comment")).isEqualTo(Api.tree(longest));
        assertThat(api.patch(path(secret), "{\"comment\": " + longer + "}").fields())
                .containsExactly("comment");
    }

    @Test
    void hostsAndACommentThatAreNullAreAbsent() {
        assertThat(made(with("hosts", "null")).path("hosts")).isEqualTo(Api.tree("[\"*\"]"));
        assertThat(made(body("b", "B").replace("}", ", \"comment\": null}"))
                        .path("comment")
                        .isNull())
                .isTrue();
    }

    @Test
    void hostsOfAPatchReplaceThoseOfBefore() {
        JsonNode secret = made(with("hosts", "[\"a.test\", \"b.test\"]"));

        assertThat(api.patch(path(secret), "{\"hosts\": [\"c.test\"]}").json().path("hosts"))
                .isEqualTo(Api.tree("[\"c.test\"]"));
    }

    @Test
    void whatTheServerOwnsIsIgnored() {
        JsonNode secret = made(
                body("a", "A")
                        .replace(
                                "}",
                                ", \"id\": \"sec_x\", \"proxy_value\": \"mine\", \"created_at\": \"then\", \"updated_at\": 1}"));

        assertThat(secret.path("id").asText()).matches("sec_[0-9a-z]{26}");
        assertThat(secret.path("proxy_value").asText()).isEqualTo("SALLYPORT_PROXY_a");
        assertThat(secret.path("created_at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(api.patch(path(secret), "{\"proxy_value\": \"mine\", \"id\": \"sec_y\"}")
                        .json()
                        .path("proxy_value"))
                .isEqualTo(secret.path("proxy_value"));
    }

    @Test
    void namesDifferInCase() {
        made(body("a", "A"));

        assertThat(made(body("A", "B")).path("proxy_value").asText()).isEqualTo("SALLYPORT_PROXY_A");
    }

    @Test
    void aVariableIsFreeAgainWhenItsSecretHasAnother() {
        JsonNode secret = made(body("a", "A"));
        assertThat(api.patch(path(secret), "{\"env_var\": \"B\"}").status()).isEqualTo(200);

        made(body("b", "A"));

        assertThat(api.patch(path(secret), "{\"env_var\": \"A\"}").error()).isEqualTo("409 env_var_taken");
    }

    @Test
    void aProblemIsToldBeforeAConflict() {
        made(body("a", "A"));
        JsonNode other = made(body("b", "B"));

        assertThat(api.post(PATH, with("hosts", "[]")).error()).isEqualTo("422 validation_error");
        assertThat(api.patch(path(other), "{\"env_var\": \"A\", \"hosts\": []}").error())
                .isEqualTo("422 validation_error");
    }

    @Test
    void aSecretIsMadeOnceForAnIdempotencyKey() {
        Api keyed = api.withHeader("Idempotency-Key", "k");
        String first = keyed.post(PATH, body("a", "A")).text();

        Api.Reply again = keyed.post(PATH, body("a", "A"));

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text()).isEqualTo(first);
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(api.get(PATH).data()).hasSize(1);
    }

    private Map<String, String> environmentOfANewSandbox(String name) {
        return control.sandboxes()
                .spec(Sandbox.ready(api, name).driverId())
                .orElseThrow()
                .guest()
                .environment();
    }

    /** docs/spec/resource-api.md, section "Secret proxying rules", rules 2 and 7. */
    @Test
    void sandboxesGetThePlaceholdersOfTheSecretsThatThereAreWhenTheyAreMade() {
        JsonNode kept = made(body("kept", "KEPT"));
        JsonNode deleted = made(body("deleted", "DELETED"));
        assertThat(environmentOfANewSandbox("before"))
                .isEqualTo(Map.of("KEPT", "SALLYPORT_PROXY_kept", "DELETED", "SALLYPORT_PROXY_deleted"));

        api.patch(path(kept), "{\"secret\": \"another\", \"env_var\": \"OTHER\"}");
        api.delete(path(deleted));

        assertThat(environmentOfANewSandbox("after")).isEqualTo(Map.of("OTHER", "SALLYPORT_PROXY_kept"));
    }
}
