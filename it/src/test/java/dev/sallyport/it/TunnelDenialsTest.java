package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Tools;
import dev.sallyport.testsupport.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code proxy.tunnel_denials} (docs/spec/decisions.md, section 3): where a client is told that its tunnel leads
 * nowhere.
 */
@Timeout(120)
class TunnelDenialsTest {

    private static final String INSIDE = "tunnel_denials: inside";
    private static final String OPEN = "upstream_deny_cidrs: []";

    /**
     * Lets tunnels through to the hosts on its list, and every request: so a request that gets past the tunnel's refusal
     * shows, because nothing else stops it.
     */
    private static final class Hosts implements InlineTransform {

        final Set<String> listed = ConcurrentHashMap.newKeySet();

        @Override
        public Admission onConnect(ConnectContext context) {
            String host = context.target().host();
            if (host.equals("broken.test")) {
                throw new IllegalStateException("a fault of the test");
            }
            context.trace().annotate("asked", host);
            return listed.contains(host)
                    ? Admission.pass()
                    : Admission.refuse("not_listed", "Nobody may go there.").at("hosts");
        }

        @Override
        public Decision decide(RequestContext context) {
            return Decision.proceed();
        }
    }

    @TempDir
    Path folder;

    private final Hosts hosts = new Hosts();
    private TestCertificates certificates;

    @BeforeEach
    void make() {
        certificates = new TestCertificates(folder);
    }

    private TestProxy.Builder builder(String... lines) {
        return TestProxy.builder(folder)
                .certificates(certificates)
                .proxyLines(lines)
                .transform("hosts", hosts);
    }

    private TestProxy start() throws StartException {
        return builder(OPEN, INSIDE).start();
    }

    private static Wire open(TestProxy proxy, String authority) throws java.io.IOException {
        Wire tunnel = proxy.tunnel();
        tunnel.send(head("CONNECT " + authority + " HTTP/1.1", "Host: " + authority));
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
        return tunnel;
    }

    private static void refused(JsonNode record, String method, String host) {
        assertThat(record.get("rejected_by").asText()).isEqualTo("hosts");
        assertThat(record.has("error")).isFalse();
        JsonNode steps = record.get("request_transforms");
        assertThat(steps).as(steps.toString()).hasSize(1);
        assertThat(steps.get(0).get("name").asText()).isEqualTo("hosts");
        assertThat(steps.get(0).get("action").asText()).isEqualTo("reject");
        assertThat(steps.get(0).get("annotations").get("asked").asText()).isNotEmpty();
        assertThat(steps.get(0).get("annotations").get("code").asText()).isEqualTo("not_listed");
        JsonNode audit = record.get("audit");
        assertThat(audit.get("method").asText()).isEqualTo(method);
        assertThat(audit.get("host").asText()).isEqualTo(host);
        assertThat(audit.get("action").asText()).isEqualTo("reject");
        assertThat(audit.get("status_code").asInt()).isEqualTo(403);
        assertThat(audit.get("duration_ms").asDouble()).isPositive();
    }

