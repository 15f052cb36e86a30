package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Switches to other protocols than WebSocket (RFC 9110, 7.8), as docker and kubectl ask for them. */
@Timeout(120)
class UpgradeTest {

    private static final String SECRET = "the-real-value-of-this-token";

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private TestProxy proxy(String... transforms) throws Exception {
        return TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: []")
                .catalog(Tenants.catalog(new TestSecrets().set("TOKEN", SECRET)))
                .sections("transforms:\n" + Wire.lines(transforms).replace("\r", ""))
                .start();
    }

    private static String allowlist(String rule) {
        return "  - {name: allowlist, config: {rules: [{cidr: 127.0.0.1" + rule + "}]}}";
    }

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static String agreement(String protocol) {
        return head("HTTP/1.1 101 UPGRADED", "Connection: Upgrade", "Upgrade: " + protocol, "X-Own: 1");
    }

    private static String request(TestOrigin origin, String line, String protocol, String... more) {
        return line + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\nConnection: Upgrade\r\nUpgrade: " + protocol
                + "\r\n" + (more.length == 0 ? "" : Wire.lines(more)) + "\r\n";
    }

    /** Switches after the request, greets, repeats what it reads, and ends when the client has. */
    private TestOrigin echo(String protocol) {
        return TestOrigin.of(peer -> echo(peer, protocol));
    }

    private void echo(Wire peer, String protocol) throws IOException {
        Wire.Message request = peer.request();
        seen.add(request.head() + "\n" + request.body());
        peer.send(agreement(protocol) + "hello:");
        peer.send(peer.readToEnd());
        peer.endOutput();
    }

