package dev.sallyport.server.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.MaskedEdit;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an explanation says of a request is what a running proxy then does with it. */
class ExplainedTrafficTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SECRET = "s3cret-value-0123456789";

    private final LinkedBlockingQueue<JsonNode> records = new LinkedBlockingQueue<>();

    @TempDir
    Path folder;

    private TestCertificates certificates;
    private TestOrigin plain;
    private TestOrigin tls;
    private EgressProxy proxy;

    /** A request; {@code lines} are header lines. */
    private record Asked(String method, String url, String body, String... lines) {}

    @BeforeEach
    void start() throws Exception {
        certificates = new TestCertificates(folder);
        plain = TestOrigin.answering(TestOrigin.ok("plain"));
        tls = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("tls")));
        proxy = EgressProxy.builder()
                .configText("proxy.yaml", yaml())
                .environment(Map.of("KEY", SECRET, "JUDGE_KEY", "judge-key"))
                .auditSink(new Records())
                .loops(1)
                .build();
        proxy.start();
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        plain.close();
        tls.close();
    }

    private String yaml() {
        return """
                dns: {enabled: false}
                metrics: {listen: disabled}
                proxy:
                  http_listen: disabled
                  https_listen: disabled
                  tunnel_listen: 127.0.0.1:0
                  upstream_deny_cidrs: ["10.0.0.0/8", "169.254.0.0/16"]
                  max_request_body_bytes: 4096
                  redact_responses: exchange
                tls: {ca_cert: %s, ca_key: %s, upstream_ca: %s}
                transforms:
                  - name: oauth_token
                    config:
                      tokens:
                        - grant: client_credentials
                          token_endpoint: https://login.example.com/oauth2/token
                          client_id: {type: env, var: KEY}
                          client_secret: {type: env, var: KEY}
                          rules: [{host: localhost, paths: ["/v1/minted"]}]
                  - name: allowlist
                    config:
                      domains: ["*.allowed.example.com"]
                      cidrs: ["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "203.0.113.0/24"]
                      rules:
                        - {host: localhost, methods: [GET, POST, TRACE], paths: ["/v1/*", "/mcp"]}
                  - name: judge
                    config:
                      name: gate
                      prompt: Allow nothing.
                      rules: [{host: localhost, paths: ["/v1/judged"]}]
                      provider: {type: llm_a, model: m, api_key_env: JUDGE_KEY}
                  - name: annotate
                    config:
                      annotations:
                        - rules: [{host: localhost}]
                          headers: [X-Request-Id]
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: KEY}
                          replace: {proxy_value: PLACEHOLDER_ONE, match_headers: [Authorization], match_query: true, match_body: true}
                          on_misdirect: reject
                          rules: [{host: localhost}]
                        - source: {type: env, var: KEY}
                          replace: {proxy_value: PLACEHOLDER_TWO, match_headers: [X-Token], require: true}
                          rules: [{host: localhost, paths: ["/v1/required"]}]
                        - source: {type: env, var: KEY}
                          inject: {query_param: key}
                          rules: [{cidr: 127.0.0.1, paths: ["/inject"]}, {cidr: 203.0.113.0/24}]
                  - name: hmac_sign
                    config:
                      timestamp: {format: unix_seconds}
                      signature: {algorithm: sha256, key_encoding: raw, output_encoding: hex, message: "{{.Timestamp}}{{.Body}}"}
                      credentials: {secret: {type: env, var: KEY}}
                      headers: [{name: X-Sign, value: "{{.Signature}}"}]
                      rules: [{host: localhost, paths: ["/v1/signed"]}]
                  - name: header_allowlist
                    config:
                      headers: [Accept, Authorization, X-Sign, Content-Type]
                      rules: [{host: localhost, paths: ["/v1/stripped"]}]
                mcp:
                  servers:
                    - name: issues
                      rules: [{host: localhost, paths: ["/mcp"]}]
                      tools: [{name: search}]
                """.formatted(certificates.caCert, certificates.caKey, certificates.originPem);
    }

    private List<Asked> requests() {
        String http = "http://127.0.0.1:" + plain.port();
        String https = "https://localhost:" + tls.port();
        String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"}}";
        return List.of(
                new Asked("GET", http + "/", ""),
                new Asked("GET", https + "/v1/x?a=b", "", "X-Request-Id: 17"),
                new Asked("GET", "http://denied.example.com/", ""),
                new Asked("GET", "https://denied.example.com/", ""),
                new Asked("DELETE", https + "/v1/x", ""),
                new Asked("GET", https + "/other", ""),
                new Asked("GET", "http://10.1.2.3/", ""),
                new Asked("GET", "http://169.254.169.254/latest/meta-data", ""),
                new Asked("GET", https + "/v1/secret", "", "Authorization: Bearer PLACEHOLDER_ONE"),
                new Asked("GET", https + "/v1/secret?token=PLACEHOLDER_ONE", ""),
                new Asked("POST", https + "/v1/form", "token=PLACEHOLDER_ONE", "Content-Type: text/plain"),
                new Asked("GET", https + "/v1/required", ""),
                new Asked("GET", https + "/v1/required", "", "X-Token: PLACEHOLDER_TWO"),
                new Asked("GET", http + "/inject", ""),
                new Asked("GET", "http://203.0.113.9/x", ""),
                new Asked("GET", http + "/", "", "Authorization: Bearer PLACEHOLDER_ONE"),
                new Asked("POST", https + "/mcp", call.formatted("search")),
                new Asked("POST", https + "/mcp", call.formatted("delete_everything")),
                new Asked("POST", https + "/mcp", "{not json"),
                new Asked("GET", https + "/v1%2Fx", ""),
                new Asked("GET", http + "/a/../b", ""),
                new Asked("GET", https + "/v1/x", "", "Host: other.example.com"),
                new Asked("TRACE", https + "/v1/x", "", "Authorization: Bearer PLACEHOLDER_ONE"),
                new Asked("CONNECT", "denied.example.com:443", ""),
                new Asked("GET", "http://sallyport.internal/ca.pem", ""),
                new Asked("POST", "http://sallyport.internal/ca.pem", ""),
                new Asked("GET", https + "/v1/stripped", "", "X-Strange: 1", "Accept: */*"),
                new Asked("POST", https + "/v1/signed", "abc"),
                new Asked("POST", https + "/v1/signed", "x".repeat(5000)),
                new Asked("POST", "https://login.example.com/oauth2/token", "grant_type=client_credentials"));
    }

    @Test
    void anExplanationIsWhatTheProxyDoes() throws Exception {
        List<Asked> requests = requests();
        assertThat(requests).hasSizeGreaterThanOrEqualTo(20);
        for (Asked asked : requests) {
            // given: what the proxy says that it would do
            Explanation explained = proxy.explain(request(asked));
            ObjectNode json = ExplanationJson.of(explained);

            // when
            Wire.Message answer = send(asked);

            // then
            JsonNode record = records.poll(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(record)
                    .as("the record of %s %s", asked.method(), asked.url())
                    .isNotNull();
            assertThat(outline(explained, json))
                    .as("%s %s: %s", asked.method(), asked.url(), json)
                    .isEqualTo(outline(record, answer, explained.verdict() == Explanation.Verdict.ALLOW));
            assertThat(json.toString()).doesNotContain(SECRET);
        }
        assertThat(records).as("explanations leave no records").isEmpty();
    }

    /** What explanation and record both say. */
    private static String outline(Explanation explained, ObjectNode json) {
        StringBuilder text = new StringBuilder(explained.verdict().text());
        text.append(' ').append(explained.status());
        text.append(" by ").append(explained.decidedBy());
        text.append(" code ").append(explained.verdict() == Explanation.Verdict.STUB ? null : explained.code());
        for (JsonNode transform : json.get("transforms")) {
            if (transform.get("phase").asText().equals("request")) {
                text.append("\n").append(transform.get("name").asText());
                text.append(' ').append(transform.get("action").asText());
                text.append(' ').append(transform.get("annotations"));
            }
        }
        return text.append("\nmcp ").append(json.path("mcp")).toString();
    }

    private static String outline(JsonNode record, Wire.Message answer, boolean allowed) {
        JsonNode audit = record.get("audit");
        String action = audit.get("action").asText();
        StringBuilder text = new StringBuilder(action);
        text.append(' ').append(allowed ? 0 : audit.get("status_code").asInt());
        String by = record.path(action.equals("stub") ? "stubbed_by" : "rejected_by")
                .asText(null);
        text.append(" by ").append(by);
        text.append(" code ").append(code(record, answer, action));
        if (!audit.get("method").asText().equals("CONNECT")) {
            for (JsonNode transform : record.get("request_transforms")) {
                text.append("\n").append(transform.get("name").asText());
                text.append(' ').append(transform.get("action").asText());
                text.append(' ').append(transform.has("annotations") ? transform.get("annotations") : "{}");
            }
        }
        return text.append("\nmcp ").append(record.path("mcp")).toString();
    }

    /** From the problem document; where a transform answers in its own words, from its note. */
    private static String code(JsonNode record, Wire.Message answer, String action) {
        if (action.equals("allow") || action.equals("stub")) {
            return null;
        }
        try {
            JsonNode problem = JSON.readTree(answer.body());
            if (problem.has("code")) {
                return problem.get("code").asText();
            }
        } catch (IOException e) {
            throw new AssertionError(answer.body(), e);
        }
        JsonNode transforms = record.get("request_transforms");
        return transforms
                .get(transforms.size() - 1)
                .path("annotations")
                .path("code")
                .asText();
    }

    @Test
    void whereSomebodyWouldHaveToBeAskedTheVerdictIsOpen() throws Exception {
        String https = "https://localhost:" + tls.port();

        Explanation judged = proxy.explain(request(new Asked("GET", https + "/v1/judged", "")));
        Explanation minted = proxy.explain(request(new Asked("GET", https + "/v1/minted", "")));

        assertThat(judged.verdict()).isEqualTo(Explanation.Verdict.UNDECIDABLE);
        assertThat(judged.decidedBy()).isEqualTo("judge");
        assertThat(judged.rule()).isNotNull();
        assertThat(judged.rule().pointer()).isEqualTo("/transforms/2/config/rules/0");
        assertThat(judged.rule().toString()).startsWith("proxy.yaml:");
        assertThat(minted.verdict()).isEqualTo(Explanation.Verdict.UNDECIDABLE);
        assertThat(minted.decidedBy()).isEqualTo("oauth_token");
        assertThat(tls.connections() + plain.connections()).isZero();
        assertThat(proxy.count("sallyport.judge.decisions", "gate", "FALLBACK_DENY"))
                .isZero();
        assertThat(records).isEmpty();
    }

    @Test
    void theRuleThatMatchedIsNamedByFileLineAndPointer() throws Exception {
        Explanation swapped = proxy.explain(request(new Asked(
                "GET", "https://localhost:" + tls.port() + "/v1/x", "", "Authorization: Bearer PLACEHOLDER_ONE")));
        Explanation byCidr = proxy.explain(request(new Asked("GET", "http://127.0.0.1/", "")));
        Explanation refused = proxy.explain(request(new Asked("GET", "http://denied.example.com/", "")));

        assertThat(swapped.rule()).hasToString("proxy.yaml:" + line("{host: localhost, methods"));
        assertThat(swapped.rule().pointer()).isEqualTo("/transforms/1/config/rules/0");
        assertThat(byCidr.rule().pointer()).isEqualTo("/transforms/1/config/cidrs/0");
        assertThat(refused.rule().pointer()).isEqualTo("/transforms/1/config");
        assertThat(refused.rule()).hasToString("proxy.yaml:" + line("domains: [\"*.allowed"));
        assertThat(swapped.transforms())
                .filteredOn(outcome -> outcome.name().equals("secrets"))
                .singleElement()
                .satisfies(outcome -> {
                    assertThat(outcome.edits()).containsExactly(edit("set_header", "Authorization", "***"));
                    assertThat(outcome.rule().pointer()).isEqualTo("/transforms/4/config/secrets/0/rules/0");
                });
    }

    private static MaskedEdit edit(String what, String name, String value) {
        return new MaskedEdit(what, name, value);
    }

    /** The number of the line that holds a text. */
    private int line(String text) {
        List<String> lines = yaml().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(text)) {
                return i + 1;
            }
        }
        throw new AssertionError(text);
    }

    private static ExplainRequest request(Asked asked) throws Exception {
        ExplainRequest.Builder request = ExplainRequest.builder(asked.method(), asked.url());
        for (String line : asked.lines()) {
            int colon = line.indexOf(':');
            request.header(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        return request.body(asked.body().getBytes(StandardCharsets.UTF_8)).build();
    }

    /** As a client does that has the proxy in its environment. */
    private Wire.Message send(Asked asked) throws Exception {
        try (Socket socket = new Socket(
                        proxy.tunnelAddress().getAddress(),
                        proxy.tunnelAddress().getPort());
                Wire wire = new Wire(socket)) {
            if (asked.method().equals("CONNECT")) {
                return wire.send("CONNECT " + asked.url() + " HTTP/1.1\r\nHost: " + asked.url() + "\r\n\r\n")
                        .message();
            }
            URI uri = URI.create(asked.url());
            if (uri.getScheme().equals("http")) {
                return wire.send(message(asked, asked.url(), uri.getAuthority()))
                        .message();
            }
            String target = uri.getHost() + ":" + (uri.getPort() < 0 ? 443 : uri.getPort());
            wire.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
            String opened = wire.readHead();
            if (!opened.startsWith("HTTP/1.1 200")) {
                int length = Integer.parseInt(Wire.field(opened, "Content-Length"));
                return new Wire.Message(opened, wire.read(length), List.of());
            }
            String tail = asked.url().substring(asked.url().indexOf('/', "https://".length()));
            try (Wire inside = wire.tls(certificates.client, uri.getHost())) {
                return inside.send(message(asked, tail, uri.getAuthority())).message();
            }
        }
    }

    private static String message(Asked asked, String target, String authority) {
        List<String> lines = new ArrayList<>(List.of(asked.lines()));
        if (lines.stream().noneMatch(line -> line.startsWith("Host:"))) {
            lines.add(0, "Host: " + authority);
        }
        if (!asked.body().isEmpty()) {
            lines.add("Content-Length: " + asked.body().length());
        }
        return asked.method() + " " + target + " HTTP/1.1\r\n" + String.join("\r\n", lines) + "\r\n\r\n" + asked.body();
    }

    /** Hands records on. */
    private final class Records implements AuditSink {

        @Override
        public void write(ByteBuffer lines) throws IOException {
            String text = StandardCharsets.UTF_8.decode(lines).toString();
            for (String line : text.split("\n", -1)) {
                if (!line.isEmpty()) {
                    records.add(JSON.readTree(line));
                }
            }
        }

        @Override
        public void flush() {
            // Nothing is held back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
