package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/policies/mcp}, row by row. */
class McpPoliciesTest {

    private static final String PATH = "/v1/policies/mcp";

    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    private static String withTools(String tools) {
        return "{\"name\": \"tools\", \"priority\": 1, \"tools\": [" + tools + "]}";
    }

    private static String withMatcher(String matcher) {
        return withTools("{\"name\": \"t\", \"matchers\": [" + matcher + "]}");
    }

    @Test
    void nameAndPriorityAreAllThatIsRequired() {
        Api.Reply reply = api.post(PATH, "{\"name\": \"m\", \"priority\": 3}");

        assertThat(reply.status()).isEqualTo(201);
        JsonNode policy = reply.data();
        assertThat(policy.path("id").asText()).matches("mpol_[0-9a-z]{26}");
        assertThat(policy.path("active").asBoolean()).isTrue();
        assertThat(policy.path("match_tags")).isEmpty();
        assertThat(policy.path("rules").isArray()).isTrue();
        assertThat(policy.path("tools").isArray()).isTrue();
        assertThat(policy.path("updated_at")).isEqualTo(policy.path("created_at"));
        assertThat(api.post(PATH, "{}").fields()).containsExactlyInAnyOrder("name", "priority");
    }

    @Test
    void itIsRetrievedReplacedAndDeletedLikeASecretPolicy() {
        JsonNode made = api.post(PATH, withTools("{\"name\": \"search\"}")).data();
        String path = PATH + "/" + made.path("id").asText();

        assertThat(api.get(path).data()).isEqualTo(made);
        JsonNode changed = api.put(path, "{\"name\": \"tools\", \"priority\": 2, \"active\": false}")
                .data();
        assertThat(changed.path("tools")).isEmpty();
        assertThat(changed.path("active").asBoolean(true)).isFalse();
        assertThat(api.delete(path).status()).isEqualTo(204);
        assertThat(api.get(path).error()).isEqualTo("404 mcp_policy_not_found");
    }

    /** A whole representation: what is left out takes its default; what the server owns is ignored. */
    @Test
    void putActivatesAndDeactivatesAndUpdatedAtAdvances() {
        JsonNode made = api.post(PATH, "{\"name\": \"m\", \"priority\": 1, \"active\": false, \"id\": \"mpol_mine\"}")
                .data();
        String path = PATH + "/" + made.path("id").asText();
        ObjectNode body = made.deepCopy();
        body.remove("active");

        JsonNode active = api.put(path, body.toString()).data();
        JsonNode inactive = api.put(path, body.put("active", false).toString()).data();

        assertThat(made.path("active").asBoolean(true)).isFalse();
        assertThat(active.path("active").asBoolean()).isTrue();
        assertThat(inactive.path("active").asBoolean(true)).isFalse();
        assertThat(List.of(made, active, inactive))
                .extracting(policy -> policy.path("updated_at").asText())
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(inactive.path("created_at")).isEqualTo(made.path("created_at"));
        assertThat(inactive.path("id")).isEqualTo(made.path("id"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "priority"})
    void whatCreateRequiresAPutRequiresToo(String field) {
        JsonNode made = api.post(PATH, "{\"name\": \"m\", \"priority\": 3}").data();
        String path = PATH + "/" + made.path("id").asText();
        ObjectNode body = made.deepCopy();
        body.remove(field);

        assertThat(api.put(path, body.toString()).fields()).containsExactly(field);
        assertThat(api.get(path).data()).isEqualTo(made);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\"\"", "\"A\"", "\"a_b\"", "\"-a\"", "\"a-\"", "\"a--b\"", "\"a b\"", "\"\u00E4\"", "1", "null"
            })
    void otherNamesThanGroupsJoinedByHyphensAre422(String name) {
        assertThat(api.post(PATH, "{\"name\": " + name + ", \"priority\": 1}").fields())
                .containsExactly("name");
    }

    @ParameterizedTest
    @CsvSource({"-2147483648,201", "2147483647,201", "-2147483649,422", "2147483648,422", "0.5,422", "null,422"})
    void priorityIsASigned32BitInteger(String priority, int status) {
        assertThat(api.post(PATH, "{\"name\": \"m\", \"priority\": " + priority + "}")
                        .status())
                .isEqualTo(status);
    }