    /** As {@code docker exec} does: a body, and then bytes, of which the client ends its half first. */
    @Test
    void relaysBytesOfAListedProtocolBehindARequestWithABody() throws Exception {
        try (TestOrigin origin = echo("tcp");
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp]"));
                Wire client = proxy.http()) {
            client.send(request(origin, "POST /exec/1/start", "tcp", "Content-Length: 2") + "{}");

            assertThat(client.readHead())
                    .startsWith("HTTP/1.1 101 UPGRADED\r\n")
                    .contains("\r\nConnection: Upgrade\r\nUpgrade: tcp")
                    .contains("\r\nX-Own: 1");
            assertThat(client.read(6)).isEqualTo("hello:");
            client.send("\u0000\u00ffbytes\u0088\u0002").endOutput();
            assertThat(client.readToEnd()).isEqualTo("\u0000\u00ffbytes\u0088\u0002");
            client.close();

            assertThat(seen())
                    .startsWith("POST /exec/1/start HTTP/1.1\r\n")
                    .contains("\r\nConnection: Upgrade\r\nUpgrade: tcp")
                    .endsWith("\n{}");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(2 + 9);
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(6 + 9);
            assertThat(record.has("error")).isFalse();
            assertThat(record.has("upgrade_dropped")).isFalse();
        }
    }

    /**
     * As {@code docker exec} does over TLS 1.3, under which close_notify ends one half only (RFC 8446, 6.1): the origin
     * sends nothing before the client has ended.
     */
    @Test
    void eachHalfEndsByItselfOverTls() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        String sent = "\u0000\u00ffbytes".repeat(50_000);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, peer -> echo(peer, "tcp"));
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .catalog(Tenants.catalog())
                        .sections(
                                "transforms:\n  - {name: allowlist, config: {rules: [{host: localhost, upgrade: [tcp]}]}}")
                        .start();
                Socket transport = connected(proxy.proxy().httpsAddress());
                Wire client = new Wire(secured(certificates, transport), transport)) {
            client.send("GET /x HTTP/1.1\r\nHost: localhost:" + origin.port()
                    + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            assertThat(client.read(6)).isEqualTo("hello:");

            client.send(sent).endOutput();

            assertThat(client.readToEnd()).isEqualTo(sent);
            client.close();
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(6 + sent.length());
            assertThat(record.has("error")).isFalse();
        }
    }

    /** A loop would keep its other connections waiting meanwhile; so, too, when a reload brings other roots. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTheHalvesNeedIsMadeBeforeALoopNeedsIt(boolean otherRoots) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        TestProxy.Builder builder = TestProxy.builder(folder)
                .certificates(certificates)
                .catalog(Tenants.catalog())
                .sections("transforms:\n  - {name: allowlist, config: {rules: [{host: localhost, upgrade: [tcp]}]}}");
        Path file = Files.writeString(folder.resolve("f.yaml"), builder.yaml());
        try (TlsMakers makers = TlsMakers.watch();
                TestOrigin origin = TestOrigin.tls(certificates.origin, peer -> echo(peer, "tcp"));
                TestProxy proxy = builder.start(file)) {
            if (otherRoots) {
                TestCertificates others = new TestCertificates(Files.createDirectory(folder.resolve("others")));
                Files.write(certificates.originPem, Files.readAllBytes(others.originPem), StandardOpenOption.APPEND);
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            }
            try (Socket transport = connected(proxy.proxy().httpsAddress());
                    Wire client = new Wire(secured(certificates, transport), transport)) {
                client.send("GET /x HTTP/1.1\r\nHost: localhost:" + origin.port()
                        + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
                assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            }

            assertThat(makers.threads()).isNotEmpty().noneMatch(thread -> thread.startsWith("sallyport-loop"));
        }
    }

    private static Socket connected(InetSocketAddress address) throws IOException {
        return new Socket(address.getAddress(), address.getPort());
    }

    /** Whose end of output is the alert alone: the TCP connection stays as it is. */
    private static SSLSocket secured(TestCertificates certificates, Socket transport) throws IOException {
        SSLSocket socket =
                (SSLSocket) certificates.client.getSocketFactory().createSocket(transport, "localhost", 443, false);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName("localhost")));
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** Whoever has ended its half may still be waiting: nothing but the limit for silence of both sides counts. */
    @Test
    void aClientThatHasEndedItsHalfMayWaitLong() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        TestOrigin.Script script = peer -> {
            peer.readHead();
            peer.send(agreement("tcp"));
            seen.add(peer.readToEnd());
            over.await(Patience.SECONDS, TimeUnit.SECONDS);
            peer.send("late");
        };
        try (TestOrigin origin = TestOrigin.of(script);
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "limits: {half_closed_timeout: 1ms}")
                        .catalog(Tenants.catalog())
                        .sections("transforms:\n" + allowlist(", upgrade: [tcp]"))
                        .start();
                Wire client = proxy.http()) {
            client.send(request(origin, "GET /x", "tcp"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            client.send("all").endOutput();
            assertThat(seen()).isEqualTo("all");
            // Another connection that waits as long is closed by the limit.
            try (TestOrigin silent = TestOrigin.of(peer -> over.await(Patience.SECONDS, TimeUnit.SECONDS));
                    Wire waiting = proxy.http()) {
                waiting.send("GET /x HTTP/1.1\r\nHost: " + silent.authority() + "\r\n\r\n")
                        .endOutput();
                assertThat(waiting.readToEnd()).isEmpty();
            }
            over.countDown();

            assertThat(client.readToEnd()).isEqualTo("late");
        }
    }

    /** As {@code kubectl exec} does, and the origin ends first. */
    @Test
    void relaysBytesBehindARequestWithoutABodyUntilTheOriginEnds() throws Exception {
        TestOrigin.Script script = peer -> {
            seen.add(peer.readHead());
            peer.send(agreement("spdy/3.1"));
            peer.send(peer.read(4) + "!");
        };
        try (TestOrigin origin = TestOrigin.of(script);
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp, SPDY/3.1]"));
                Wire client = proxy.http()) {
            client.send(request(origin, "POST /api/v1/exec?command=sh", "SPDY/3.1", "Content-Length: 0"));

            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ").contains("\r\nUpgrade: SPDY/3.1");
            client.send("ping");
            assertThat(client.readToEnd()).isEqualTo("ping!");
            client.close();
            assertThat(seen()).contains("\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1");
            assertThat(proxy.record().has("error")).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                 | tcp",
                "', upgrade: [spdy/3.1]'            | tcp",
                "', upgrade: [tcp], methods: [PUT]' | tcp",
                "', upgrade: [tcp], paths: [/y]'    | tcp",
                "', upgrade: [tcp]'                 | SPDY/3.1"
            })
    void refusesWhatNoRuleOfTheRequestListsAndNamesTheOption(String rule, String protocol) throws Exception {
        try (TestOrigin origin = echo("tcp");
                TestProxy proxy = proxy(allowlist(rule + "}, {cidr: 127.0.0.1"));
                Wire client = proxy.http()) {
            Wire.Message got = client.send(request(origin, "GET /x", protocol)).message();

            assertThat(got.status()).isEqualTo(403);
            assertThat(got.body())
                    .contains("upgrade_not_allowed")
                    .contains("The request asks to switch to " + protocol + ",")
                    .contains("must say upgrade: [" + protocol.toLowerCase(Locale.ROOT) + "].");
            assertThat(origin.connections()).isZero();
            JsonNode record = proxy.record();
            assertThat(record.path("upgrade_dropped").asText()).isEqualTo(protocol);
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.path("error").asText()).isEqualTo("upgrade_not_allowed");
        }
    }

    /** For offers of a newer HTTP or TLS an answer without a switch does. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "', upgrade: [tcp]'            | h2c",
                "', upgrade: [tcp]'            | HTTP/2.0",
                "''                            | TLS/1.2",
                "', upgrade: [tcp, websocket]' | 'websocket, tcp'",
                "''                            | connect-udp"
            })
    void dropsOtherProtocolsThatNoRuleListsAndSaysSo(String rule, String protocol) throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok(request.head()));
                TestProxy proxy = proxy(allowlist(rule + "}, {cidr: 127.0.0.1"));
                Wire client = proxy.http()) {
            Wire.Message got = client.send(request(origin, "GET /x", protocol)).message();

            assertThat(got.status()).isEqualTo(200);
            assertThat(got.body()).startsWith("GET /x ").doesNotContain("pgrade");
            assertThat(proxy.record().path("upgrade_dropped").asText()).isEqualTo(protocol);
        }
    }

    /** What follows is judged by nobody: each of several lists must want it. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", upgrade: [tcp]"})
    void everyListHasASay(String second) throws Exception {
        try (TestOrigin origin = echo("tcp");
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp]"), allowlist(second));
                Wire client = proxy.http()) {
            client.send(request(origin, "GET /x", "tcp"));

            assertThat(client.readHead()).startsWith(second.isEmpty() ? "HTTP/1.1 403 " : "HTTP/1.1 101 ");
        }
    }

    @Test
    void aRequestThatIsNotAllowedGetsNoSwitch() throws Exception {
        try (TestOrigin origin = echo("tcp");
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp], paths: [/listed]"));
                Wire client = proxy.http()) {
            client.send(request(origin, "GET /x", "tcp"));

            assertThat(client.readHead()).startsWith("HTTP/1.1 403 ");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void protocolsInRulesThatDoNotAdmitAreDoubted() throws Exception {
        String secrets =
                "  - {name: secrets, config: {secrets: [{source: {type: test, name: TOKEN}, replace: {proxy_value: "
                        + Tenants.PLACEHOLDER + "}, rules: [{cidr: 127.0.0.1, upgrade: [tcp]}]}]}}";
        try (TestProxy proxy = proxy(allowlist(", upgrade: [tcp]"), secrets)) {
            assertThat(proxy.proxy().warnings())
                    .filteredOn(warning -> warning.contains("/upgrade"))
                    .singleElement()
                    .asString()
                    .contains("/transforms/1/config/secrets/0/rules/0/upgrade", "has no effect here");
        }
    }

    @Test
    void anOriginMayAnswerWithoutASwitch() throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok(request.body() + "!"));
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp]"));
                Wire client = proxy.http()) {
            for (int i = 0; i < 2; i++) {
                client.send(request(origin, "POST /x", "tcp", "Content-Length: 2") + "{}");
                assertThat(client.message().body()).isEqualTo("{}!");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Connection: Upgrade\r\nUpgrade: h2c", "Upgrade: tcp", "Connection: Upgrade"})
    void anOriginMaySwitchToNothingElse(String fields) throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 101 X\r\n" + fields + "\r\n\r\n");
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp]"));
                Wire client = proxy.http()) {
            assertThat(client.send(request(origin, "GET /x", "tcp")).readHead()).startsWith("HTTP/1.1 502 ");
        }
    }

    /** The credential that was put into the request does not come back in the bytes, wherever these are cut. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 1000})
    void credentialsAreTakenOutOfTheBytes(int piece) throws Exception {
        TestOrigin.Script script = peer -> {
            String head = peer.readHead();
            seen.add(head);
            String echoed = "<" + Wire.field(head, "Authorization") + ">\u0000 the-real";
            peer.send(agreement("tcp"));
            for (int i = 0; i < echoed.length(); i += piece) {
                peer.send(echoed.substring(i, Math.min(echoed.length(), i + piece)));
            }
            peer.endOutput();
            peer.readToEnd();
        };
        String secrets =
                "  - {name: secrets, config: {secrets: [{source: {type: test, name: TOKEN}, replace: {proxy_value: "
                        + Tenants.PLACEHOLDER + "}}]}}";
        try (TestOrigin origin = TestOrigin.of(script);
                TestProxy proxy = proxy(allowlist(", upgrade: [tcp]"), secrets);
                Wire client = proxy.http()) {
            client.send(request(origin, "GET /x", "tcp", "Authorization: Bearer " + Tenants.PLACEHOLDER));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            String got = client.readToEnd();
            client.endOutput();

            assertThat(seen()).contains("Authorization: Bearer " + SECRET);
            assertThat(got)
                    .startsWith("<Bearer ")
                    .doesNotContain(SECRET)
                    .endsWith(">\u0000 the-real")
                    .hasSize(("<Bearer " + SECRET + ">\u0000 the-real").length());
        }
    }
}
