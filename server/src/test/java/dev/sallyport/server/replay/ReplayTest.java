package dev.sallyport.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.server.record.RecordReader;
import dev.sallyport.server.terminal.Palette;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replay of recorded exchanges (docs/spec/decisions.md, section 13). */
class ReplayTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

    @TempDir
    Path folder;

    private TestCertificates certificates;

    /** What was replayed, and how many lines were read. */
    private record Outcome(ReplayReport report, RecordReader reader) {}

    private String yaml(Path audit, String... rules) {
        return """
                dns: {enabled: false}
                metrics: {listen: disabled}
                proxy:
                  http_listen: 127.0.0.1:0
                  https_listen: disabled
                  tunnel_listen: 127.0.0.1:0
                  upstream_deny_cidrs: ["10.0.0.0/8"]
                  redact_responses: exchange
                tls: {ca_cert: %s, ca_key: %s, upstream_ca: %s}
                log: {level: error, audit: {file: %s}}
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - %s
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: KEY}
                          replace: {proxy_value: PLACEHOLDER_ONE, match_headers: [Authorization]}
                          on_misdirect: reject
                          rules: [{cidr: 127.0.0.1, paths: ["/a/*"]}]
                mcp:
                  servers:
                    - name: issues
                      rules: [{cidr: 127.0.0.1, paths: ["/mcp"]}]
                      tools: [{name: search}]
                """.formatted(
                        certificates.caCert,
                        certificates.caKey,
                        certificates.originPem,
                        audit,
                        String.join("\n        - ", rules));
    }

    private static final String A = "{cidr: 127.0.0.1, methods: [GET], paths: [\"/a/*\"]}";
    private static final String B = "{cidr: 127.0.0.1, methods: [GET, PUT], paths: [\"/b/*\"]}";
    private static final String MCP = "{cidr: 127.0.0.1, paths: [\"/mcp\"]}";
    private static final String PRIVATE = "{cidr: 10.0.0.0/8}";
    private static final String TUNNEL = "{host: localhost, paths: [\"/t\"]}";

    /** Sends requests of all kinds, over and over, and returns how many there were. */
    private int traffic(EgressProxy proxy, TestOrigin origin, TestOrigin tls, int rounds) throws Exception {
        String host = origin.authority();
        int sent = 0;
        try (Socket socket = new Socket(
                        proxy.httpAddress().getAddress(), proxy.httpAddress().getPort());
                Wire client = new Wire(socket)) {
            for (int i = 0; i < rounds; i++) {
                client.get("/a/" + i, host);
                client.send(Wire.head("GET /a/x HTTP/1.1", "Host: " + host, "Authorization: Bearer PLACEHOLDER_ONE"))
                        .message();
                client.send(Wire.head("GET /b/x HTTP/1.1", "Host: " + host, "Authorization: Bearer PLACEHOLDER_ONE"))
                        .message();
                client.get("/b/" + i + "?q=1", host);
                client.get("/c/" + i, host);
                client.get("/", "denied.example.com");
                client.get("/", "10.0.0.1");
                client.get("/ca.pem", "sallyport.internal");
                client.send(Wire.head("PUT /b/x HTTP/1.1", "Host: " + host, "Content-Length: 1") + "x")
                        .message();
                client.send(Wire.head("POST /mcp HTTP/1.1", "Host: " + host, "Content-Length: " + CALL.length()) + CALL)
                        .message();
                sent += 10;
            }
        }
        for (String path : List.of("/t", "/u")) {
            try (Socket socket = new Socket(
                            proxy.tunnelAddress().getAddress(),
                            proxy.tunnelAddress().getPort());
                    Wire client = new Wire(socket)) {
                String target = "localhost:" + tls.port();
                client.send(Wire.head("CONNECT " + target + " HTTP/1.1", "Host: " + target));
                client.readHead();
                try (Wire inside = client.tls(certificates.client, "localhost")) {
                    inside.get(path, target);
                    sent++;
                }
            }
        }
        return sent;
    }

    private Path record(int rounds) throws Exception {
        certificates = new TestCertificates(folder);
        Path audit = folder.resolve("audit.jsonl");
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("done"));
                TestOrigin tls = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("tls")));
                EgressProxy proxy = EgressProxy.builder()
                        .configText("proxy.yaml", yaml(audit, A, B, MCP, PRIVATE, TUNNEL))
                        .environment(Map.of("KEY", "s3cret-value-0123"))
                        .loops(1)
                        .build()) {
            proxy.start();
            assertThat(traffic(proxy, origin, tls, rounds)).isEqualTo(10 * rounds + 2);
        }
        return audit;
    }

    private Outcome replay(String yaml, Path audit) throws Exception {
        try (InputStream lines = Files.newInputStream(audit)) {
            return replay(yaml, lines);
        }
    }

    private Outcome replay(String yaml, InputStream lines) throws Exception {
        try (DryRun dry = EgressProxy.builder()
                .configText("new.yaml", yaml)
                .environment(Map.of())
                .dryRun(false)) {
            Replay replay = new Replay(dry::explain);
            RecordReader reader = new RecordReader(exchange -> {
                try {
                    replay.replay(exchange);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            reader.read("audit.jsonl", lines);
            return new Outcome(replay.report(), reader);
        }
    }

    @Test
    @Tag("long")
    void tenThousandExchangesAgainstAnUnchangedFileAndAgainstOneChangedRule() throws Exception {
        int rounds = 1000;
        Path audit = record(rounds);

        // when: nothing has changed
        Outcome same = replay(yaml(audit, A, B, MCP, PRIVATE, TUNNEL), audit);

        // then: no flip; what the body of a message or a header decided is said to be open
        assertThat(same.reader().tally().exchanges()).isEqualTo(10L * rounds + 2);
        assertThat(same.report().flipCount()).isZero();
        assertThat(same.report().undecidable())
                .containsOnlyKeys(
                        "mcp needs more than a record has",
                        "secrets had refused it, and looked at more than a record has");
        assertThat(same.report().undecidableCount()).isEqualTo(2L * rounds);
        assertThat(same.report().unchangedCount()).isEqualTo(8L * rounds + 2);

        // when: one rule no longer has a method
        String narrower = "{cidr: 127.0.0.1, methods: [GET], paths: [\"/b/*\"]}";
        Outcome changed = replay(yaml(audit, A, narrower, MCP, PRIVATE, TUNNEL), audit);

        // then: exactly its requests
        assertThat(changed.report().flipCount()).isEqualTo(rounds);
        FlipGroup group = changed.report().groups().getFirst();
        assertThat(changed.report().groups()).hasSize(1);
        assertThat(group.count()).isEqualTo(rounds);
        assertThat(group.flips()).allSatisfy(flip -> {
            assertThat(flip.method()).isEqualTo("PUT");
            assertThat(flip.url()).matches("http://127.0.0.1:\\d+/b/x");
            assertThat(flip.code()).isEqualTo("destination_not_allowed");
        });
        assertThat(group.cause().transform()).isEqualTo("allowlist");
        assertThat(group.cause().before()).isEqualTo(Verdict.ALLOW);
        assertThat(group.cause().now()).isEqualTo(Verdict.REJECT);
        assertThat(changed.report().unchangedCount()).isEqualTo(7L * rounds + 2);
    }

    @Test
    void whatARuleLetsInIsGroupedByThatRule() throws Exception {
        Path audit = record(3);

        Outcome wider = replay(
                yaml(
                        audit,
                        A,
                        B,
                        MCP,
                        PRIVATE,
                        TUNNEL,
                        "{cidr: 127.0.0.1, paths: [\"/c/*\"]}",
                        "{host: denied.example.com}"),
                audit);

        assertThat(wider.report().groups())
                .extracting(group -> group.cause().transform() + " "
                        + group.cause().rule().pointer() + " "
                        + group.cause().before().text() + " "
                        + group.cause().now().text() + " " + group.count())
                .containsExactly(
                        "allowlist /transforms/0/config/rules/5 reject allow 3",
                        "allowlist /transforms/0/config/rules/6 reject allow 3");
    }

    @Test
    void theTunnelIsJudgedToo() throws Exception {
        Path audit = record(1);

        Outcome closed = replay(yaml(audit, A, B, MCP, PRIVATE), audit);

        assertThat(closed.report().groups())
                .singleElement()
                .satisfies(group -> assertThat(group.flips())
                        .singleElement()
                        .satisfies(flip -> assertThat(flip.url()).matches("https://localhost:\\d+/t")));
    }

    @Test
    void theReportForPeopleAndForPrograms() throws Exception {
        Path audit = record(1);
        Outcome changed = replay(yaml(audit, B, MCP, PRIVATE, TUNNEL), audit);
        ReplayPrinter printer =
                new ReplayPrinter(changed.report(), changed.reader().tally());

        assertThat(printer.text(new Palette(false)))
                .contains(
                        "ALLOW -> REJECT  allowlist  new.yaml:14  /transforms/0/config  (2)\n    GET http://127.0.0.1:")
                .endsWith("""
                        12 exchanges: 8 unchanged, 2 would flip, 2 undecidable
                        4 of the unchanged also depend on headers, taken as they were
                        """);
        JsonNode json = printer.json();
        assertThat(json.at("/counts/flips").asInt()).isEqualTo(2);
        assertThat(json.at("/flips/0/rule/pointer").asText()).isEqualTo("/transforms/0/config");
        assertThat(json.at("/flips/0/old").asText()).isEqualTo("allow");
        assertThat(json.at("/flips/0/new").asText()).isEqualTo("reject");
        assertThat(json.at("/flips/0/exchanges")).hasSize(2);
        assertThat(json.at("/flips/0/exchanges/0/exchange_id").asText()).isNotEmpty();
    }

    // What records say.

    private static String line(String more, String host, String method, String path, String action) {
        return "{\"msg\":\"request\",\"exchange_id\":\"e\",\"audit\":{\"host\":\"%s\",\"port\":443,\"method\":\"%s\",\"path\":\"%s\","
                        .formatted(host, method, path)
                + "\"sni\":\"%s\",\"action\":\"%s\",\"status_code\":0}%s}".formatted(host, action, more);
    }

    private ReplayReport replayed(String... lines) throws Exception {
        certificates = new TestCertificates(folder);
        String text = String.join("\n", lines);
        return replay(
                        yaml(folder.resolve("none"), "{host: a.example.com}"),
                        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                .report();
    }

    private static String passed(String action) {
        return ",\"request_transforms\":[{\"name\":\"allowlist\",\"action\":\"" + action + "\"}]";
    }

    /** How each action counts; the new file allows a.example.com and nothing else. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # action      | host          | transforms | error              | unchanged | flips | undecidable
            allow         | a.example.com | allow      |                    | 1         | 0     | 0
            allow         | b.example.com | allow      |                    | 0         | 1     | 0
            reject        | b.example.com | reject     |                    | 1         | 0     | 0
            reject        | a.example.com | reject     |                    | 0         | 1     | 0
            stub          | a.example.com | stub       |                    | 0         | 1     | 0
            error         | a.example.com | allow      | upstream_timeout   | 1         | 0     | 0
            error         | b.example.com | allow      | upstream_timeout   | 0         | 1     | 0
            error         | a.example.com | error      | transform_failed   | 0         | 0     | 1
            error         | a.example.com | allow      | upstream_denied: x | 0         | 0     | 1
            client_cancel | a.example.com | allow      |                    | 1         | 0     | 0
            client_cancel | b.example.com | allow      |                    | 0         | 1     | 0
            new_action    | a.example.com | allow      |                    | 0         | 0     | 1
            """)
    void howActionsCount(
            String action, String host, String transforms, String error, int unchanged, int flips, int undecidable)
            throws Exception {
        String more = passed(transforms)
                + (error == null ? "" : ",\"error\":\"" + error + "\"")
                + (action.equals("reject") ? ",\"rejected_by\":\"allowlist\"" : "");

        ReplayReport report = replayed(line(more, host, "GET", "/x", action));

        assertThat(List.of(report.unchangedCount(), report.flipCount(), report.undecidableCount()))
                .containsExactly((long) unchanged, (long) flips, (long) undecidable);
    }

    @Test
    void whatTheProxyItselfRefusedIsOpenUnlessItRefusesItAgain() throws Exception {
        ReplayReport report = replayed(
                line(",\"error\":\"misdirected_request\"", "a.example.com", "GET", "/x", "reject"),
                line(",\"error\":\"bad_request\"", "a.example.com", "GET", "/x/%00/y", "reject"));

        assertThat(report.undecidable()).containsOnlyKeys("the proxy itself had refused it: misdirected_request");
        assertThat(report.unchangedCount()).isEqualTo(1);
    }

    @Test
    void whatHasNoRequestIsOpen() throws Exception {
        List<String> lines = new ArrayList<>();
        lines.add(line(passed("allow"), "", "GET", "/x", "allow"));
        lines.add(line(passed("allow"), "a.example.com", "GET", "", "allow"));
        lines.add(line("", "a.example.com", "GET", "/x", "error"));
        lines.add(line(passed("allow"), "a.example.com", "", "", "allow")); // passed through

        ReplayReport report = replayed(lines.toArray(String[]::new));

        assertThat(report.undecidableCount()).isEqualTo(4);
        assertThat(report.flipCount()).isZero();
    }

    @Test
    void aConnectIsJudgedAsATunnel() throws Exception {
        ReplayReport report = replayed(
                line("", "a.example.com", "CONNECT", "", "client_cancel"),
                line("", "b.example.com", "CONNECT", "", "client_cancel"),
                line(",\"rejected_by\":\"allowlist\"", "b.example.com", "CONNECT", "", "reject"));

        assertThat(report.unchangedCount()).isEqualTo(2);
        assertThat(report.groups())
                .singleElement()
                .satisfies(group -> assertThat(group.flips().getFirst().url()).isEqualTo("b.example.com:443"));
    }
}
