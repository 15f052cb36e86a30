package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxy.reload.long_lived}: what becomes of that which outlives a reload (docs/management.md, What outlives a reload). */
@Timeout(60)
class RecheckTest {

    private static final String CHANGED = "policy_changed: generation 2 refuses what an earlier one had admitted";

    @TempDir
    Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private TestCertificates certificates;
    private Path file;

    /** The hosts that a gate lets nobody through to. */
    record Denied(List<String> hosts) {}

    private record Gate(Denied denied, BlockingQueue<String> asked) implements InlineTransform {

        @Override
        public Admission onConnect(ConnectContext context) {
            asked.add(context.target().host());
            context.trace().annotate("asked", true);
            return denied.hosts().contains(context.target().host())
                    ? Admission.refuse("denied", "Denied.").byRule(0)
                    : Admission.pass();
        }

        @Override
        public Decision decide(RequestContext request) {
            return denied.hosts().contains(request.destination().host())
                    ? Decision.reject(403, "denied", "Denied.")
                    : Decision.proceed();
        }
    }

    private record Gates(BlockingQueue<String> asked) implements TransformFactory<Denied> {

        @Override
        public Descriptor<Denied> descriptor() {
            return Descriptor.of("gate", Denied.class, "Refuses hosts.");
        }

        @Override
        public Capabilities capabilities(Denied config) {
            return Capabilities.none();
        }

        @Override
        public Transform create(Denied config, BuildContext context) {
            return new Gate(config, asked);
        }
    }

    @BeforeEach
    void prepare() {
        certificates = new TestCertificates(folder);
        file = folder.resolve("proxy.yaml");
    }

    @AfterEach
    void letOriginsGo() {
        done.countDown();
    }

    private TestProxy.Builder builder() {
        return TestProxy.builder(folder)
                .certificates(certificates)
                .catalog(PluginCatalog.of(List.of(new Gates(asked)), List.of()));
    }

    private void configure(TestProxy.Builder from, String denied) throws IOException {
        Files.writeString(file, from.yaml() + "transforms:\n  - {name: gate, config: {hosts: " + denied + "}}\n");
    }

    private TestProxy start(String longLived) throws Exception {
        TestProxy.Builder from =
                builder().proxyLines("upstream_deny_cidrs: []", "reload: {long_lived: " + longLived + "}");
        configure(from, "[]");
        return from.start(file);
    }

    private void deny(TestProxy proxy, String longLived, String hosts) throws IOException {
        configure(builder().proxyLines("upstream_deny_cidrs: []", "reload: {long_lived: " + longLived + "}"), hosts);
        assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
    }

    /** Sends an event and goes on. */
    private void events(Wire peer) throws Exception {
        peer.readHead();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.chunk("data: 1\n\n");
        done.await();
        peer.chunk("data: 2\n\n").send("0\r\n\r\n");
    }

    private static void assertRefused(JsonNode record) {
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/rejected_by").asText()).isEqualTo("gate");
        assertThat(record.at("/error").asText()).isEqualTo(CHANGED);
        JsonNode last = record.at("/request_transforms")
                .get(record.at("/request_transforms").size() - 1);
        assertThat(last.at("/name").asText()).isEqualTo("gate");
        assertThat(last.at("/action").asText()).isEqualTo("reject");
        assertThat(last.at("/annotations/code").asText()).isEqualTo("denied");
    }

