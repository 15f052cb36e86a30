package dev.sallyport.mcp;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of calls, one by one. */
class CallTest {

    private static final String SEARCH = "tools: [{name: search}]";

    @Test
    void aListedToolIsCalledInTheBytesOfTheClient() {
        String body =
                "  {\"id\" : 1,\r\n \"jsonrpc\":\"2.0\", \"method\":\"tools\\/call\",\"params\":{\"name\":\"se\\u0061rch\"}}\n";
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post(body);

            assertThat(result).isForwarded().hasForwardedBody(body).hasStatus(202);
            assertThat(Client.messages(result))
                    .containsExactly(Map.of(
                            "direction", "request",
                            "method", "tools/call",
                            "tool", "search",
                            "decision", "allow"));
            assertThat(client.count("search", "allow")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "-7", "123456789012345678901234567890", "\"a\"", "\"\\u0061\\n\"", "\"\""})
    void anUnlistedToolIsAnsweredWithAnErrorForTheIdAsItWasSpelled(String id) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post(Client.call(id, "delete", "{}"));

            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(200);
            assertThat(result.headers().all("Content-Type")).containsExactly("application/json");
            assertThat(result.body())
                    .startsWith(
                            "{\"jsonrpc\":\"2.0\",\"id\":" + id
                                    + ",\"error\":{\"code\":-32001,\"message\":\"blocked by the service policy\",\"data\":{\"reason\":\"tool_not_allowed\"");
            assertThat(result.audit()).containsEntry("rejected_by", "mcp").containsEntry("level", "WARN");
            assertThat(Client.messages(result))
                    .containsExactly(Map.of(
                            "direction", "request",
                            "method", "tools/call",
                            "tool", "delete",
                            "decision", "deny",
                            "reason", "tool_not_allowed"));
            assertThat(client.count("other", "deny")).isEqualTo(1);
        }
    }

    /** A server may take them for one, and may have both. */
    @ParameterizedTest
    @ValueSource(strings = {"Search", "SEARCH", "search ", " search", "se\u0430rch"})
    void namesOfToolsAreComparedAsTheyAreSpelled(String tool) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post(Client.call("1", tool, "{}"));

            assertThat(result.forwarded()).isNull();
            assertThat(result.body()).contains("tool_not_allowed");
        }
    }

    @Test
    void theErrorIsThatOfTheConfiguration() {
        try (Client client = Client.of(SEARCH, "  error: {code: -5, message: 'no \"luck\"'}\n", Client.accepts())) {
            assertThat(client.post(Client.call("1", "delete", "{}")).body())
                    .contains("\"error\":{\"code\":-5,\"message\":\"no \\\"luck\\\"\"");
        }
    }

    @Test
    void aDeniedNotificationIsDropped() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"delete\",\"arguments\":{}}}");

            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(202);
            assertThat(result.body()).isEmpty();
            assertThat(result.audit()).containsEntry("rejected_by", "mcp");
        }
    }

    @Test
    void aClientOfTheOldTransportIsToldByTheStatus() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(TestRequest.post(
                    Client.URL + "?sessionId=a", "application/json", Client.call("1", "delete", "{}")));

            assertThat(result.status()).isEqualTo(403);
            assertThat(result.body()).contains("\"id\":1,\"error\"");

            ExchangeResult streamable = client.send(
                    TestRequest.post(Client.URL + "?sessionId=a", "application/json", Client.call("1", "delete", "{}"))
                            .header("Accept", "application/json, text/event-stream"));
            assertThat(streamable.status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///etc/passwd\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"roots\":[]}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":1,\"message\":\"\"}}"
            })
    void whatIsNoCallPasses(String body) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.post(body)).isForwarded().hasForwardedBody(body);
        }
    }

    @Test
    void aFormPassesAndIsNoted() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(TestRequest.post(
                    Client.URL, "application/x-www-form-urlencoded", "grant_type=authorization_code&code=1"));

            assertThat(result).isForwarded().hasAnnotation("mcp", "note", "not_json_rpc");
            assertThat(Client.messages(result))
                    .first()
                    .satisfies(message -> assertThat(message).containsEntry("reason", "not_json_rpc"));
        }
    }

    /** docs/spec/decisions.md, section 15a: a policy without rules, at every destination. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}", "[1, {\"a\": 2}]", "7"})
    void jsonThatIsNoMessagePassesWhereThePolicySaysSo(String body) {
        try (Client client = Client.of(SEARCH + ", pass_other_json: true", Client.accepts())) {
            assertThat(client.post(body)).isForwarded().hasAnnotation("mcp", "note", "not_json_rpc");
        }
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.post(body).status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
                "{\"JsonRPC\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
                "[{\"a\":1},{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}]"
            })
    void messagesAreJudgedThereAsAnywhere(String body) {
        try (Client client = Client.of(SEARCH + ", pass_other_json: true", Client.accepts())) {
            assertThat(client.post(body).forwarded()).isNull();
        }
    }

    @Test
    void aLongUploadThatIsNoJsonPassesWhole() {
        String body = "x".repeat(100_000);
        try (Client client = Client.of(SEARCH, "  max_message_bytes: 1000\n", Client.accepts())) {
            ExchangeResult result =
                    client.send(TestRequest.post(Client.URL, "text/plain", "").chunks(body, body));

            assertThat(result).isForwarded().hasForwardedBody(body + body);
        }
    }

    @Test
    void aMessageMayComeInManyPieces() {
        String body = Client.call("1", "search", "{\"q\":\"" + "x".repeat(5000) + "\"}");
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.send(TestRequest.post(Client.URL, "application/json", "")
                            .chunks(" ".repeat(100), body.substring(0, 10), body.substring(10))))
                    .isForwarded()
                    .hasForwardedBody(" ".repeat(100) + body);
            assertThat(client.send(TestRequest.post(Client.URL, "application/json", body)
                            .inPieces(7)))
                    .isForwarded()
                    .hasForwardedBody(body);
        }
    }

    @Test
    void whatMatchesNoServerIsNotLookedAt() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(TestRequest.post(
                    "https://other.example.com/mcp", "application/json", Client.call("1", "delete", "{}")));

            assertThat(result).isForwarded();
            assertThat(result.audit()).doesNotContainKey("mcp");
        }
    }

    @Test
    void namesOfStrangersAreCutAndCleaned() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post(Client.call("1", "\\u001b[2J\\u202e" + "n".repeat(1000), "{}"));

            List<Map<String, Object>> messages = Client.messages(result);
            assertThat(messages.getFirst().get("tool").toString())
                    .hasSizeLessThan(200)
                    .startsWith("\ufffd[2J\ufffdnnn")
                    .endsWith("n...");
        }
    }
}
