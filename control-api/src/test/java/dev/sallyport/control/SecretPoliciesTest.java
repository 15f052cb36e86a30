package dev.sallyport.control;

import static dev.sallyport.control.SecretBodies.INJECT;
import static dev.sallyport.control.SecretBodies.REPLACE;
import static dev.sallyport.control.SecretBodies.inject;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/policies/secrets}, row by row. */
class SecretPoliciesTest {

    private static final String PATH = "/v1/policies/secrets";

    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    @Test
    void createAnswers201WithThePolicyInData() {
        Api.Reply reply = api.post(PATH, INJECT);

        assertThat(reply.status()).isEqualTo(201);
        JsonNode policy = reply.data();
        assertThat(policy.path("id").asText()).matches("spol_[0-9a-z]{26}");
        assertThat(policy.path("name").asText()).isEqualTo("github");
        assertThat(policy.path("active").asBoolean()).isTrue();
        assertThat(policy.path("priority").asInt()).isEqualTo(10);
        assertThat(policy.path("match_tags")).isEmpty();
        assertThat(policy.path("mode").asText()).isEqualTo("inject");
        assertThat(policy.path("rules").isArray()).isTrue();
        assertThat(policy.path("source")).isEqualTo(Api.tree("{\"type\": \"env\", \"var\": \"GITHUB_TOKEN\"}"));
        assertThat(policy.path("inject_config"))
                .isEqualTo(Api.tree("{\"header\": \"Authorization\", \"formatter\": \"Bearer {{.Value}}\"}"));
        assertThat(policy.has("replace_config")).isFalse();
        assertThat(policy.path("created_at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(policy.path("updated_at")).isEqualTo(policy.path("created_at"));
        assertThat(Long.parseLong(reply.header("Sallyport-Revision"))).isPositive();
    }

    @Test
    void getAnswers200WithTheSameInData() {
        JsonNode made = api.post(PATH, REPLACE).data();

        Api.Reply reply = api.get(PATH + "/" + made.path("id").asText());

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.data()).isEqualTo(made);
        assertThat(made.path("source").path("type").asText()).isEqualTo("env");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"spol_00000000000000000000000000", "spol_x", "mpol_00000000000000000000000000", "%00", "a%2Fb"})
    void retrieveOfAnUnknownPolicyIs404(String id) {
        assertThat(api.get(PATH + "/" + id).error()).isEqualTo("404 secret_policy_not_found");
    }

    @Test
    void updateAndDeleteOfAnUnknownPolicyAre404() {
        String unknown = PATH + "/spol_00000000000000000000000000";
        assertThat(api.put(unknown, INJECT).error()).isEqualTo("404 secret_policy_not_found");
        assertThat(api.put(unknown, "{}").error()).isEqualTo("404 secret_policy_not_found");
        assertThat(api.put(unknown, "{").error()).isEqualTo("400 bad_request");
        assertThat(api.delete(unknown).error()).isEqualTo("404 secret_policy_not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "priority", "mode", "source"})
    void requiredFieldsAreRequired(String field) {
        ObjectNode body = (ObjectNode) Api.tree(INJECT);
        body.remove(field);

        Api.Reply reply = api.post(PATH, body.toString());

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a-b", "a1-2-b3", "0"})
    void namesAreGroupsJoinedByHyphens(String name) {
        assertThat(api.post(PATH, inject("/name", "\"" + name + "\"")).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "a_b", "-a", "a-", "a--b", "a b", "ä", "a\\n"})
    void otherNamesAre422(String name) {
        assertThat(api.post(PATH, inject("/name", "\"" + name + "\"")).fields()).containsExactly("name");
    }

    @Test
    void aNameHas64CharactersAtMost() {
        assertThat(api.post(PATH, inject("/name", "\"" + "a".repeat(64) + "\"")).status())
                .isEqualTo(201);
        assertThat(api.post(PATH, inject("/name", "\"" + "a".repeat(65) + "\"")).fields())
                .containsExactly("name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-2147483648", "0", "2147483647"})
    void priorityIsASigned32BitInteger(String priority) {
        assertThat(api.post(PATH, inject("/priority", priority)).data().path("priority"))
                .isEqualTo(Api.tree(priority));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "-2147483649", "1.5", "\"1\"", "true", "1e400"})
    void otherPrioritiesAre422(String priority) {
        assertThat(api.post(PATH, inject("/priority", priority)).fields()).containsExactly("priority");
    }

    @Test
    void activeIsStoredAsSent() {
        assertThat(api.post(PATH, inject("/active", "false"))
                        .data()
                        .path("active")
                        .asBoolean(true))
                .isFalse();
    }

    @Test
    void matchTagsAreKeptInOrder() {
        assertThat(api.post(PATH, inject("/match_tags", "[\"b\", \"a\", \"env:prod\"]"))
                        .data()
                        .path("match_tags"))
                .isEqualTo(Api.tree("[\"b\", \"a\", \"env:prod\"]"));
        assertThat(api.post(PATH, inject("/match_tags", "[\"\", 1, \"ok\", \"" + "x".repeat(65) + "\"]"))
                        .fields())
                .containsExactlyInAnyOrder("match_tags[0]", "match_tags[1]", "match_tags[3]");
    }

    @Test
    void anUnknownModeIs422() {
        assertThat(api.post(PATH, inject("/mode", "\"swap\"")).fields()).containsExactly("mode");
    }

    @Test
    void aModeWithoutItsBlockIs422() {
        assertThat(api.post(PATH, inject("/inject_config", "null")).fields()).containsExactly("inject_config");
        assertThat(api.post(PATH, inject("/mode", "\"replace\"")).fields()).containsExactly("replace_config");
    }

    @Test
    void theBlockOfTheOtherModeIsClearedUnread() {
        Api.Reply reply = api.post(PATH, inject("/replace_config", "{\"nonsense\": [1, 2]}"));

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.data().has("replace_config")).isFalse();
        assertThat(reply.data().has("inject_config")).isTrue();
    }

    @Test
    void putSwitchesTheModeAndClearsTheOtherBlock() {
        JsonNode made = api.post(PATH, INJECT).data();
        ObjectNode body = made.deepCopy();
        body.put("mode", "replace");
        body.set("replace_config", Api.tree("{\"proxy_value\": \"x\"}"));

        Api.Reply reply = api.put(PATH + "/" + made.path("id").asText(), body.toString());

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.data().path("mode").asText()).isEqualTo("replace");
        assertThat(reply.data().has("inject_config")).isFalse();
        assertThat(reply.data().path("replace_config").path("proxy_value").asText())
                .isEqualTo("x");
    }