    @Test
    void anEventStreamEnds() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                TestProxy proxy = start("recheck");
                Wire client = proxy.http()) {
            client.send(head("GET /events HTTP/1.1", "Host: " + origin.authority()));
            client.readHead();
            assertThat(client.readThrough("data: 1\n\n")).isNotEmpty();

            deny(proxy, "recheck", "[" + host(origin) + "]");

            // then: not as a complete message
            assertThat(client.readToEnd()).doesNotContain("0\r\n\r\n");
            JsonNode record = proxy.record();
            assertRefused(record);
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(200);
        }
    }

    @Test
    void withKeepItGoesOn() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                TestProxy proxy = start("keep");
                Wire client = proxy.http()) {
            client.send(head("GET /events HTTP/1.1", "Host: " + origin.authority()));
            client.readHead();
            client.readThrough("data: 1\n\n");

            deny(proxy, "keep", "[" + host(origin) + "]");
            done.countDown();

            assertThat(client.readThrough("0\r\n\r\n")).contains("data: 2\n\n");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("allow");
        }
    }

    @Test
    void whatTheNewPolicyAllowsGoesOnAndItsRecordKnowsNothingOfIt() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                TestProxy proxy = start("recheck");
                Wire client = proxy.http()) {
            client.send(head("GET /events HTTP/1.1", "Host: " + origin.authority()));
            client.readHead();
            client.readThrough("data: 1\n\n");

            deny(proxy, "recheck", "[elsewhere.test]");
            assertThat(asked.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(host(origin));
            done.countDown();

            assertThat(client.readThrough("0\r\n\r\n")).contains("data: 2\n\n");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/request_transforms").findValues("asked")).isEmpty();
        }
    }

    @Test
    void aRequestWithoutAnAnswerYetIsRefused() throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    there.countDown();
                    done.await();
                });
                TestProxy proxy = start("recheck");
                Wire client = proxy.http()) {
            client.send(head("GET /slow HTTP/1.1", "Host: " + origin.authority()));
            there.await();

            deny(proxy, "recheck", "[" + host(origin) + "]");

            Wire.Message answer = client.message();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).contains("\"code\":\"denied\"").contains("rules[0]");
            JsonNode record = proxy.record();
            assertRefused(record);
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(403);
        }
    }

    @Test
    void aWebSocketEnds() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    done.await();
                });
                TestProxy proxy = start("recheck");
                Wire client = proxy.http()) {
            client.send(WebSocketFrames.opening("/chat", origin.authority()));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");

            deny(proxy, "recheck", "[" + host(origin) + "]");

            JsonNode record = proxy.record();
            assertRefused(record);
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertEnds(client);
        }
    }

    @Test
    void aStreamOfHttp2EndsAndThenItsTunnel() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, this::events, this::events);
                TestProxy proxy = start("recheck");
                Wire plain = proxy.tunnel()) {
            plain.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            plain.readHead();
            Http2Peer client = Http2Peer.connect(plain.tls(certificates.client, "localhost", "h2"));
            String[] request = {
                ":method", "GET", ":scheme", "https", ":authority", "localhost:" + origin.port(), ":path", "/events"
            };
            client.headers(1, true, request);
            assertThat(client.next(Http2Peer.DATA).text()).isEqualTo("data: 1\n\n");

            deny(proxy, "recheck", "[localhost]");

            // then: the stream is reset, the tunnel ends in the way of HTTP/2, each with a record
            assertThat(client.next(Http2Peer.RST_STREAM).stream()).isEqualTo(1);
            assertThat(client.next(Http2Peer.GOAWAY)).isNotNull();
            assertRefused(proxy.record());
            JsonNode tunnel = proxy.record();
            assertRefused(tunnel);
            assertThat(tunnel.at("/audit/method").asText()).isEqualTo("CONNECT");
        }
    }

    @Test
    void anIdleTunnelEnds() throws Exception {
        try (TestOrigin origin = TestOrigin.of(TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = start("recheck");
                Wire unused = proxy.tunnel();
                Wire used = proxy.tunnel();
                Wire other = proxy.tunnel()) {
            unused.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            unused.readHead();
            used.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            used.readHead();
            assertThat(used.get("/", "localhost:" + origin.port()).status()).isEqualTo(200);
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("allow");
            other.send(head("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1", "Host: x"));
            other.readHead();

            deny(proxy, "recheck", "[localhost]");

            assertEnds(unused);
            assertEnds(used);
            for (int i = 0; i < 2; i++) {
                JsonNode record = proxy.record();
                assertRefused(record);
                assertThat(record.at("/audit/method").asText()).isEqualTo("CONNECT");
                assertThat(record.at("/audit/host").asText()).isEqualTo("localhost");
                assertThat(record.at("/audit/status_code").asInt()).isEqualTo(403);
            }
            assertThat(other.get("/", "127.0.0.1:" + origin.port()).status()).isEqualTo(200);
        }
    }

    @Test
    void tlsThatIsPassedThroughEnds() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, this::events)) {
            String[] lines = {
                "upstream_deny_cidrs: []", "sni_upstream_port: " + origin.port(), "reload: {long_lived: recheck}"
            };
            TestProxy.Builder from = builder().tlsLines("mode: sni-only").proxyLines(lines);
            configure(from, "[]");
            try (TestProxy proxy = from.start(file);
                    Wire plain = proxy.rawHttps()) {
                Wire client = plain.tls(certificates.direct, "localhost");
                client.send(head("GET /events HTTP/1.1", "Host: localhost"));
                client.readThrough("data: 1\n\n");

                configure(builder().tlsLines("mode: sni-only").proxyLines(lines), "[localhost]");
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);

                JsonNode record = proxy.record();
                assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
                assertThat(record.at("/rejected_by").asText()).isEqualTo("gate");
                assertThat(record.at("/error").asText()).isEqualTo(CHANGED);
                assertThat(record.at("/audit/response_bytes").asLong()).isPositive();
                assertEnds(plain);
            }
        }
    }

    /** What runs in it is allowed by its own name; the tunnel, by the address that it was asked for, is not any more. */
    @Test
    void aTunnelEndsAlthoughItIsInUse() throws Exception {
        try (TestOrigin origin = TestOrigin.of(this::events);
                TestProxy proxy = start("recheck");
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1", "Host: x"));
            tunnel.readHead();
            tunnel.send(head("GET /events HTTP/1.1", "Host: localhost:" + origin.port()));
            tunnel.readThrough("data: 1\n\n");

            deny(proxy, "recheck", "[127.0.0.1]");

            assertEnds(tunnel);
            JsonNode connect = proxy.record();
            assertRefused(connect);
            assertThat(connect.at("/audit/method").asText()).isEqualTo("CONNECT");
            assertCutOff(proxy.record());
        }
    }

    @Test
    void aTunnelEndsAlthoughTlsIsPassedThroughInIt() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, this::events)) {
            String[] lines = {"upstream_deny_cidrs: []", "reload: {long_lived: recheck}"};
            TestProxy.Builder from = builder().tlsLines("mode: sni-only").proxyLines(lines);
            configure(from, "[]");
            try (TestProxy proxy = from.start(file);
                    Wire tunnel = proxy.tunnel()) {
                tunnel.send(head("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1", "Host: x"));
                tunnel.readHead();
                Wire client = tunnel.tls(certificates.direct, "localhost");
                client.send(head("GET /events HTTP/1.1", "Host: localhost"));
                client.readThrough("data: 1\n\n");

                configure(builder().tlsLines("mode: sni-only").proxyLines(lines), "[127.0.0.1]");
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);

                assertEnds(tunnel);
                assertThat(proxy.record().at("/audit/method").asText()).isEqualTo("CONNECT");
                assertCutOff(proxy.record());
            }
        }
    }

    private static void assertCutOff(JsonNode record) {
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/audit/host").asText()).isEqualTo("localhost");
        assertThat(record.at("/error").asText()).isEqualTo("policy_changed: a reload refuses the target of the tunnel");
    }

    /** A reset, or an end: both mean that nothing more comes. */
    private static void assertEnds(Wire client) {
        try {
            while (client.in().read() >= 0) {
                // what was sent before
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    private static String host(TestOrigin origin) {
        return origin.authority().substring(0, origin.authority().lastIndexOf(':'));
    }
}
