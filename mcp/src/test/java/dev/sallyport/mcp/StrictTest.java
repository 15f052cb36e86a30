package dev.sallyport.mcp;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be understood in two ways is refused. */
class StrictTest {

    private static final String YES = Client.call("1", "search", "{\"q\":\"x\"}");

    private Client client;

    @BeforeEach
    void start() {
        client = Client.of("tools: [{name: search}]", Client.accepts());
    }

    @AfterEach
    void stop() {
        client.close();
    }

    private void assertRefused(ExchangeResult result, String reason) {
        assertThat(result.forwarded()).as(result.toString()).isNull();
        assertThat(result.status()).isEqualTo(400);
        assertThat(result.body())
                .matches("(?s)\\{\"jsonrpc\":\"2.0\",\"id\":(null|-?[0-9]+|\".*\"),\"error\":\\{\"code\":-32.*");
        assertThat(Client.messages(result))
                .first()
                .satisfies(message ->
                        assertThat(message).containsEntry("decision", "deny").containsEntry("reason", reason));
        assertThat(result.audit()).containsEntry("rejected_by", "mcp");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"m\\u0065thod\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"Method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"Method\":\"tools/call\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method \":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\\u0000\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"\uff4dethod\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\"},\"PARAMS\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\"},\"param\u017f\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"Name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"argument\u017f\":{}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"Name\":\"search\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[\"delete\"]}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":[\"search\"]}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"arguments\":\"{}\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"Tools/Call\",\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\" tools/call\",\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools//call\",\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tool\u017f/call\",\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools\u2215call\",\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\u200b\",\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"tools/call\"],\"params\":{\"name\":\"delete\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":1}",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
                "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\"}}",
                "{}",
                "[]",
                "{\"client_name\":\"x\"}"
            })
    void whatIsNoPlainMessageIsRefused(String body) {
        assertRefused(client.post(body), "malformed_jsonrpc");
        assertRefused(client.send(TestRequest.post(Client.URL, "text/plain", body)), "malformed_jsonrpc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "\u000b{\"jsonrpc\":\"2.0\"}",
                "\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "\u00a0{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "\u2028{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\u0000",
                "/* x */ {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "// x\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,/**/\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}",
                "{'jsonrpc':'2.0','id':1,'method':'ping'}",
                "{jsonrpc:\"2.0\",id:1,method:\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":+1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":NaN}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":Infinity}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":1e999}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":1e-999}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":.5}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":0x10}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\ud800\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\udc00\\ud800\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\x41\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\t\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\u00g0\"}}"
            })
    void whatIsNoStrictJsonIsRefused(String body) {
        assertRefused(client.post(body), "malformed_jsonrpc");
        assertRefused(client.send(TestRequest.post(Client.URL, "text/plain", body)), "malformed_jsonrpc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"})
    void otherEncodingsAreRefused(String charset) {
        byte[] body = YES.getBytes(Charset.forName(charset));
        assertRefused(client.send(TestRequest.post(Client.URL, "text/plain", "").body(body)), "malformed_jsonrpc");
    }

    @Test
    void malformedUtf8IsRefused() {
        for (String bytes :
                new String[] {"80", "c0af", "c1bf", "e08080", "eda080", "f08080af", "f4908080", "ff", "e282"}) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.writeBytes(YES.substring(0, YES.indexOf('x')).getBytes(StandardCharsets.UTF_8));
            body.writeBytes(java.util.HexFormat.of().parseHex(bytes));
            body.writeBytes(YES.substring(YES.indexOf('x')).getBytes(StandardCharsets.UTF_8));
            assertRefused(
                    client.send(
                            TestRequest.post(Client.URL, "application/json", "").body(body.toByteArray())),
                    "malformed_jsonrpc");
        }
    }

    @Test
    void deepNestingIsRefused() {
        String deep = "[".repeat(200) + "]".repeat(200);
        assertRefused(client.post(Client.call("1", "search", "{\"a\":" + deep + "}")), "malformed_jsonrpc");
        assertRefused(client.post("[".repeat(100_000)), "malformed_jsonrpc");
    }

    @Test
    void aMessageOverTheLimitIsRefused() {
        try (Client small = Client.of("tools: [{name: search}]", "  max_message_bytes: 100\n", Client.accepts())) {
            String body = Client.call("1", "search", "{\"q\":\"" + "x".repeat(100) + "\"}");
            assertRefused(small.post(body), "oversize_body");
            assertRefused(
                    small.send(TestRequest.post(Client.URL, "text/plain", "").chunks(body)), "oversize_body");
        }
        assertRefused(
                client.post(Client.call("1", "search", "{\"q\":\"" + "x".repeat(1 << 20) + "\"}")), "oversize_body");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json; charset=utf-16",
                "text/plain; charset=ibm037",
                "text/plain; charset=\"utf-7\"",
                "application/json; charset=utf-8; charset=utf-16",
                "application/json;charset=iso-8859-1"
            })
    void anotherCharsetIsRefused(String type) {
        assertRefused(client.send(TestRequest.post(Client.URL, type, YES)), "header_mismatch");
    }

    @Test
    void twoContentTypesAreRefused() {
        assertRefused(
                client.send(
                        TestRequest.post(Client.URL, "application/json", YES).header("Content-Type", "text/plain")),
                "header_mismatch");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "DELETE", "GET", "QUERY", "post"})
    void aMessageUnderAnotherMethodIsRefused(String method) {
        assertRefused(client.send(TestRequest.of(method, Client.URL).body(YES)), "malformed_jsonrpc");
        assertRefused(client.send(TestRequest.of(method, Client.URL).body("[" + YES + "]")), "malformed_jsonrpc");
        assertRefused(
                client.send(TestRequest.of(method, Client.URL).body("{\"Method\":\"tools/call\"}")),
                "malformed_jsonrpc");
        assertThat(client.send(TestRequest.of(method, Client.URL).body("{\"title\":\"x\"}")))
                .isForwarded();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"})
    void anotherMethodInAFieldIsRefused(String field) {
        assertRefused(client.send(TestRequest.get(Client.URL).header(field, "POST")), "header_mismatch");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?message=%7B%22jsonrpc%22%3A%222.0%22%2C%22id%22%3A1%2C%22method%22%3A%22tools%2Fcall%22%7D",
                "?a=b&m={%22method%22:%22tools/call%22}",
                "?m=+[{%22Method%22:%22tools/call%22}]",
                "?{%22method%22:%22tools/call%22}",
                "?m={'method':'tools/call'}"
            })
    void aMessageInTheQueryIsRefused(String query) {
        for (String method : new String[] {"GET", "POST"}) {
            ExchangeResult result = client.send(TestRequest.of(method, Client.URL + query));
            assertThat(result).isRefused(403, "mcp_bad_message");
            assertThat(Client.messages(result))
                    .first()
                    .satisfies(message -> assertThat(message).containsEntry("reason", "transport_not_covered"));
        }
    }

    @Test
    void otherQueriesPass() {
        assertThat(client.send(TestRequest.get(Client.URL + "?filter={%22a%22:1}&x=%7b%7d")))
                .isForwarded();
    }

    @Test
    void aWebSocketIsRefused() {
        assertThat(client.send(TestRequest.get(Client.URL)
                        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
                        .header("Sec-WebSocket-Version", "13")))
                .isRefused(403, "mcp_bad_message");
    }

    @Test
    void fieldsThatRepeatTheMessageHaveToAgree() {
        TestRequest call = TestRequest.post(Client.URL, "application/json", YES);

        assertThat(client.send(call.header("Mcp-Method", "tools/call").header("Mcp-Name", "search")))
                .isForwarded();
        assertThat(client.send(call.header("mcp-name", "=?base64?c2VhcmNo?="))).isForwarded();
        assertRefused(client.send(call.header("Mcp-Method", "tools/list")), "header_mismatch");
        assertRefused(client.send(call.header("Mcp-Name", "delete")), "header_mismatch");
        assertRefused(client.send(call.header("Mcp-Name", "=?base64?ZGVsZXRl?=")), "header_mismatch");
        assertRefused(client.send(call.header("Mcp-Name", "search").header("Mcp-Name", "delete")), "header_mismatch");
        assertRefused(
                client.send(TestRequest.post(Client.URL, "application/json", "[" + YES + "]")
                        .header("Mcp-Method", "tools/call")),
                "header_mismatch");
    }

    /** A server may go by the field instead of the message. */
    @Test
    void fieldsThatRepeatArgumentsHaveToSayWhatOneSays() {
        TestRequest call = TestRequest.post(Client.URL, "application/json", YES);

        assertThat(client.send(call.header("Mcp-Param-Q", "x"))).isForwarded();
        assertThat(client.send(call.header("mcp-param-q", "=?base64?eA==?="))).isForwarded();
        assertRefused(client.send(call.header("Mcp-Param-Q", "y")), "header_mismatch");
        assertRefused(client.send(call.header("MCP-PARAM-Other", "search")), "header_mismatch");
        assertRefused(client.send(call.header("Mcp-Param-Q", "x").header("Mcp-Param-Q", "y")), "header_mismatch");
        assertRefused(client.send(call.header("Mcp-Param-Q", "=?base64?eQ==?=")), "header_mismatch");
    }

    @Test
    void aCodedMessageIsDecodedJudgedAndCodedAnew() throws Exception {
        byte[] coded = deflate(YES);
        ExchangeResult result = client.send(
                TestRequest.post(Client.URL, "application/json", "").body(coded).header("Content-Encoding", "deflate"));
        assertThat(result).isForwarded();
        assertThat(new String(
                        new InflaterInputStream(
                                        new ByteArrayInputStream(result.sent().content()))
                                .readAllBytes(),
                        StandardCharsets.UTF_8))
                .isEqualTo(YES);

        ExchangeResult denied = client.send(TestRequest.post(Client.URL, "application/json", "")
                .body(deflate(Client.call("1", "delete", "{}")))
                .header("Content-Encoding", "deflate"));
        assertThat(denied.forwarded()).isNull();
        assertThat(denied.body()).contains("tool_not_allowed");
    }

    @Test
    void aCodingThatNobodyKnowsIsRefused() {
        assertThat(client.send(
                        TestRequest.post(Client.URL, "application/json", YES).header("Content-Encoding", "mystery")))
                .isRefused(415, "unsupported_content_coding");
    }

    /** At its first bytes, behind those that tell what it is, and where it expands beyond what may be read. */
    @Test
    void aCodingThatIsBrokenIsAnsweredLikeAMessageThatIs() throws Exception {
        byte[] random = new byte[16 * 1024];
        new Random(7).nextBytes(random);
        byte[] cut = deflate(Client.call("1", "search", "\"" + HexFormat.of().formatHex(random) + "\""));
        cut = Arrays.copyOf(cut, cut.length - 8);
        byte[] bomb = deflate(YES + " ".repeat(4 << 20));

        try (Client patient =
                Client.of("tools: [{name: search}]", "  max_message_bytes: 16777216\n", Client.accepts())) {
            for (byte[] body : List.of("no deflate".getBytes(StandardCharsets.UTF_8), cut, bomb)) {
                ExchangeResult result = patient.send(TestRequest.post(Client.URL, "application/json", "")
                        .body(body)
                        .header("Content-Encoding", "deflate"));
                assertRefused(result, "malformed_jsonrpc");
                assertThat(result.body()).contains("\"id\":null", "\"code\":-32700", "content coding");
            }
        }
    }

    private static byte[] deflate(String text) throws Exception {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(coded)) {
            deflater.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return coded.toByteArray();
    }
}
