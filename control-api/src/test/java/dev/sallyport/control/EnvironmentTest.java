package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/env}. */
class EnvironmentTest {

    private static final String PATH = "/v1/env";

    private final TestControl control = TestControl.shared();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    private JsonNode put(String key, String value) {
        Api.Reply reply = api.put(PATH + "/" + key, "{\"value\": \"" + value + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    @Test
    void putMakesAVariableAndReplacesItsValue() {
        JsonNode made = put("PATH_1", "one");
        JsonNode changed = put("PATH_1", "two");

        assertThat(made.propertyStream().map(Map.Entry::getKey))
                .containsExactly("id", "key", "value", "created_at", "updated_at");
        assertThat(made.path("id").asText()).matches("env_[0-9a-z]{26}");
        assertThat(made.path("updated_at")).isEqualTo(made.path("created_at"));
        assertThat(changed.path("id")).isEqualTo(made.path("id"));
        assertThat(changed.path("created_at")).isEqualTo(made.path("created_at"));
        assertThat(changed.path("updated_at").asText())
                .isGreaterThan(made.path("updated_at").asText());
        assertThat(changed.path("value").asText()).isEqualTo("two");
        assertThat(api.get(PATH + "/PATH_1").json()).isEqualTo(changed);
        assertThat(api.get(PATH).data()).containsExactly(changed);
    }

    @Test
    void whatGetReturnsIsAccepted() {
        JsonNode made = put("A", "line one\\nline two ä");

        assertThat(api.put(PATH + "/A", made.toString()).json().path("value")).isEqualTo(made.path("value"));
        assertThat(put("EMPTY", "").path("value").asText()).isEmpty();
    }

    @Test
    void keysDifferInCase() {
        put("A", "upper");
        put("a", "lower");

        assertThat(api.get(PATH + "/A").json().path("value").asText()).isEqualTo("upper");
        assertThat(api.get(PATH + "/a").json().path("value").asText()).isEqualTo("lower");
    }

    @Test
    void updatedAtAdvancesWithEveryPutAlsoOfTheSameValue() {
        JsonNode made = put("A", "v");
        JsonNode again = put("A", "v");

        assertThat(again.path("updated_at").asText())
                .isGreaterThan(made.path("updated_at").asText());
        assertThat(again.path("created_at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }

    @Test
    void whatTheServerOwnsIsIgnored() {
        Api.Reply reply = api.put(
                PATH + "/A",
                "{\"value\": \"v\", \"id\": \"env_x\", \"key\": \"B\", \"created_at\": 1, \"updated_at\": null}");

        assertThat(reply.json().path("id").asText()).matches("env_[0-9a-z]{26}");
        assertThat(reply.json().path("key").asText()).isEqualTo("A");
        assertThat(api.get(PATH + "/B").error()).isEqualTo("404 env_not_found");
    }

    @Test
    void theValueIsRequired() {
        put("A", "v");

        assertThat(api.put(PATH + "/A", "{\"value\": null}").fields()).containsExactly("value");
        assertThat(api.get(PATH + "/A").json().path("value").asText()).isEqualTo("v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1A", "A-B", "A.B", "%C3%A4", "A%20B", "%00"})
    void malformedKeysAre422ForPutAndUnknownForOthers(String key) {
        assertThat(api.put(PATH + "/" + key, "{\"value\": \"v\"}").fields()).containsExactly("key");
        assertThat(api.get(PATH + "/" + key).error()).isEqualTo("404 env_not_found");
        assertThat(api.delete(PATH + "/" + key).error()).isEqualTo("404 env_not_found");
    }

    /** An export of one of them may end the script of a profile, and with it the variables behind it. */
    @ParameterizedTest
    @ValueSource(strings = {"UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO"})
    void variablesThatShellsLetNobodySetAre422(String key) {
        assertThat(api.put(PATH + "/" + key, "{\"value\": \"v\"}").fields()).containsExactly("key");
        assertThat(api.get(PATH + "/" + key).error()).isEqualTo("404 env_not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PATH", "HOME", "LD_LIBRARY_PATH", "uid", "UID_1"})
    void otherVariablesOfShellsCanBeSet(String key) {
        put(key, "v");
    }

    /** It may be older than the rule. */
    @Test
    void aStoredVariableThatShellsLetNobodySetIsReadAndDeleted() throws Exception {
        control.execute("update environment_variable set name = 'UID' where id = '"
                + put("A", "v").path("id").asText() + "'");

        assertThat(api.get(PATH + "/UID").json().path("value").asText()).isEqualTo("v");
        assertThat(api.get(PATH).data().findValuesAsText("key")).containsExactly("UID");
        assertThat(api.delete(PATH + "/UID").status()).isEqualTo(204);
    }

    @Test
    void aKeyHas128CharactersAtMost() {
        assertThat(api.put(PATH + "/" + "K".repeat(129), "{\"value\": \"v\"}").fields())
                .containsExactly("key");
        put("_" + "k".repeat(127), "v");
    }

    @Test
    void allProblemsAreToldAtOnce() {
        assertThat(api.put(PATH + "/1", "{\"value\": 1, \"x\": 2}").fields())
                .containsExactlyInAnyOrder("key", "value", "x");
        assertThat(api.put(PATH + "/A", "{}").fields()).containsExactly("value");
        assertThat(api.put(PATH + "/A", "{\"value\": \"a\\u0000\"}").fields()).containsExactly("value");
    }

    @Test
    void aValueHas64KiBAtMost() {
        assertThat(api.put(PATH + "/A", "{\"value\": \"" + "v".repeat(65_537) + "\"}")
                        .fields())
                .containsExactly("value");
        assertThat(api.put(PATH + "/A", "{\"value\": \"" + "ä".repeat(32_769) + "\"}")
                        .fields())
                .containsExactly("value");
        put("A", "ä".repeat(32_768));
    }

    @Test
    void allVariablesTogetherHave1MiBAtMost() {
        for (int i = 0; i < 15; i++) {
            put("V" + i, "v".repeat(65_536));
        }

        assertThat(api.put(PATH + "/MORE", "{\"value\": \"" + "v".repeat(65_536) + "\"}")
                        .error())
                .isEqualTo("409 quota_exceeded");
        put("V0", "w".repeat(65_536));
        assertThat(api.get(PATH).data()).hasSize(15);
    }

    @Test
    void deleteTakesAVariableAway() {
        put("A", "v");

        assertThat(api.delete(PATH + "/A").status()).isEqualTo(204);
        assertThat(api.get(PATH + "/A").error()).isEqualTo("404 env_not_found");
        assertThat(api.delete(PATH + "/A").error()).isEqualTo("404 env_not_found");
    }

    @Test
    void theListHasTheNewestFirstAndPages() {
        for (int i = 0; i < 5; i++) {
            put("V" + i, "v");
        }
        put("V0", "again");
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = api.get(PATH + "?limit=2" + cursor).json();
            seen.addAll(page.path("data").findValuesAsText("key"));
            cursor = page.path("cursor").isNull()
                    ? ""
                    : "&cursor=" + page.path("cursor").asText();
        } while (!cursor.isEmpty());

        assertThat(seen).containsExactly("V4", "V3", "V2", "V1", "V0");
        assertThat(api.get(PATH + "?limit=201").fields()).containsExactly("limit");
        assertThat(api.get(PATH + "?cursor=x").fields()).containsExactly("cursor");
    }

    /** Gives a variable the sealed value of another one, which opens there alone. */
    private void breakValue(String key, JsonNode other) throws SQLException {
        control.execute("update environment_variable set sealed_value = (select sealed_value from environment_variable"
                + " where id = '" + other.path("id").asText() + "') where id = '"
                + api.get(PATH + "/" + key).json().path("id").asText() + "'");
    }

    /** One alone does not take the others with it. */
    @Test
    void aValueThatCannotBeDecryptedIsLeftOutOfTheListAndNamedWhereItIsAskedFor() throws Exception {
        JsonNode good = put("GOOD", "v4lue");
        put("BROKEN", "v4lue-two");
        put("LAST", "v4lue-three");
        breakValue("BROKEN", good);

        assertThat(api.get(PATH).data().findValuesAsText("key")).containsExactly("LAST", "GOOD");
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = api.get(PATH + "?limit=1" + cursor).json();
            seen.addAll(page.path("data").findValuesAsText("key"));
            assertThat(page.path("cursor").isNull())
                    .isEqualTo(!page.path("has_more").asBoolean());
            cursor = page.path("cursor").isNull()
                    ? ""
                    : "&cursor=" + page.path("cursor").asText();
        } while (!cursor.isEmpty());
        assertThat(seen).containsExactly("LAST", "GOOD");
        Api.Reply reply = api.get(PATH + "/BROKEN");
        assertThat(reply.error()).isEqualTo("503 value_unreadable");
        assertThat(reply.json().at("/error/message").asText()).startsWith("the value of BROKEN cannot be decrypted");

        // when
        put("BROKEN", "again");

        // then
        assertThat(api.get(PATH).data().findValuesAsText("key")).containsExactly("LAST", "BROKEN", "GOOD");
        breakValue("BROKEN", good);
        assertThat(api.delete(PATH + "/BROKEN").status()).isEqualTo(204);
    }

    @Test
    void theAdministrativeRecordHasNoValues() {
        put("A", "v4lue-one");
        put("A", "v4lue-two");
        api.delete(PATH + "/A");

        Api.Reply reply = api.get("/v1/audit/admin?resource=environment_variable&order=asc");

        assertThat(reply.data().findValuesAsText("action")).containsExactly("create", "update", "delete");
        assertThat(reply.data().at("/1/after/key").asText()).isEqualTo("A");
        assertThat(reply.text()).doesNotContain("v4lue");
    }
}
