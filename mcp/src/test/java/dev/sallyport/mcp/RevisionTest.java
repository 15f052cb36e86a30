package dev.sallyport.mcp;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What revision 2026-07-28 of the protocol adds: fields that are required, hints for caches, questions in results. */
class RevisionTest {

    private static final String SEARCH = "tools: [{name: search}]";
    private static final String CALL = Client.call("7", "search", "{}");

    private static TestRequest post(String version, String body) {
        return TestRequest.post(Client.URL, "application/json", body).header("MCP-Protocol-Version", version);
    }

    private static void assertMismatch(ExchangeResult result, String id) {
        assertThat(result.forwarded()).isNull();
        assertThat(result.status()).isEqualTo(400);
        assertThat(result.body()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":-32020,");
        assertThat(Client.messages(result))
                .first()
                .satisfies(message -> assertThat(message).containsEntry("reason", "header_mismatch"));
    }

    @Test
    void theFieldsThatItRequiresHaveToBeThere() {
        TestRequest call = post("2026-07-28", CALL);
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.send(call.header("Mcp-Method", "tools/call").header("Mcp-Name", "search")))
                    .isForwarded();
            assertMismatch(client.send(call), "7");
            assertMismatch(client.send(call.header("Mcp-Method", "tools/call")), "7");
            assertMismatch(client.send(call.header("Mcp-Name", "search")), "7");
            assertMismatch(client.send(call.header("Mcp-Method", "ping").header("Mcp-Name", "search")), "7");
            assertMismatch(client.send(call.header("Mcp-Method", "tools/call").header("Mcp-Name", "x")), "7");
            assertMismatch(client.send(post("2026-07-28", "[" + CALL + "]")), "null");
        }
    }

    @ParameterizedTest
    @CsvSource({"prompts/get, name", "resources/read, uri"})
    void promptsAndResourcesAreNamedToo(String method, String member) {
        TestRequest request = post("2026-07-28", Client.request("1", method, "{\"" + member + "\":\"x\"}"))
                .header("Mcp-Method", method);
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.send(request.header("Mcp-Name", "x"))).isForwarded();
            assertMismatch(client.send(request), "1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"server/discover", "tools/list", "ping", "tasks/get"})
    void otherRequestsNeedTheirMethodAlone(String method) {
        TestRequest request = post("2026-07-28", Client.request("1", method, "{}"));
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.send(request.header("Mcp-Method", method))).isForwarded();
            assertMismatch(client.send(request), "1");
        }
    }

    /** A response names no method. */
    @Test
    void aResponseNeedsNoFields() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.send(post("2026-07-28", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")))
                    .isForwarded();
        }
    }

    @Test
    void theRevisionMayStandInTheMessageAlone() {
        String call = CALL.replace(
                "\"arguments\"",
                "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"},\"arguments\"");
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertMismatch(client.post(call), "7");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2024-11-05, false",
        "2025-11-25, false",
        "2026-07-28, true",
        "2027-01-01, true",
        "2026-07-27, false",
        "draft, false"
    })
    void laterRevisionsRequireThemAndEarlierOnesDoNot(String version, boolean required) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(post(version, CALL));

            if (required) {
                assertMismatch(result, "7");
            } else {
                assertThat(result).isForwarded();
            }
        }
    }

    private static String tools(String hints, String... names) {
        StringBuilder tools = new StringBuilder();
        for (String name : names) {
            tools.append(tools.isEmpty() ? "" : ",")
                    .append("{\"name\":\"")
                    .append(name)
                    .append("\"}");
        }
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[" + tools + "]" + hints + "}}";
    }

    private static ExchangeResult list(Client client) {
        return client.send(post("2026-07-28", Client.list("1")).header("Mcp-Method", "tools/list"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"cacheScope\":\"public\" ,\"ttlMs\": 3600000 | \"cacheScope\":\"private\" ,\"ttlMs\": 10000",
                "\"cacheScope\":\"private\",\"ttlMs\":9999     | \"cacheScope\":\"private\",\"ttlMs\":9999",
                "\"cacheScope\":\"private\",\"ttlMs\":0        | \"cacheScope\":\"private\",\"ttlMs\":0",
                "\"cacheScope\":null,\"ttlMs\":\"1\"           | \"cacheScope\":\"private\",\"ttlMs\":10000",
                "\"cacheScope\":1,\"ttlMs\":1e9                | \"cacheScope\":\"private\",\"ttlMs\":10000",
                "\"cacheScope\":1,\"ttlMs\":NaN                | \"cacheScope\":\"private\",\"ttlMs\":10000"
            })
    void whatIsLeftOfAListIsForThisClientAndNotForLong(String hints, String limited) {
        try (Client client = Client.of(SEARCH, Client.json(tools("," + hints, "delete", "search")))) {
            assertThat(list(client).body()).isEqualTo(tools("," + limited, "search"));
        }
    }

    @Test
    void hintsThatAreNotThereAreAdded() {
        String added = "\"result\":{\"cacheScope\":\"private\",\"ttlMs\":0,\"tools\":";
        try (Client client = Client.of(SEARCH, Client.json(tools("", "delete", "search")))) {
            assertThat(list(client).body()).isEqualTo(tools("", "search").replace("\"result\":{\"tools\":", added));
            assertThat(client.post(Client.list("1")).body())
                    .as("an earlier revision does not know them")
                    .isEqualTo(tools("", "search"));
        }
        String event = "data: " + tools(",\"ttlMs\":1", "delete", "search") + "\n\n";
        try (Client client = Client.of(SEARCH, Client.events(event))) {
            assertThat(client.post(Client.list("1")).body())
                    .contains("\"result\":{\"cacheScope\":\"private\",\"tools\":[{\"name\":\"search\"}],\"ttlMs\":1}");
        }
    }

    @Test
    void aWholeListKeepsItsHints() {
        String whole = tools(",\"cacheScope\":\"public\",\"ttlMs\":3600000", "search");
        try (Client client = Client.of(SEARCH, Client.json(whole))) {
            assertThat(list(client).body()).isEqualTo(whole);
        }
    }

    private static final String ASKS = "\"a\":{\"method\":\"sampling\\/createMessage\",\"params\":{}}";
    private static final String ELICITS = "\"b\": {\"method\":\"elicitation/create\"}";

    private static String questions(String holder, String... questions) {
        return "{\"jsonrpc\":\"2.0\"," + holder + ":{\"inputRequests\":{" + String.join(",", questions)
                + "},\"requestState\":\"s\"}}";
    }

    /** Instead of sending a request of its own, a server answers that it needs something first. */
    @ParameterizedTest
    @ValueSource(strings = {"\"id\":7,\"result\"", "\"method\":\"notifications/tasks\",\"params\""})
    void samplingIsDroppedFromWhatAServerAsksFor(String holder) {
        String answer = questions(holder, ASKS, ELICITS);
        String event = "data: " + answer + "\n\n";
        try (Client client = Client.of(SEARCH + ", sampling: false", Client.json(answer))) {
            ExchangeResult result = client.post(CALL);

            assertThat(result.body()).isEqualTo(questions(holder, ELICITS.replace(": ", ":")));
            assertThat(result.audit()).containsEntry("level", "WARN");
        }
        try (Client client = Client.of(SEARCH + ", sampling: false", Client.events(event))) {
            assertThat(client.post(CALL).body()).doesNotContain("sampling").contains("elicitation");
        }
        try (Client client = Client.of(SEARCH, Client.json(answer))) {
            assertThat(client.post(CALL).body()).isEqualTo(answer);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"InputRequests\":{" + ASKS + "}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"inputRequests\":[{" + ASKS + "}]}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"inputRequests\":{\"a\":{\"Method\":\"sampling/createMessage\"}}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"inputRequests\":{" + ASKS + "},\"inputRequests\":{}}}"
            })
    void unclearQuestionsAreRefused(String answer) {
        try (Client client = Client.of(SEARCH + ", sampling: false", Client.json(answer))) {
            ExchangeResult result = client.post(CALL);

            assertThat(result.status()).isEqualTo(502);
            assertThat(result.body()).contains("mcp_unreadable_response").doesNotContain("sampling");
        }
    }

    /** A task is the answer to a call that was judged; what asks for its state and result is not. */
    @ParameterizedTest
    @ValueSource(strings = {"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"})
    void tasksPass(String method) {
        String result = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"delete\"}]}}";
        try (Client client = Client.of(SEARCH, Client.json(result))) {
            ExchangeResult passed = client.post(Client.request("1", method, "{\"taskId\":\"t\"}"));

            assertThat(passed).isForwarded();
            assertThat(passed.body()).isEqualTo(result);
        }
    }

    @Test
    void aCallThatBecomesATaskIsJudgedAsACall() {
        String task = CALL.replace("\"arguments\"", "\"task\":{\"ttl\":60000},\"arguments\"");
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.post(task)).isForwarded();
            assertThat(client.post(task.replace("search", "delete")).body()).contains("tool_not_allowed");
            assertMismatch(
                    client.send(post("2026-07-28", Client.request("1", "tasks/cancel", "{\"taskId\":\"t\"}"))
                            .header("Mcp-Method", "tasks/cancel")
                            .header("Mcp-Name", "other")),
                    "1");
        }
    }

    /** The page of an app is a resource as any other. */
    @Test
    void appsAreResources() {
        String read = Client.request("1", "resources/read", "{\"uri\":\"ui://search/page\"}");
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.post(read)).isForwarded();
        }
        try (Client client = Client.of(SEARCH + ", resources: [{uri: 'ui://search/*'}]", Client.accepts())) {
            assertThat(client.post(read)).isForwarded();
            assertThat(client.post(read.replace("ui://search", "ui://other")).body())
                    .contains("resource_not_allowed");
        }
    }
}
