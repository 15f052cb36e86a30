package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole proxy with its listeners, tunnels, certificates, reloads and end. */
@Timeout(120)
class WholeProxyTest {

    private static final int LARGE = 64 << 20;

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private TestOrigin.Script noting(String response) {
        return peer -> {
            while (true) {
                seen.add(peer.readHead());
                peer.send(response);
            }
        };
    }

    // TLS.

    @Test
    void httpsThroughConnectIsInspectedEndToEnd() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, noting(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .transform(
                                "x",
                                request -> Decision.proceed(Edits.builder()
                                        .setHeader(
                                                "X-Saw",
                                                request.destination().host() + " "
                                                        + request.destination().secure())
                                        .build()))
                        .start()) {
            HttpClient client = HttpClient.newBuilder()
                    .proxy(ProxySelector.of(proxy.proxy().tunnelAddress()))
                    .sslContext(certificates.client)
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
            URI uri = URI.create("https://localhost:" + origin.port() + "/a?b");
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> answer =
                        client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.body()).isEqualTo("hello");
                assertThat(seen.take()).startsWith("GET /a?b HTTP/1.1").contains("X-Saw: localhost true");
                JsonNode record = proxy.record();
                assertThat(record.get("audit").get("sni").asText()).isEqualTo("localhost");
                assertThat(record.get("tunnel").get("target").asText()).isEqualTo("localhost:" + origin.port());
            }
            client.close();
            // The tunnel has been used: it has no record of its own.
            assertThat(proxy.closeAndRecords()).hasSize(3);
        }
    }

    @Test
    void aRawTlsClientInATunnelIsSeenToLeave() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        CountDownLatch asked = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, peer -> {
                    peer.readHead();
                    asked.countDown();
                    peer.readToEnd();
                });
                TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).isEqualTo("HTTP/1.1 200 Connection Established");
            try (Wire inside = new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"))) {
                inside.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()));
                assertThat(asked.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("client_cancel");
        }
    }

    @Test
    void httpsListenTakesTheNameFromSniAndThePortFromHost() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, noting(TestOrigin.ok("hello")));
                TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire client = proxy.https(certificates, "localhost")) {
            client.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()));
            assertThat(client.message().body()).isEqualTo("hello");

            client.send(head("GET / HTTP/1.1", "Host: other.example"));
            Wire.Message misdirected = client.message();
            assertThat(misdirected.status()).isEqualTo(421);
            assertThat(misdirected.body()).contains("misdirected_request");
        }
    }

    @Test
    void anUntrustedOriginIsATlsError() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, noting(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder)
                        .distrustingOrigins(certificates)
                        .start();
                Wire client = proxy.https(certificates, "localhost")) {
            client.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()));
            Wire.Message answer = client.message();

            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).contains("upstream_tls_error");
            assertThat(answer.head()).contains("Proxy-Status: sallyport; error=tls_certificate_error");
        }
    }

    // Guard, limits, answers of the proxy.

    @Test
    void aNameThatResolvesToADeniedAddressIsNotDialled() throws Exception {
        try (TestOrigin origin = TestOrigin.of(noting(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_response_header_timeout: 5s")
                        .start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()));
            Wire.Message answer = client.message();

            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).contains("upstream_denied");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void aResponseHeadThatDoesNotComeInTimeIsATimeout() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "upstream_response_header_timeout: 50ms")
                        .start()) {
            Wire.Message answer = proxy.get(origin, "/");

            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.body()).contains("upstream_timeout");
        }
    }

    @Test
    void refusalsAreProblemDocumentsOrTheSameInPlainText() throws Exception {
        try (TestOrigin origin = TestOrigin.of(noting(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "guard",
                                request -> Decision.reject(403, "no_entry", "A \"detail\".")
                                        .at("rules[2]"))
                        .start()) {
            Wire.Message json = proxy.get(origin, "/");
            assertThat(json.head())
                    .contains(
                            "Content-Type: application/problem+json",
                            "Proxy-Status: sallyport; error=http_request_denied");
            assertThat(json.body())
                    .contains(
                            "\"type\":\"urn:sallyport:no_entry\"",
                            "\"status\":403",
                            "\"detail\":\"A \\\"detail\\\".\"",
                            "\"code\":\"no_entry\"",
                            "\"transform\":\"guard\"",
                            "\"rule\":\"transforms[0].rules[2]\"",
                            "\"exchange_id\":\""
                                    + proxy.record().get("exchange_id").asText());
            Wire.Message text = proxy.get(origin, "/", "Accept: text/html");
            assertThat(text.head()).contains("Content-Type: text/plain");
            assertThat(text.body())
                    .contains("A \"detail\".", "code: no_entry", "transform: guard", "rule: transforms[0].rules[2]");
            assertThat(proxy.get(origin, "/", "Accept: Application/JSON").head())
                    .contains("problem+json");
        }
    }

    @Test
    void aStalePooledConnectionIsNotSeenByTheClient() throws Exception {
        TestOrigin.Script once = peer -> {
            peer.readHead();
            peer.send(TestOrigin.ok("hello"));
            peer.readHead();
            peer.reset();
        };
        try (TestOrigin origin = TestOrigin.of(once, noting(TestOrigin.ok("again")));
                TestProxy proxy = TestProxy.builder(folder)
                        .loops(1)
                        .transform(
                                "rewriter",
                                request -> Decision.proceed(Edits.builder()
                                        .rewriteBody(new Copying())
                                        .build()))
                        .start()) {
            assertThat(proxy.get(origin, "/").body()).isEqualTo("hello");
            assertThat(proxy.get(origin, "/").body()).isEqualTo("again");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    // 100 (Continue).

    @Test
    void anExpectationIsRelayedWhenNobodyReads() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(head("HTTP/1.1 100 Continue"));
                    seen.add(peer.read(4));
                    peer.send(TestOrigin.ok("done"));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head(
                    "POST / HTTP/1.1", "Host: " + origin.authority(), "Expect: 100-continue", "Content-Length: 4"));
            assertThat(client.readHead()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(seen.take()).contains("Expect: 100-continue");
            client.send("body");
            assertThat(seen.take()).isEqualTo("body");
            assertThat(client.message().body()).isEqualTo("done");
        }
    }

    @Test
    void anExpectationIsTheOriginsToTurnDownWhenTheBodyIsOnlyWatched() throws Exception {
        BodyObserver observer = new BodyObserver() {
            @Override
            public void data(ByteBuffer bytes) {}

            @Override
            public void end(boolean complete) {}
        };
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(head("HTTP/1.1 417 Expectation Failed", "Content-Length: 0"));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "observer",
                                request -> Decision.proceed(Edits.builder()
                                        .observeBody(observer)
                                        .checkBody(new BodyCheck() {
                                            @Override
                                            public void data(ByteBuffer bytes) {}

                                            @Override
                                            public void end() {}
                                        })
                                        .editTrailers(trailers -> Edits.none())
                                        .build()))
                        .start();
                Wire client = proxy.http()) {
            client.send(head(
                    "POST / HTTP/1.1", "Host: " + origin.authority(), "Expect: 100-continue", "Content-Length: 4"));
            assertThat(client.message().head()).startsWith("HTTP/1.1 417");
            assertThat(seen.take()).contains("Expect: 100-continue");
        }
    }

    @Test
    void anExpectationThatATransformTakesAwayIsMetByTheProxy() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    seen.add(peer.read(4));
                    peer.send(TestOrigin.ok("done"));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "remover",
                                request -> Decision.proceed(
                                        Edits.builder().removeHeader("Expect").build()))
                        .start();
                Wire client = proxy.http()) {
            client.send(head(
                    "POST / HTTP/1.1", "Host: " + origin.authority(), "Expect: 100-continue", "Content-Length: 4"));
            assertThat(client.readHead()).isEqualTo("HTTP/1.1 100 Continue");
            client.send("body");
            assertThat(client.message().body()).isEqualTo("done");
            assertThat(seen.take()).doesNotContain("Expect");
        }
    }

    @Test
    void anExpectationIsMetByTheProxyWhenSomebodyReads() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(head("HTTP/1.1 100 Continue"));
                    peer.read(4);
                    peer.send(TestOrigin.ok("done"));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("reader", Reading.bothWays())
                        .start();
                Wire client = proxy.http()) {
            client.send(head(
                    "POST / HTTP/1.1", "Host: " + origin.authority(), "Expect: 100-continue", "Content-Length: 4"));
            assertThat(client.readHead()).isEqualTo("HTTP/1.1 100 Continue");
            client.send("body");
            // No second 100, though the origin sends one.
            assertThat(client.message().body()).isEqualTo("done");
            assertThat(seen.take()).doesNotContain("Expect");
        }
    }

    @Test
    void anExpectationIsRefusedWithoutReading() throws Exception {
        try (TestOrigin origin = TestOrigin.of(noting(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("no", request -> Decision.reject(403, "no", "No."))
                        .start();
                Wire client = proxy.http()) {
            client.send(head(
                    "POST / HTTP/1.1", "Host: " + origin.authority(), "Expect: 100-continue", "Content-Length: 4"));
            assertThat(client.message().head()).startsWith("HTTP/1.1 403").contains("Connection: close");
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    // Large bodies.

    @Test
    void largeBodiesPassBothWaysByteForByteInBoundedMemory() throws Exception {
        for (boolean rewritten : new boolean[] {false, true}) {
            CRC32 up = new CRC32();
            CRC32 down = new CRC32();
            try (TestOrigin origin = TestOrigin.of(peer -> {
                        update(up, body(peer, peer.readHead()));
                        peer.send(head("HTTP/1.1 200 OK", "Content-Length: " + LARGE));
                        write(peer.out(), 2);
                        peer.readToEnd();
                    });
                    TestProxy proxy = rewritten
                            ? TestProxy.builder(folder)
                                    .proxyLines("upstream_deny_cidrs: []", "limits: {buffered_bytes: 2MiB}")
                                    .transform(
                                            "rewriter",
                                            request -> Decision.proceed(
                                                    Edits.builder()
                                                            .rewriteBody(new Copying())
                                                            .build(),
                                                    ResponseStep.inline(
                                                            response -> ResponseDecision.proceed(Edits.builder()
                                                                    .rewriteBody(new Copying())
                                                                    .build()))))
                                    .start()
                            : TestProxy.builder(folder)
                                    .proxyLines("upstream_deny_cidrs: []", "limits: {buffered_bytes: 1MiB}")
                                    .start();
                    Wire client = proxy.http()) {
                client.send(head("PUT / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: " + LARGE));
                write(client.out(), 1);
                update(down, body(client, client.readHead()));
                assertThat(up.getValue()).as("up, rewritten %s", rewritten).isEqualTo(checksum(1));
                assertThat(down.getValue()).as("down, rewritten %s", rewritten).isEqualTo(checksum(2));
                JsonNode audit = proxy.record().get("audit");
                assertThat(audit.get("request_bytes").asLong()).isEqualTo(LARGE);
                assertThat(audit.get("response_bytes").asLong()).isEqualTo(LARGE);
            }
        }
    }

    private static InputStream body(Wire wire, String head) {
        return head.contains("chunked") ? new Dechunked(wire) : new Limited(wire.in(), LARGE);
    }

    private static void update(CRC32 sum, InputStream body) throws IOException {
        for (byte[] part = body.readNBytes(1 << 16); part.length > 0; part = body.readNBytes(1 << 16)) {
            sum.update(part);
        }
    }

    private static void write(OutputStream out, int seed) throws IOException {
        Random random = new Random(seed);
        byte[] part = new byte[1 << 16];
        for (int written = 0; written < LARGE; written += part.length) {
            random.nextBytes(part);
            out.write(part);
        }
        out.flush();
    }

    private static long checksum(int seed) throws IOException {
        CRC32 sum = new CRC32();
        write(
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        sum.update(b);
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) {
                        sum.update(bytes, from, length);
                    }
                },
                seed);
        return sum.getValue();
    }

    @Test
    void aClientThatDoesNotReadStopsTheOrigin() throws Exception {
        AtomicInteger sent = new AtomicInteger();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(head("HTTP/1.1 200 OK", "Content-Length: " + LARGE));
                    byte[] part = new byte[1 << 16];
                    for (int i = 0; i < LARGE / part.length; i++) {
                        peer.send(part);
                        sent.addAndGet(part.length);
                    }
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            client.readHead();
            // What the kernels take is far below all of it; the proxy must not take the rest.
            int before;
            do {
                before = sent.get();
                TimeUnit.MILLISECONDS.sleep(300);
            } while (sent.get() > before);
            assertThat(sent.get()).isLessThan(LARGE / 2);
            assertThat(client.in().readNBytes(LARGE)).hasSize(LARGE);
        }
    }

    // Reload and end.

    @Test
    void aReloadUnderLoadLosesNoRequest() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = TestProxy.builder(folder);
        Files.writeString(file, builder.yaml());
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        List<JsonNode> records;
        try (TestOrigin origin = TestOrigin.of(noting(TestOrigin.ok("hello")));
                TestProxy proxy = builder.start(file)) {
            BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
            List<Thread> clients =
                    List.of(client(proxy, origin, stop, asked, failures), client(proxy, origin, stop, asked, failures));
            for (int i = 2; i <= 20; i++) {
                int before = asked.get();
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
                assertThat(proxy.proxy().generation()).isEqualTo(i);
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> asked.get() >= before + 5 || !failures.isEmpty());
            }
            stop.set(true);
            for (Thread thread : clients) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            records = proxy.closeAndRecords();
        }
        assertThat(records).hasSize(asked.get());
    }

    private static Thread client(
            TestProxy proxy,
            TestOrigin origin,
            AtomicBoolean stop,
            AtomicInteger asked,
            BlockingQueue<Throwable> failures) {
        return Thread.ofPlatform().start(() -> {
            try (Wire client = proxy.http()) {
                while (!stop.get()) {
                    client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                    assertThat(client.message().body()).isEqualTo("hello");
                    asked.incrementAndGet();
                }
            } catch (Throwable failure) {
                failures.add(failure);
            }
        });
    }

    @Test
    void aReloadThatFailsChangesNothingAndARestartStaysRequired() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = TestProxy.builder(folder);
        String good = builder.yaml();
        Files.writeString(file, good);
        try (TestOrigin origin = TestOrigin.of(noting(TestOrigin.ok("hello")));
                TestProxy proxy = builder.start(file)) {
            Files.writeString(file, good + "transforms: [{name: nonesuch}]\n");
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Refused.class);
            assertThat(proxy.proxy().generation()).isEqualTo(1);
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);

            Files.writeString(file, good.replace("http_listen: 127.0.0.1:0", "http_listen: 127.0.0.1:1"));
            for (int i = 0; i < 2; i++) {
                assertThat(proxy.proxy().reload())
                        .isInstanceOfSatisfying(
                                ReloadResult.Reloaded.class,
                                reloaded ->
                                        assertThat(reloaded.restartRequired()).containsExactly("/proxy/http_listen"));
            }
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            proxy.close();
            assertThatThrownBy(() -> proxy.proxy().reload()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closingLetsAnExchangeUnderWayEnd() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    asked.countDown();
                    answer.await();
                    peer.send(TestOrigin.ok("hello"));
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http();
                Wire idle = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            asked.await();
            Thread closing = Thread.ofVirtual().start(proxy.proxy()::close);
            assertThat(idle.readToEnd()).isEmpty();
            answer.countDown();

            Wire.Message last = client.message();
            assertThat(last.body()).isEqualTo("hello");
            assertThat(last.head()).contains("Connection: close");
            closing.join();
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void aSinkThatIsBlockedStopsTheIntakeAndNothingIsLost() throws Exception {
        Gate sink = new Gate();
        int requests = 150;
        List<JsonNode> records;
        try (TestOrigin origin = TestOrigin.of(noting(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder)
                        .sections("log: {audit: {slots: 64}}\n")
                        .auditSink(sink)
                        .start()) {
            sink.shut();
            AtomicInteger answered = new AtomicInteger();
            BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
            Thread asking = Thread.ofPlatform().start(() -> {
                try (Wire client = proxy.http()) {
                    for (int i = 0; i < requests; i++) {
                        client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                        client.message();
                        answered.incrementAndGet();
                    }
                } catch (Throwable failure) {
                    failures.add(failure);
                }
            });
            sink.awaitFailures(5);
            // One client has four times what it leaves to others.
            int most = 51;
            await().atMost(Patience.usual()).until(() -> answered.get() == most);
            assertThat(proxy.proxy().ready()).isFalse();
            sink.awaitFailures(2);
            assertThat(answered.get()).isEqualTo(most);
            sink.open();
            asking.join();
            assertThat(failures).isEmpty();
            assertThat(answered.get()).isEqualTo(requests);
            records = proxy.closeAndRecords();
        }
        assertThat(records).hasSize(requests);
    }

    @Test
    void recordsThatWaitForAPermitAreWrittenBeforeTheEnd() throws Exception {
        // given: more tunnels than permits, none of which has had a request, and a sink that takes nothing
        Gate sink = new Gate();
        int tunnels = 150;
        TestProxy proxy = TestProxy.builder(folder)
                .sections("log: {audit: {slots: 64}}\n")
                .auditSink(sink)
                .start();
        List<Wire> clients = new ArrayList<>();
        for (int i = 0; i < tunnels; i++) {
            Wire client = proxy.tunnel();
            client.send(head("CONNECT localhost:443 HTTP/1.1", "Host: localhost"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");
            clients.add(client);
        }
        sink.shut();

        // when: all of them end with the proxy
        Thread closing = Thread.ofPlatform().start(proxy::close);
        sink.awaitFailures(3);
        sink.open();
        closing.join();

        // then
        assertThat(proxy.closeAndRecords()).hasSize(tunnels);
        for (Wire client : clients) {
            client.close();
        }
    }

    private static final class Gate implements AuditSink {

        private volatile boolean shut;
        private final BlockingQueue<Boolean> failures = new LinkedBlockingQueue<>();

        void shut() {
            shut = true;
        }

        void open() {
            shut = false;
        }

        void awaitFailures(int count) throws InterruptedException {
            for (int i = 0; i < count; i++) {
                assertThat(failures.poll(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            }
        }

        @Override
        public void write(ByteBuffer lines) throws IOException {
            if (shut) {
                failures.add(true);
                throw new IOException("no space left");
            }
            lines.position(lines.limit());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static final class Copying implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            out.write(in);
        }

        @Override
        public void end(Sink out) {}
    }

    private static final class Limited extends InputStream {

        private final InputStream in;
        private int left;

        Limited(InputStream in, int left) {
            this.in = in;
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            return left-- > 0 ? in.read() : -1;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = left == 0 ? -1 : in.read(bytes, from, Math.min(length, left));
            left -= Math.max(0, read);
            return read;
        }
    }

    private static final class Dechunked extends InputStream {

        private final Wire wire;
        private int left;
        private boolean begun;
        private boolean ended;

        Dechunked(Wire wire) {
            this.wire = wire;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (left == 0 && !ended) {
                if (begun) {
                    wire.readThrough("\r\n");
                }
                begun = true;
                left = Integer.parseInt(wire.readThrough("\r\n").strip(), 16);
                ended = left == 0;
            }
            if (ended) {
                return -1;
            }
            int read = wire.in().read(bytes, from, Math.min(length, left));
            left -= Math.max(0, read);
            return read;
        }
    }
}