    @Test
    void namesAreOfAKindRenamableAndFreeAfterDelete() {
        String first = "{\"name\": \"github\", \"priority\": 1}";
        String second = "{\"name\": \"other\", \"priority\": 1}";
        String path = PATH + "/" + api.post(PATH, first).data().path("id").asText();
        assertThat(api.post("/v1/policies/secrets", SecretBodies.INJECT).status())
                .as("a secret policy of this name")
                .isEqualTo(201);
        api.post(PATH, second);

        assertThat(api.put(path, second).error()).isEqualTo("409 mcp_policy_name_taken");
        assertThat(api.put(path, first).status()).isEqualTo(200);
        assertThat(api.put(path, first.replace("github", "renamed")).status()).isEqualTo(200);
        assertThat(api.post(PATH, first).status()).isEqualTo(201);
        assertThat(api.delete(path).status()).isEqualTo(204);
        assertThat(api.post(PATH, first.replace("github", "renamed")).status()).isEqualTo(201);
    }

    @Test
    void aPolicyOfMoreThan1MiBIs422() {
        String tools = IntStream.range(0, 1000)
                .mapToObj(i -> "{\"name\": \"t" + i + "\", \"matchers\": [{\"path\": \"p\", \"equals\": \""
                        + "x".repeat(1100) + "\"}]}")
                .collect(Collectors.joining(","));

        assertThat(api.post(PATH, withTools(tools)).error()).isEqualTo("422 validation_error");
        assertThat(api.post(PATH, withTools(tools.replace("xxx", "x"))).status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE"})
    void anUnknownPolicyIs404(String method) {
        String body = method.equals("PUT") ? "{}" : null;
        assertThat(api.send(method, PATH + "/mpol_00000000000000000000000000", body)
                        .error())
                .isEqualTo("404 mcp_policy_not_found");
    }

    @Test
    void aTakenNameIs409() {
        api.post(PATH, "{\"name\": \"m\", \"priority\": 3}");

        assertThat(api.post(PATH, "{\"name\": \"m\", \"priority\": 4}").error()).isEqualTo("409 mcp_policy_name_taken");
    }

    @Test
    void toolsAndMatchersAreKept() {
        String tools =
                "{\"name\": \"create_issue\", \"matchers\": [{\"path\": \"repo.name\", \"equals\": \"a\"}, {\"path\": \"n\", \"in\": [1, \"x\", null, {\"a\": [1.5]}]}, {\"path\": \"t\", \"matches\": \"^a+$\"}]}, {\"name\": \"read\", \"matchers\": []}";

        assertThat(api.post(PATH, withTools(tools)).data().path("tools").toString())
                .isEqualTo(Api.tree("[" + tools + "]").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "false", "0", "\"\"", "[]", "{\"a\": null}"})
    void equalsIsThereWhateverItsValue(String value) {
        Api.Reply reply = api.post(PATH, withMatcher("{\"path\": \"p\", \"equals\": " + value + "}"));

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.data().at("/tools/0/matchers/0/equals")).isEqualTo(Api.tree(value));
        assertThat(api.get(PATH + "/" + reply.data().path("id").asText()).data())
                .isEqualTo(reply.data());
    }

    /** The engine reads no value that lies deeper. */
    @ParameterizedTest
    @CsvSource({"equals,50,201", "in,50,201", "equals,51,422", "in,51,422"})
    void valuesAreNestedSoDeepAtMost(String operator, int levels, int status) {
        String value = "[".repeat(levels) + "]".repeat(levels);
        Api.Reply reply = api.post(
                PATH,
                withMatcher("{\"path\": \"p\", \"" + operator + "\": "
                        + (operator.equals("in") ? "[" + value + "]" : value) + "}"));

        assertThat(reply.status()).isEqualTo(status);
        if (status == 422) {
            assertThat(reply.fields()).containsExactly("tools[0].matchers[0]." + operator);
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"path\": \"p\"}`,tools[0].matchers[0]",
                "`{\"path\": \"p\", \"equals\": 1, \"in\": [1]}`,tools[0].matchers[0]",
                "`{\"path\": \"p\", \"equals\": null, \"matches\": \"a\"}`,tools[0].matchers[0]",
                "`{\"path\": \"p\", \"equals\": 1, \"in\": [1], \"matches\": \"a\"}`,tools[0].matchers[0]",
                "`{\"path\": \"p\", \"in\": []}`,tools[0].matchers[0].in",
                "`{\"path\": \"p\", \"matches\": \"(\"}`,tools[0].matchers[0].matches",
                "`{\"path\": \"p\", \"matches\": \"(?=a)\"}`,tools[0].matchers[0].matches",
                "`{\"path\": \"p\", \"matches\": 1}`,tools[0].matchers[0].matches",
                "`{\"path\": \"\", \"equals\": 1}`,tools[0].matchers[0].path",
                "`{\"path\": \"a..b\", \"equals\": 1}`,tools[0].matchers[0].path",
                "`{\"path\": \".a\", \"equals\": 1}`,tools[0].matchers[0].path",
                "`{\"equals\": 1}`,tools[0].matchers[0].path",
                "`{\"path\": \"p\", \"equals\": \"\\u0000\"}`,tools[0].matchers[0].equals"
            })
    void matchersThatAreWrongAre422(String matcher, String field) {
        Api.Reply reply = api.post(PATH, withMatcher(matcher));

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 90, 900, 990, 993, 994, 995, 996, 997, 998, 1000, 5000})
    void whatIsNestedSoDeeplyThatItCouldNotBeBuiltOrShownIsRefused(int depth) {
        Api.Reply reply = api.post(
                PATH, withMatcher("{\"path\": \"p\", \"equals\": " + "[".repeat(depth) + "]".repeat(depth) + "}"));

        assertThat(reply.status()).isEqualTo(depth <= 50 ? 201 : depth < 490 ? 422 : 400);
        assertThat(api.get(PATH).status()).isEqualTo(200);
        assertThat(api.get("/v1/audit/admin").status()).isEqualTo(200);
    }

