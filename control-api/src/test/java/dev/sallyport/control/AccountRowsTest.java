package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each row of the tables on accounts, and on the statuses that all errors have, over HTTP, by its name. */
class AccountRowsTest {

    private static final String RULES = "/v1/egress/rules";
    private static final String USERS = "/v1/users";

    /** Rows of the table of error codes that are not about an account have their tests beside what they are about. */
    private static final List<String> PARTS = List.of(
            "Resources and their fields: API key (signup)",
            "Resources and their fields: User",
            "Resources and their fields: Device code",
            "Errors: email_taken");

    private final TestControl control = TestControl.shared();
    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** A test of a row, with a client of a new account. */
    private interface Row {
        void check(Api api) throws SQLException;
    }

    private void row(String name, Row test) {
        assertThat(rows.put(name, test)).as(name).isNull();
    }

    private static String signUp(String email) {
        return "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                + "\", \"password\": \"correct horse\"}";
    }

    private static List<String> keys(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    private static void isTime(JsonNode value) {
        assertThat(value.asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }

    /** What every error has, and nothing else. */
    private static void isError(Api.Reply reply, String error) {
        assertThat(reply.error()).as(reply.text()).isEqualTo(error);
        assertThat(keys(reply.json())).containsExactly("error");
        assertThat(keys(reply.json().path("error"))).containsSubsequence("code", "message");
        assertThat(reply.json().at("/error/message").asText()).isNotBlank();
    }

    private void fields() {
        String in = "Resources and their fields: ";
        row(in + "API key (signup)", api -> {
            JsonNode key = control.anonymous()
                    .post(USERS, signUp(TestControl.newEmail()))
                    .json()
                    .path("api_key");
            assertThat(keys(key)).containsExactly("id", "name", "token", "created_at");
            assertThat(key.path("id").asText()).matches("key_[0-9a-z]{26}");
            isTime(key.path("created_at"));
        });
        row(in + "User", api -> {
            JsonNode user = control.anonymous()
                    .post(USERS, signUp(TestControl.newEmail()))
                    .json()
                    .path("user");
            assertThat(keys(user))
                    .containsExactly("id", "first_name", "last_name", "email", "email_verified", "created_at");
            assertThat(user.path("id").asText()).matches("usr_[0-9a-z]{26}");
            assertThat(user.path("email_verified").isBoolean()).isTrue();
            isTime(user.path("created_at"));
        });
        row(in + "Device code", api -> {
            JsonNode code =
                    control.anonymous().post("/v1/auth/device/code", null).data();
            assertThat(keys(code)).containsExactly("code", "verification_uri", "expires_at");
            isTime(code.path("expires_at"));
        });
    }

    private void errors() {
        String in = "Errors: ";
        row(in + "400 | bad request or validation error", api -> isError(api.post(RULES, "{"), "400 bad_request"));
        row(in + "401 | missing or invalid API key", api -> {
            isError(api.withKey(null).get(RULES), "401 unauthorized");
            isError(api.withKey("sp_live_nobodys").get(RULES), "401 unauthorized");
        });
        row(
                in + "404 | resource not found",
                api -> isError(api.delete(RULES + "/egr_00000000000000000000000000"), "404 egress_rule_not_found"));
        row(in + "409 | conflict", api -> {
            api.post(RULES, "{\"name\": \"n\", \"host\": \"a.test\"}");
            isError(api.post(RULES, "{\"name\": \"n\", \"host\": \"b.test\"}"), "409 egress_rule_name_taken");
        });
        row(in + "422 | unprocessable entity", api -> isError(api.post(RULES, "{}"), "422 validation_error"));
        row(in + "429 | rate limited", api -> {
            try (TestControl strict = TestControl.with("  rate_limits: {key_per_minute: 1, key_burst: 1}\n")) {
                Api often = strict.newAccount();
                assertThat(often.get(RULES).status()).isEqualTo(200);
                isError(often.get(RULES), "429 rate_limited");
            }
        });
        row(in + "500 | internal server error", api -> {
            try (TestControl broken = TestControl.with("");
                    LogCapture log = LogCapture.open()) {
                Api client = broken.newAccount();
                broken.execute("alter table egress_rule rename to elsewhere");
                Api.Reply reply = client.get(RULES);
                isError(reply, "500 internal_error");
                assertThat(reply.text()).doesNotContainIgnoringCase("sql").doesNotContain("egress_rule", "dev.");
                String id = reply.json().at("/error/message").asText().replaceAll(".* ", "");
                assertThat(id).matches("[0-9a-z]{26}");
                assertThat(log.text()).contains("internal_error " + id);
            }
        });
        row(in + "email_taken", api -> {
            String email = TestControl.newEmail();
            control.anonymous().post(USERS, signUp(email));
            isError(control.anonymous().post(USERS, signUp(email)), "409 email_taken");
        });
    }

    private Map<String, Row> all() {
        rows.clear();
        fields();
        errors();
        return rows;
    }

    @Test
    void everyRowHasATest() throws IOException {
        List<String> expected =
                SpecificationTables.rows("resource-api", List.of("Resources and their fields", "Errors")).stream()
                        .map(row -> row.replaceFirst(" \\|$", ""))
                        .filter(row -> PARTS.contains(row) || row.matches("Errors: \\d{3} .*"))
                        .toList();

        assertThat(expected).containsAll(PARTS);
        assertThat(all().keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @TestFactory
    Stream<DynamicTest> rows() {
        return all().entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(), () -> row.getValue().check(control.newAccount())));
    }
}