    /** Of both blocks, the one that does not match the mode is cleared, unread; on PUT too. */
    @Test
    void theInjectBlockIsClearedUnderReplaceAndTheOtherWhenTheModeGoesBack() {
        ObjectNode both = (ObjectNode) Api.tree(REPLACE);
        both.set("inject_config", Api.tree("{\"nonsense\": [1, 2]}"));
        ObjectNode back = (ObjectNode) Api.tree(INJECT);
        back.set("replace_config", Api.tree("7"));

        JsonNode made = api.post(PATH, both.toString()).data();
        String path = PATH + "/" + made.path("id").asText();
        Api.Reply reply = api.put(path, back.toString());

        assertThat(made.path("mode").asText()).isEqualTo("replace");
        assertThat(made.has("inject_config")).isFalse();
        assertThat(made.has("replace_config")).isTrue();
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.data().path("mode").asText()).isEqualTo("inject");
        assertThat(reply.data().has("replace_config")).isFalse();
        assertThat(api.get(path).data()).isEqualTo(reply.data());
    }

    /** PUT has the same fields as create: nothing is taken over from before. */
    @ParameterizedTest
    @ValueSource(strings = {"name", "priority", "mode", "source", "inject_config"})
    void whatCreateRequiresAPutRequiresToo(String field) {
        JsonNode made = api.post(PATH, INJECT).data();
        String path = PATH + "/" + made.path("id").asText();
        ObjectNode body = made.deepCopy();
        body.remove(field);

        Api.Reply reply = api.put(path, body.toString());

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
        assertThat(api.get(path).data()).isEqualTo(made);
    }

    @Test
    void createIgnoresWhatTheServerOwns() {
        ObjectNode body = (ObjectNode) Api.tree(INJECT);
        body.put("id", "spol_mine").put("created_at", "never").put("updated_at", 7);

        JsonNode made = api.post(PATH, body.toString()).data();

        assertThat(made.path("id").asText()).matches("spol_[0-9a-z]{26}");
        assertThat(made.path("created_at").asText()).endsWith("Z");
        assertThat(made.path("updated_at")).isEqualTo(made.path("created_at"));
    }

    @Test
    void putIsAWholeRepresentationAndIgnoresWhatTheServerOwns() {
        ObjectNode body = (ObjectNode) Api.tree(INJECT);
        body.put("active", false);
        body.set("match_tags", Api.tree("[\"a\"]"));
        JsonNode made = api.post(PATH, body.toString()).data();
        ObjectNode other = (ObjectNode) Api.tree(INJECT);
        other.put("id", "spol_mine").put("created_at", "never").put("updated_at", 7);

        JsonNode changed =
                api.put(PATH + "/" + made.path("id").asText(), other.toString()).data();

        assertThat(changed.path("id")).isEqualTo(made.path("id"));
        assertThat(changed.path("created_at")).isEqualTo(made.path("created_at"));
        assertThat(changed.path("active").asBoolean()).isTrue();
        assertThat(changed.path("match_tags")).isEmpty();
    }

    @Test
    void updatedAtAdvancesWithEveryPutAlsoOneThatChangesNothing() {
        JsonNode made = api.post(PATH, INJECT).data();
        String path = PATH + "/" + made.path("id").asText();

        String first = api.put(path, INJECT).data().path("updated_at").asText();
        String second = api.put(path, INJECT).data().path("updated_at").asText();

        assertThat(first).isGreaterThan(made.path("updated_at").asText());
        assertThat(second).isGreaterThan(first);
    }

    @Test
    void deleteIs204AndThePolicyIsGone() {
        String path = PATH + "/" + api.post(PATH, INJECT).data().path("id").asText();

        Api.Reply reply = api.delete(path);

        assertThat(reply.status()).isEqualTo(204);
        assertThat(reply.text()).isEmpty();
        assertThat(api.get(path).error()).isEqualTo("404 secret_policy_not_found");
        assertThat(api.delete(path).error()).isEqualTo("404 secret_policy_not_found");
    }

    @Test
    void namesAreUniquePerOrganizationAndKindAndFreeAfterDelete() {
        String id = api.post(PATH, INJECT).data().path("id").asText();

        assertThat(api.post(PATH, INJECT).error()).isEqualTo("409 secret_policy_name_taken");
        assertThat(TestControl.shared().newAccount().post(PATH, INJECT).status())
                .isEqualTo(201);
        assertThat(api.post("/v1/policies/network", "{\"name\": \"github\", \"priority\": 1}")
                        .status())
                .isEqualTo(201);
        api.delete(PATH + "/" + id);
        assertThat(api.post(PATH, INJECT).status()).isEqualTo(201);
    }

    @Test
    void renamingToATakenNameIs409AndToItsOwnIsNot() {
        api.post(PATH, INJECT);
        String path = PATH + "/" + api.post(PATH, REPLACE).data().path("id").asText();

        assertThat(api.put(path, INJECT).error()).isEqualTo("409 secret_policy_name_taken");
        assertThat(api.put(path, REPLACE).status()).isEqualTo(200);
        assertThat(api.put(path, inject("/name", "\"other\""))
                        .data()
                        .path("name")
                        .asText())
                .isEqualTo("other");
    }

    @Test
    void aPolicyOfMoreThan1MiBIs422() {
        String tag = "\"" + "ä".repeat(60) + "\"";
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < 900; i++) {
            rules.append(i == 0 ? "" : ",")
                    .append("{\"host\": \"a.test\", \"paths\": [\"/" + "x".repeat(1200) + "\"]}");
        }
        assertThat(api.post(PATH, inject("/rules", "[" + rules + "]")).error()).isEqualTo("422 validation_error");
        assertThat(api.post(PATH, inject("/match_tags", "[" + tag + "]")).status())
                .isEqualTo(201);
    }

    @Test
    void listsAreOrderedByPriorityThenAgeAndFiltered() {
        post("c", 5, true);
        post("a", -1, true);
        post("b", 5, false);
        TestControl.shared().newAccount().post(PATH, INJECT);

        Api.Reply all = api.get(PATH);

        assertThat(all.json().path("has_more").asBoolean(true)).isFalse();
        assertThat(all.json().path("cursor").isNull()).isTrue();
        assertThat(names(all)).containsExactly("a", "c", "b");
        assertThat(names(api.get(PATH + "?name=c"))).containsExactly("c");
        assertThat(names(api.get(PATH + "?name=C"))).isEmpty();
        assertThat(names(api.get(PATH + "?active=true"))).containsExactly("a", "c");
        assertThat(names(api.get(PATH + "?active=false"))).containsExactly("b");
        assertThat(names(api.get(PATH + "?active=false&name=a"))).isEmpty();
    }

    private void post(String name, int priority, boolean active) {
        ObjectNode body = (ObjectNode) Api.tree(INJECT);
        body.put("name", name).put("priority", priority).put("active", active);
        assertThat(api.post(PATH, body.toString()).status()).isEqualTo(201);
    }

    private static List<String> names(Api.Reply reply) {
        return StreamSupport.stream(reply.data().spliterator(), false)
                .map(policy -> policy.path("name").asText())
                .toList();
    }

    @Test
    void putActivatesAndDeactivates() {
        String path = PATH + "/" + api.post(PATH, INJECT).data().path("id").asText();

        assertThat(api.put(path, inject("/active", "false"))
                        .data()
                        .path("active")
                        .asBoolean(true))
                .isFalse();
        assertThat(api.put(path, inject("/active", "true"))
                        .data()
                        .path("active")
                        .asBoolean())
                .isTrue();
    }
}
