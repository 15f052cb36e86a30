package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of bodies and queries that are wrong. */
class BodyMessagesTest {

    private static final String POLICIES = "/v1/policies/network";

    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    private static String message(Api.Reply reply) {
        return reply.json().at("/error/fields/0/message").asText();
    }

    private static String policy(String priority) {
        return "{\"name\": \"n\", \"priority\": " + priority + "}";
    }

    @Test
    void whatIsWellFormedAndBeyondALimitIsToldSo() {
        String deep = "[".repeat(501) + "]".repeat(501);
        String number = "1".repeat(1001);
        String name = "{\"" + "x".repeat(50_001) + "\": 1}";

        for (String body : new String[] {deep, number, name}) {
            Api.Reply reply = api.post(POLICIES, body);
            assertThat(reply.error()).isEqualTo("400 bad_request");
            assertThat(reply.text()).contains("beyond a limit", "500 levels").doesNotContain("well-formed");
        }
        assertThat(api.post(POLICIES, "{").text()).contains("not well-formed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "-2147483649", "1e400", "99999999999999999999", "1e999999999"})
    void anIntegerOutOfRangeIsToldItsBounds(String priority) {
        Api.Reply reply = api.post(POLICIES, policy(priority));

        assertThat(reply.fields()).containsExactly("priority");
        assertThat(message(reply)).isEqualTo("out of range (expected: -2147483648 to 2147483647)");
    }

    /** JSON Schema, validation, 6.1.1: a number without a fraction is an integer, however it is written. */
    @ParameterizedTest
    @CsvSource({"1.0,1", "2e2,200", "-3.00,-3", "2147483647.0,2147483647"})
    void aNumberWithoutAFractionIsAnInteger(String sent, int kept) {
        Api.Reply reply = api.post(POLICIES, policy(sent));

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.data().path("priority").asText()).isEqualTo(String.valueOf(kept));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "7|a number (expected: an object)",
                "[]|a list (expected: an object)",
                "`{\"name\": 1, \"priority\": 1}`|a number (expected: a string)",
                "`{\"name\": \"n\", \"priority\": 1.5}`|a fraction (expected: an integer)",
                "`{\"name\": \"n\", \"priority\": \"1\"}`|a string (expected: an integer)",
                "`{\"name\": \"n\", \"priority\": 1, \"active\": \"yes\"}`|a string (expected: true or false)",
                "`{\"name\": \"n\", \"priority\": 1, \"rules\": {}}`|an object (expected: a list)",
                "`{\"name\": \"n\", \"priority\": 1, \"rules\": [null]}`|null (expected: an object)"
            })
    void whatCameIsNamedBesideWhatWasExpected(String body, String message) {
        assertThat(message(api.post(POLICIES, body))).isEqualTo(message);
    }

    @Test
    void anotherWordIsNotCalledAnotherType() {
        assertThat(message(api.post("/v1/policies/secrets", SecretBodies.inject("/mode", "\"x\""))))
                .isEqualTo("another string (expected: inject or replace)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999999", "-99999999999", "0", "201"})
    void aLimitOutOfRangeIsToldItsBounds(String limit) {
        assertThat(message(api.get("/v1/egress/rules?limit=" + limit))).isEqualTo("out of range (expected: 1 to 200)");
    }

    /** Spaces, characters without width, controls of C1, and what turns the direction of text. */
    @ParameterizedTest
    @ValueSource(strings = {"\u200B", "\u3000", "\u00A0", "a\u0085b", "a\u202Eb", "a\u2028b", "a\u2066b"})
    void namesAndTagsCanBeSeen(String name) {
        assertThat(api.post("/v1/api-keys", "{\"name\": \"" + name + "\"}").fields())
                .containsExactly("name");
        assertThat(api.post(POLICIES, "{\"name\": \"n\", \"priority\": 1, \"match_tags\": [\"" + name + "\"]}")
                        .fields())
                .containsExactly("match_tags[0]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "\u4E2D\u6587", "\u00E9", "a\u200Db"})
    void otherNamesAndTagsAreKept(String name) {
        assertThat(api.post("/v1/api-keys", "{\"name\": \"" + name + "\"}").status())
                .isEqualTo(201);
        assertThat(api.post(POLICIES, "{\"name\": \"n\", \"priority\": 1, \"match_tags\": [\"" + name + "\"]}")
                        .status())
                .isEqualTo(201);
    }
}