    /** The names do not exist: had they been resolved, the answer would be a 502. */
    @ParameterizedTest
    @CsvSource({
        "http, https, --http1.1",
        "http, https, --http2",
        "http, http, --http1.1",
        "http, http, --http2-prior-knowledge",
        "socks5h, https, --http1.1",
        "socks5h, https, --http2",
        "socks5h, http, --http1.1",
        "socks5h, http, --http2-prior-knowledge"
    })
    void curlShowsTheAnswerInside(String way, String scheme, String version) throws Exception {
        Tools.require("curl");
        try (TestProxy proxy = start()) {
            String through =
                    way + "://127.0.0.1:" + proxy.proxy().tunnelAddress().getPort();
            List<String> options =
                    new ArrayList<>(List.of("-p", "-x", through, version, "--cacert", certificates.caCert.toString()));
            options.addAll(List.of("-d", "a body", "-w", " %{http_code}", scheme + "://elsewhere.test/a?b"));
            String printed = Tools.run(Tools.curl(options));

            assertThat(printed)
                    .contains("\"code\":\"not_listed\"", "Nobody may go there.", "\"transform\":\"hosts\"", "].hosts\"")
                    .endsWith(" 403");
            JsonNode record = proxy.record();
            refused(record, "POST", "elsewhere.test");
            assertThat(record.get("tunnel").get("target").asText()).startsWith("elsewhere.test:");
            assertThat(record.get("audit").get("path").asText()).isEqualTo("/a?b");
            assertThat(record.get("audit").get("protocol").asText())
                    .isEqualTo(version.startsWith("--http2") ? "h2" : "http/1.1");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
    void everyRequestOfAJavaClientIsAnsweredAndOnRecord(HttpClient.Version version) throws Exception {
        try (TestProxy proxy = start()) {
            try (HttpClient client = java(proxy, version)) {
                List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
                client.send(get("/first"), HttpResponse.BodyHandlers.ofString());
                for (int i = 0; i < 20; i++) {
                    answers.add(client.sendAsync(get("/" + i), HttpResponse.BodyHandlers.ofString()));
                }
                for (CompletableFuture<HttpResponse<String>> answer : answers) {
                    assertThat(answer.join().statusCode()).isEqualTo(403);
                    assertThat(answer.join().version()).isEqualTo(version);
                    assertThat(answer.join().headers().firstValue("content-type"))
                            .hasValue("application/problem+json");
                    assertThat(answer.join().body()).contains("not_listed");
                }
            }
            List<JsonNode> requests = new ArrayList<>(proxy.closeAndRecords());
            // With HTTP/1.1 the client opens tunnels ahead, which need not all be used.
            requests.removeIf(
                    record -> record.get("audit").get("method").asText().equals("CONNECT"));
            requests.forEach(record -> refused(record, "GET", "elsewhere.test"));
            assertThat(requests).hasSize(21);
        }
    }

    private static HttpRequest get(String path) {
        return HttpRequest.newBuilder(URI.create("https://elsewhere.test" + path))
                .build();
    }

    private HttpClient java(TestProxy proxy, HttpClient.Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(certificates.client)
                .proxy(ProxySelector.of(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        proxy.proxy().tunnelAddress().getPort())))
                .build();
    }

    @Test
    void theHandshakeOfAWebSocket() throws Exception {
        try (TestProxy proxy = start()) {
            try (HttpClient client = java(proxy, HttpClient.Version.HTTP_1_1)) {
                assertThatThrownBy(() -> client.newWebSocketBuilder()
                                .buildAsync(URI.create("wss://elsewhere.test/socket"), new WebSocket.Listener() {})
                                .join())
                        .isInstanceOf(CompletionException.class)
                        .cause()
                        .isInstanceOfSatisfying(
                                WebSocketHandshakeException.class,
                                refusal -> assertThat(refusal.getResponse().statusCode())
                                        .isEqualTo(403));
            }
            assertThat(proxy.closeAndRecords())
                    .singleElement()
                    .satisfies(record -> refused(record, "GET", "elsewhere.test"));
        }
    }

    /** RFC 8441: a CONNECT of its own, inside the tunnel that was one too. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHandshakeOfAWebSocketOverHttp2(boolean secure) throws Exception {
        try (TestProxy proxy = start();
                Wire tunnel = open(proxy, "elsewhere.test:" + (secure ? 443 : 80));
                Wire inside = secure
                        ? new Wire(TestProxy.secure(certificates.client, tunnel.socket(), "elsewhere.test", "h2"))
                        : tunnel) {
            Http2Peer client = Http2Peer.connect(inside);
            client.headers(
                    1,
                    false,
                    ":method",
                    "CONNECT",
                    ":protocol",
                    "websocket",
                    ":scheme",
                    secure ? "https" : "http",
                    ":path",
                    "/socket",
                    ":authority",
                    "elsewhere.test",
                    "sec-websocket-version",
                    "13");

            assertThat(client.fields(client.next(Http2Peer.HEADERS)))
                    .contains(":status: 403", "content-type: application/problem+json");
            assertThat(client.next(Http2Peer.DATA).text()).contains("\"code\":\"not_listed\"");
            JsonNode record = proxy.record();
            refused(record, "GET", "elsewhere.test");
            assertThat(record.at("/audit/path").asText()).isEqualTo("/socket");
            assertThat(record.at("/audit/protocol").asText()).isEqualTo("h2");
            client.close(); // or the end waits for the client, whose side of the stream is open
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    /** The request is to a name that may be dialled, and an origin is there. */
    @Test
    void whatAnAddressWasRefusedNoNameInsideGets() throws Exception {
        hosts.listed.add("localhost");
        try (TestOrigin origin = TestOrigin.of(TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = start();
                Wire client = open(proxy, "127.0.0.1:" + origin.port())) {
            for (String host : List.of("localhost:" + origin.port(), "127.0.0.1:" + origin.port())) {
                client.send(head("GET / HTTP/1.1", "Host: " + host));

                Wire.Message answer = client.message();
                assertThat(answer.head()).startsWith("HTTP/1.1 403 ");
                assertThat(answer.body()).contains("not_listed");
                assertThat(proxy.record().get("rejected_by").asText()).isEqualTo("hosts");
            }
            assertThat(proxy.closeAndRecords()).hasSize(2);
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void notEvenTheOwnSiteOfTheProxy() throws Exception {
        try (TestProxy proxy = start();
                Wire client = open(proxy, "127.0.0.9:80")) {
            client.send(head("GET /ca.pem HTTP/1.1", "Host: sallyport.internal"));

            assertThat(client.message().head()).startsWith("HTTP/1.1 403 ");
            refused(proxy.record(), "GET", "sallyport.internal");
        }
    }

    @Test
    void aClientThatSaysNothingLeavesTheRefusalOnRecord() throws Exception {
        try (TestProxy proxy = start()) {
            open(proxy, "elsewhere.test:443").close();

            refused(proxy.record(), "CONNECT", "elsewhere.test");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void aTunnelThatIsOpenWhenTheProxyEnds() throws Exception {
        try (TestProxy proxy = start();
                Wire tunnel = open(proxy, "elsewhere.test:443")) {
            assertThat(proxy.closeAndRecords())
                    .singleElement()
                    .satisfies(record -> refused(record, "CONNECT", "elsewhere.test"));
            assertThat(tunnel.readToEnd()).isEmpty();
        }
    }

    @Test
    void aClientThatDoesNotTrustTheAuthority() throws Exception {
        SSLContext stranger = SSLContext.getInstance("TLS");
        stranger.init(null, null, null);
        try (TestProxy proxy = start();
                Wire tunnel = open(proxy, "elsewhere.test:443")) {
            assertThatThrownBy(() -> TestProxy.secure(stranger, tunnel.socket(), "elsewhere.test"))
                    .isInstanceOf(SSLException.class);

            JsonNode record = proxy.record();
            refused(record, "CONNECT", "elsewhere.test");
            assertThat(record.get("tls").get("alert").asText()).isEqualTo("certificate_unknown");
            assertThat(record.get("audit").get("sni").asText()).isEqualTo("elsewhere.test");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void whatIsNeitherTlsNorHttp() throws Exception {
        try (TestProxy proxy = start();
                Wire tunnel = open(proxy, "elsewhere.test:22")) {
            tunnel.send("SSH-2.0-OpenSSH_9.2\r\n");

            refused(proxy.record(), "CONNECT", "elsewhere.test");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void aMalformedRequestInsideIsThat() throws Exception {
        try (TestProxy proxy = start();
                Wire tunnel = open(proxy, "elsewhere.test:80")) {
            tunnel.send("GET / HTTP/1.1\r\n\r\n");

            assertThat(tunnel.message().head()).startsWith("HTTP/1.1 400 ");
            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(400);
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    /** Clients keep their tunnels: what a reload allows must work in them too. */
    @Test
    void aTunnelLeadsSomewhereOncePolicyLetsIt() throws Exception {
        Path audit = folder.resolve("audit.jsonl");
        String section = "log: {audit: {file: " + audit + ", slots: 64}}\n";
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = builder(OPEN, INSIDE).sections(section).start();
                Wire tunnel = open(proxy, "localhost:" + origin.port());
                Wire client = new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"))) {
            String request = head("GET / HTTP/1.1", "Host: localhost:" + origin.port());
            assertThat(client.send(request).message().head()).startsWith("HTTP/1.1 403 ");

            hosts.listed.add("localhost");
            Wire.Message answer = client.send(request).message();

            assertThat(answer.head()).startsWith("HTTP/1.1 200 ");
            assertThat(answer.body()).isEqualTo("hello");
            refused(proxy.record(), "GET", "localhost");
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("allow");
            assertThat(proxy.closeAndRecords()).hasSize(2);
        }
        // Nothing was left over as if it had been under way.
        try (TestProxy next = builder(OPEN, INSIDE).sections(section).start()) {
            assertThat(Files.readAllLines(audit)).hasSize(2);
            assertThat(next.closeAndRecords()).isEmpty();
        }
        assertThat(Files.readAllLines(audit)).hasSize(2);
    }

    @Test
    void aReloadSwitchesIt() throws Exception {
        TestProxy.Builder connecting = builder(OPEN, "tunnel_denials: connect");
        Path file = Files.writeString(folder.resolve("proxy.yaml"), connecting.yaml());
        try (TestProxy proxy = connecting.start(file)) {
            assertThat(answerToConnect(proxy, "elsewhere.test:443")).startsWith("HTTP/1.1 403 ");

            Files.writeString(file, builder(OPEN, INSIDE).yaml());
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.restartRequired()).isEmpty());
            assertThat(answerToConnect(proxy, "elsewhere.test:443")).startsWith("HTTP/1.1 200 ");

            Files.writeString(file, builder(OPEN).yaml());
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(answerToConnect(proxy, "elsewhere.test:443")).startsWith("HTTP/1.1 403 ");

            for (int i = 0; i < 3; i++) {
                refused(proxy.record(), "CONNECT", "elsewhere.test");
            }
            assertThat(proxy.closeAndRecords()).hasSize(3);
        }
    }

    private static String answerToConnect(TestProxy proxy, String authority) throws java.io.IOException {
        try (Wire client = proxy.tunnel()) {
            client.send(head("CONNECT " + authority + " HTTP/1.1", "Host: " + authority));
            return client.readHead();
        }
    }

    // What CONNECT is still refused.

    @Test
    void whatFailedIsNoDenial() throws Exception {
        try (TestProxy proxy = start()) {
            assertThat(answerToConnect(proxy, "broken.test:443")).startsWith("HTTP/1.1 500 ");
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("error");
        }
    }

    @Test
    void aCallerWithoutCredentials() throws Exception {
        try (TestProxy proxy = builder(
                        OPEN,
                        INSIDE,
                        "auth:",
                        "  required: true",
                        "  users: [{name: alice, password: {type: test, name: ALICE}}]")
                .catalog(PluginCatalog.of(List.of(), List.of(new TestSecrets().set("ALICE", "secret"))))
                .start()) {
            assertThat(answerToConnect(proxy, "elsewhere.test:443")).startsWith("HTTP/1.1 407 ");
            assertThat(answerToConnect(proxy, "elsewhere.test:99999")).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void inModeSniOnlyNobodyCouldAnswer() throws Exception {
        TestProxy.Builder blind = builder(OPEN, INSIDE).tlsLines("mode: sni-only");
        try (TestProxy proxy = blind.start()) {
            assertThat(answerToConnect(proxy, "elsewhere.test:443")).startsWith("HTTP/1.1 403 ");
            refused(proxy.record(), "CONNECT", "elsewhere.test");
            assertThat(proxy.proxy().warnings())
                    .anySatisfy(warning -> assertThat(warning)
                            .contains("/proxy/tunnel_denials")
                            .contains("not used in mode sni-only"));
        }
    }

    /** By an address the tunnel opens; TLS for a name that is passed through is then refused with an alert. */
    @Test
    void aHostThatIsPassedThrough() throws Exception {
        String passing = "  ca_cert: %s\n  ca_key: %s\n  passthrough: [passed.test]"
                .formatted(certificates.caCert, certificates.caKey)
                .strip();
        try (TestProxy proxy = builder(OPEN, INSIDE).tlsLines(passing).start()) {
            assertThat(answerToConnect(proxy, "passed.test:443")).startsWith("HTTP/1.1 403 ");
            refused(proxy.record(), "CONNECT", "passed.test");

            try (Wire tunnel = open(proxy, "127.0.0.9:443")) {
                assertThatThrownBy(() -> TestProxy.secure(certificates, tunnel.socket(), "passed.test"))
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("access_denied");
            }
            JsonNode record = proxy.record();
            assertThat(record.get("rejected_by").asText()).isEqualTo("hosts");
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(proxy.closeAndRecords()).hasSize(2);
        }
    }

    @Test
    void byDefaultConnectIsRefused() throws Exception {
        try (TestProxy proxy = builder(OPEN).start()) {
            assertThat(answerToConnect(proxy, "elsewhere.test:443")).startsWith("HTTP/1.1 403 ");
            refused(proxy.record(), "CONNECT", "elsewhere.test");
        }
    }
}
