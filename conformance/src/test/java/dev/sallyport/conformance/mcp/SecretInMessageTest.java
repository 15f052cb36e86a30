package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.conformance.Gate;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages are judged after {@code secrets} has put the real values in: whatever a workload does with its placeholder, the
 * value must reach neither the workload nor the audit log.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecretInMessageTest {

    private static final String PLACEHOLDER = "SALLYPORT_PROXY_KEY";
    private static final String VALUE = "4815162342108151623";

    private Gate gate;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        gate = new Gate(folder, "", Map.of("KEY", VALUE), """
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: KEY}
                          replace: {proxy_value: %s, match_body: true}
                          redact_response: "off"
                          rules: [{host: localhost}]
                mcp:
                  servers:
                    - name: hiding
                      rules: [{host: localhost}]
                      tools: [{name: echo}]
                      resources: [{uri: "file:///**"}]
                """.formatted(PLACEHOLDER));
    }

    @AfterAll
    void stop() {
        gate.close();
    }

    /** What the client and the audit log get to see. */
    private record Outcome(int status, String body, JsonNode record, boolean forwarded) {}

    private Outcome post(String message) throws Exception {
        try (RawServer server = new RawServer(request -> Wire.json("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
                RawClient client = new RawClient(gate.httpPort())) {
            byte[] body = Wire.bytes(message);
            client.send(Wire.join(
                    Wire.bytes("POST /mcp HTTP/1.1\r\nHost: " + server.authority()
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n"),
                    body));
            Seen answer = Objects.requireNonNull(client.answer());
            JsonNode record = gate.record();
            return new Outcome(
                    Integer.parseInt(answer.target()),
                    new String(answer.body(), StandardCharsets.UTF_8),
                    record,
                    !server.seen().isEmpty());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":\"SALLYPORT_PROXY_KEY\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":SALLYPORT_PROXY_KEY,\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"SALLYPORT_PROXY_KEY\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"SALLYPORT_PROXY_KEY\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"x/SALLYPORT_PROXY_KEY\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///SALLYPORT_PROXY_KEY\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/read\",\"params\":{\"uri\":\"SALLYPORT_PROXY_KEY\"}}",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":\"SALLYPORT_PROXY_KEY\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}]",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"SALLYPORT_PROXY_KEY\":1,\"SALLYPORT_PROXY_KEY\":2,\"method\":\"ping\"}"
            })
    void isShownNeitherToTheWorkloadNorInTheAuditLog(String message) throws Exception {
        Outcome outcome = post(message);

        assertThat(outcome.body()).doesNotContain(VALUE);
        assertThat(outcome.record().toString()).doesNotContain(VALUE);
        assertThat(outcome.record().toString()).contains("\"server\":\"hiding\"");
    }

    @Test
    void aDeniedCallWhoseIdCannotBeRepeatedIsRefusedWhole() throws Exception {
        Outcome outcome = post(
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":\"SALLYPORT_PROXY_KEY\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}]");

        assertThat(outcome.status()).isEqualTo(400);
        assertThat(outcome.body()).contains("\"id\":null");
        assertThat(outcome.forwarded()).isFalse();
    }

    @Test
    void aShortIdIsRepeatedAndNamesOfThePolicyAreShown() throws Exception {
        Outcome denied = post(
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\",\"arguments\":{\"k\":\"SALLYPORT_PROXY_KEY\"}}}");
        Outcome allowed = post(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"k\":\"SALLYPORT_PROXY_KEY\"}}}");

        assertThat(denied.status()).isEqualTo(200);
        assertThat(denied.body()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":");
        assertThat(denied.record().at("/mcp/messages/0/tool").asText()).isEqualTo("***");
        assertThat(allowed.status()).isEqualTo(200);
        assertThat(allowed.forwarded()).isTrue();
        assertThat(allowed.record().at("/mcp/messages/0/tool").asText()).isEqualTo("echo");
    }

    @Test
    void withoutAPlaceholderAllNamesAreShown() throws Exception {
        Outcome outcome =
                post("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}");

        assertThat(outcome.body()).contains("\"id\":\"a\"");
        assertThat(outcome.record().at("/mcp/messages/0/tool").asText()).isEqualTo("wipe");
    }
}