    @Test
    void theSameToolTwiceIs422() {
        assertThat(api.post(PATH, withTools("{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"a\"}"))
                        .fields())
                .containsExactly("tools[2].name");
    }

    @Test
    void aToolWithoutANameIs422() {
        assertThat(api.post(PATH, withTools("{}, {\"name\": \"\"}")).fields())
                .containsExactlyInAnyOrder("tools[0].name", "tools[1].name");
    }

    @Test
    void rulesAreCheckedAsElsewhere() {
        assertThat(api.post(PATH, "{\"name\": \"m\", \"priority\": 1, \"rules\": [{\"paths\": []}]}")
                        .fields())
                .containsExactly("rules[0]");
    }

    @Test
    void listsAreFilteredAndOrdered() {
        api.post(PATH, "{\"name\": \"c\", \"priority\": 3}");
        api.post(PATH, "{\"name\": \"b\", \"priority\": 3}");
        api.post(PATH, "{\"name\": \"a\", \"priority\": 2, \"active\": false}");

        assertThat(api.get(PATH).data().findValuesAsText("name"))
                .as("by priority, then the older first")
                .containsExactly("a", "c", "b");
        assertThat(api.get(PATH + "?active=true").data().findValuesAsText("name"))
                .containsExactly("c", "b");
        assertThat(api.get(PATH + "?active=false").data().findValuesAsText("name"))
                .containsExactly("a");
        assertThat(api.get(PATH + "?active=maybe").fields()).containsExactly("active");
        assertThat(api.get(PATH + "?active=true&name=a").data()).isEmpty();
        assertThat(api.get(PATH + "?name=a").data().findValuesAsText("name")).containsExactly("a");
    }

    @Test
    void aRegularExpressionThatCompilesToTooMuchIs422BeforeItIsCompiled() {
        String huge = "(" + "ab".repeat(1000) + "){1000}";

        assertThat(api.post(PATH, withMatcher("{\"path\": \"p\", \"matches\": \"" + huge + "\"}"))
                        .fields())
                .containsExactly("tools[0].matchers[0].matches");
        assertThat(api.post(PATH, withMatcher("{\"path\": \"p\", \"matches\": \"(ab){1000}\"}"))
                        .status())
                .isEqualTo(201);
    }

    @Test
    void theRegularExpressionsOfAPolicyAreBoundedTogether() {
        String matcher = "{\"path\": \"p\", \"matches\": \"(a{100}){150}\"}";
        String matchers = String.join(",", Collections.nCopies(15, matcher));

        assertThat(api.post(PATH, withMatcher(matchers)).fields()).containsExactly("tools");
    }
}
