package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each limit of {@code proxy.limits}: what a real client sees that exceeds it, and the one audit record. */
@Timeout(60)
class LimitsTest {

    /** How a record of TLS with an alert begins. */
    private static final String ALERT = "\u0015\u0003";

    private static final String OPEN = "upstream_deny_cidrs: []";

    @TempDir
    Path folder;

    /** What a client sends; {@code HOST} stands for the origin. */
    record Excess(String limit, String setting, String sent, int status, String code) {

        @Override
        public String toString() {
            return limit;
        }
    }

    static Stream<Excess> excesses() {
        String post = "POST / HTTP/1.1\r\nHost: HOST\r\n";
        String chunked = post + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n";
        return Stream.of(
                new Excess(
                        "request_line_bytes",
                        "1KiB",
                        "GET /" + "x".repeat(2000) + " HTTP/1.1\r\nHost: HOST\r\n\r\n",
                        414,
                        "uri_too_long"),
                new Excess(
                        "header_bytes",
                        "1KiB",
                        "GET / HTTP/1.1\r\nHost: HOST\r\nX: " + "x".repeat(2000) + "\r\n\r\n",
                        431,
                        "header_fields_too_large"),
                new Excess(
                        "header_count",
                        "16",
                        "GET / HTTP/1.1\r\nHost: HOST\r\n" + "X: y\r\n".repeat(16) + "\r\n",
                        431,
                        "header_fields_too_large"),
                new Excess("header_read_timeout", "200ms", "GET / HTTP/1.1\r\nHost: HOST\r\n", 408, "request_timeout"),
                new Excess("body_idle_timeout", "200ms", post + "Content-Length: 5\r\n\r\nab", 408, "request_timeout"),
                new Excess(
                        "trailer_bytes",
                        "100",
                        chunked + "0\r\nX-T: " + "x".repeat(100) + "\r\n\r\n",
                        431,
                        "header_fields_too_large"),
                new Excess(
                        "trailer_count",
                        "2",
                        chunked + "0\r\nX-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n",
                        431,
                        "header_fields_too_large"),
                new Excess(
                        "chunk_framing_bytes",
                        "1KiB",
                        chunked + ("1;" + "x".repeat(100) + "\r\na\r\n").repeat(20),
                        400,
                        "bad_request"));
    }

    @ParameterizedTest
    @MethodSource("excesses")
    void whatExceedsALimitIsRefusedWithOneRecord(Excess excess) throws Exception {
        // given: an origin that waits for the end of what it is sent
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.readToEnd();
                });
                TestProxy proxy = proxy(excess.limit() + ": " + excess.setting());
                Wire client = proxy.http()) {
            // when
            client.send(excess.sent().replace("HOST", origin.authority()));

            // then
            Wire.Message answer = client.message();
            assertThat(answer.status()).isEqualTo(excess.status());
            assertThat(answer.body()).contains("\"code\":\"" + excess.code() + "\"");
            assertThat(client.readToEnd()).isEmpty();
            JsonNode record = theOnly(proxy);
            assertThat(record.path("audit").path("status_code").asInt()).isEqualTo(excess.status());
            assertThat(record.path("error").asText()).startsWith(excess.code());
        }
    }

    @Test
    void theRecordOfAHeadThatComesTooLateHasWhatCame() throws Exception {
        try (TestProxy proxy = proxy("header_read_timeout: 200ms");
                Wire client = proxy.http()) {
            client.send("POST /p?q=1 HTTP/1.1\r\nHost: a.test:81\r\nX: y\r\n");

            assertThat(client.message().status()).isEqualTo(408);
            JsonNode audit = theOnly(proxy).path("audit");
            assertThat(audit.path("method").asText()).isEqualTo("POST");
            assertThat(audit.path("path").asText()).isEqualTo("/p?q=1");
            assertThat(audit.path("host").asText()).isEqualTo("a.test");
            assertThat(audit.path("port").asInt()).isEqualTo(81);
        }
    }

    @Test
    void aBodyThatDripsIsRefused() throws Exception {
        // given
        CountDownLatch answered = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.readToEnd();
                });
                TestProxy proxy = proxy("body_idle_timeout: 500ms, min_body_rate_bytes: 1000");
                Wire client = proxy.http()) {
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 1000000"));

            // when: it never stops, and never gets anywhere
            Thread drip = Thread.ofVirtual().start(() -> {
                try {
                    do {
                        client.send("x");
                    } while (!answered.await(20, TimeUnit.MILLISECONDS));
                } catch (IOException | InterruptedException e) {
                    // The proxy has closed.
                }
            });

            // then
            assertThat(client.message().status()).isEqualTo(408);
            answered.countDown();
            drip.join();
            assertThat(theOnly(proxy).path("audit").path("status_code").asInt()).isEqualTo(408);
        }
    }

    @Test
    void aBodyBeyondTheBufferOfATransformIs413() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(OPEN, "max_request_body_bytes: 10")
                        .transform("reader", reading())
                        .start();
                Wire client = proxy.http()) {
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 11"))
                    .send("hello world");

            assertThat(client.message().status()).isEqualTo(413);
            assertThat(theOnly(proxy).path("audit").path("status_code").asInt()).isEqualTo(413);
        }
    }

    /** RFC 9110, 10.1.1: the client has not sent it yet, and need not. */
    @Test
    void aBodyBeyondTheBufferOfATransformIsNotAskedFor() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(OPEN, "max_request_body_bytes: 10")
                        .transform("reader", reading())
                        .start();
                Wire client = proxy.http();
                Wire other = proxy.http()) {
            String asked = "POST / HTTP/1.1\r\nHost: " + origin.authority() + "\r\nExpect: 100-continue\r\n";
            client.send(asked + "Content-Length: 11\r\n\r\n");
            other.send(asked + "Content-Length: 10\r\n\r\n");

            assertThat(client.message().status()).isEqualTo(413);
            assertThat(other.readHead()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(other.send("0123456789").message().body()).isEqualTo("hello");
        }
    }

    @Test
    void aBodyBeyondTheMemoryForAllIs503() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(OPEN, "max_request_body_bytes: 8000000", "limits: {buffered_bytes: 1MiB}")
                        .transform("reader", reading())
                        .start();
                Wire client = proxy.http()) {
            client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 4000000"))
                    .send("x".repeat(2_000_000));

            assertThat(client.message().status()).isEqualTo(503);
            assertThat(theOnly(proxy).path("audit").path("status_code").asInt()).isEqualTo(503);
        }
    }

    /** One head may grow so far; all together take no more than there is for bodies. */
    @Tag("long")
    @Test
    void headsThatGrowBeyondTheMemoryForAllAre503() throws Exception {
        CompletableFuture<Decision> never = new CompletableFuture<>();
        List<Wire> clients = new ArrayList<>();
        try (TestProxy proxy = TestProxy.builder(folder)
                .proxyLines(OPEN, "max_request_body_bytes: 1000000", "limits: {buffered_bytes: 1MiB}")
                .transform(
                        "grower",
                        request -> Decision.proceed(Edits.builder()
                                .setHeader("X-Long", "x".repeat(200_000))
                                .build()))
                .transform("waiter", TestProxy.everything(), request -> never)
                .start()) {
            for (int i = 0; i < 10; i++) {
                Wire client = proxy.http();
                clients.add(client);
                client.send(head("GET /" + i + " HTTP/1.1", "Host: a.test"));
            }

            JsonNode refused = proxy.record();
            assertThat(refused.path("audit").path("status_code").asInt()).isEqualTo(503);
            assertThat(refused.path("error").asText()).startsWith("overloaded");
        } finally {
            for (Wire client : clients) {
                client.close();
            }
        }
    }

    private static InlineTransform reading() {
        return request -> Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed()));
    }

    @Test
    void anAddressWithTooManyConnectionsGetsNoMoreUntilOneCloses() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = proxy("max_connections_per_address: 1")) {
            // given
            try (Wire first = proxy.http()) {
                first.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                assertThat(first.message().status()).isEqualTo(200);
                assertThat(proxy.record().path("audit").path("action").asText()).isEqualTo("allow");

                // when
                try (Wire second = proxy.http()) {
                    assertThat(second.readToEnd()).isEmpty();
                }

                // then
                JsonNode record = proxy.record();
                assertThat(record.path("error").asText()).startsWith("too_many_connections");
                assertThat(record.path("audit").path("protocol").asText()).isEqualTo("tcp");
                assertThat(record.path("audit").path("status_code").asInt()).isEqualTo(429);
            }
            // and when it has gone, another may come; those that come too early are refused, each with its record
            await().until(() -> {
                try (Wire next = proxy.http()) {
                    next.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                    return next.message().status() == 200;
                } catch (IOException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void aLongClientHelloClosesTheConnection() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .proxyLines(OPEN, "limits: {client_hello_bytes: 1KiB}")
                        .start();
                Socket plain = new Socket(
                        proxy.proxy().httpsAddress().getAddress(),
                        proxy.proxy().httpsAddress().getPort())) {
            // given: a ClientHello of 2,000 bytes
            byte[] hello = new byte[5 + 2000];
            hello[0] = 22;
            hello[1] = 3;
            hello[2] = 1;
            hello[3] = (byte) (2000 >> 8);
            hello[4] = (byte) 2000;
            hello[5] = 1;
            hello[7] = (byte) (1996 >> 8);
            hello[8] = (byte) 1996;

            Wire client = new Wire(plain).send(hello);

            assertThat(client.readToEnd()).startsWith(ALERT);
            assertThat(theOnly(proxy).path("error").asText()).isEqualTo("malformed_hello: the ClientHello is too long");
        }
    }

    @Test
    void aClientHelloThatStopsClosesTheConnection() throws Exception {
        try (TestProxy proxy = proxy("client_hello_timeout: 200ms");
                Socket plain = new Socket(
                        proxy.proxy().httpsAddress().getAddress(),
                        proxy.proxy().httpsAddress().getPort())) {
            Wire client = new Wire(plain).send(new byte[] {22, 3, 1});

            assertThat(client.readToEnd()).startsWith(ALERT);
            assertThat(theOnly(proxy).path("error").asText())
                    .isEqualTo("malformed_hello: no complete ClientHello in time");
        }
    }

    @Test
    void aTunnelWithoutFirstBytesCloses() throws Exception {
        try (TestProxy proxy = proxy("first_bytes_timeout: 200ms");
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT a.test:443 HTTP/1.1", "Host: a.test:443"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");

            assertThat(client.readToEnd()).isEmpty();
            assertThat(theOnly(proxy).path("audit").path("method").asText()).isEqualTo("CONNECT");
        }
    }

    @Test
    void theHeadOfAResponseIsBoundedToo() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(
                        "HTTP/1.1 200 OK\r\nX: " + "x".repeat(2000) + "\r\nContent-Length: 0\r\n\r\n");
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(OPEN, "upstream: {header_bytes: 1KiB}")
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(502);
            assertThat(theOnly(proxy).path("audit").path("status_code").asInt()).isEqualTo(502);
        }
    }

    @Test
    void nobodyWaitsForAnOriginWhereNobodyMay() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    asked.countDown();
                    release.await();
                    peer.send(TestOrigin.ok("late"));
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(OPEN, "upstream: {max_connections_per_origin: 1, max_waiting_per_origin: 0}")
                        .start();
                Wire first = proxy.http()) {
            // given
            first.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            asked.await();

            // when, then
            assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
            release.countDown();
            assertThat(first.message().status()).isEqualTo(200);
        }
    }

    @Test
    void newConnectionsTakeTheLimitsOfAReload() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = TestProxy.builder(folder).proxyLines(OPEN, "limits: {header_count: 200}");
        String yaml = builder.yaml();
        Files.writeString(file, yaml);
        String[] many = Stream.generate(() -> "X: y").limit(20).toArray(String[]::new);
        try (TestOrigin origin =
                        TestOrigin.of(TestOrigin.always(TestOrigin.ok("a")), TestOrigin.always(TestOrigin.ok("b")));
                TestProxy proxy = builder.start(file);
                Wire before = proxy.http()) {
            // given
            before.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            assertThat(before.message().status()).isEqualTo(200);

            // when
            Files.writeString(file, yaml.replace("header_count: 200", "header_count: 16, blocking_threads: 9"));
            ReloadResult result = proxy.proxy().reload();

            // then
            assertThat(result)
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.restartRequired())
                                    .containsExactly("/proxy/limits/blocking_threads"));
            assertThat(proxy.get(origin, "/", many).status()).isEqualTo(431);
            before.send("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\n" + Wire.lines(many) + "\r\n");
            assertThat(before.message().status()).isEqualTo(200);
        }
    }

    @Test
    void newConnectionsTakeTheCertificatesOfAReload() throws Exception {
        // given
        Path file = folder.resolve("proxy.yaml");
        TestCertificates before = new TestCertificates(folder);
        TestProxy.Builder builder = TestProxy.builder(folder).certificates(before);
        Files.writeString(file, builder.yaml());
        try (TestProxy proxy = builder.start(file)) {
            try (TestOrigin origin = TestOrigin.tls(before.origin, TestOrigin.always(TestOrigin.ok("hello")))) {
                assertThat(status(proxy, before, origin)).isEqualTo(200);
            }

            // when: all files are replaced, and names and settings stay as they are
            TestCertificates after = new TestCertificates(folder);
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.restartRequired()).isEmpty());

            // then: who trusts the new authority alone is served, and the new origin is trusted
            try (TestOrigin origin = TestOrigin.tls(after.origin, TestOrigin.always(TestOrigin.ok("hello")))) {
                assertThat(status(proxy, after, origin)).isEqualTo(200);
            }
            // and the old one no longer
            try (TestOrigin origin = TestOrigin.tls(before.origin, TestOrigin.always(TestOrigin.ok("hello")))) {
                assertThat(status(proxy, after, origin)).isEqualTo(502);
            }
        }
    }

    @Test
    void anotherModeOfTlsIsNamedAndWaitsForARestart() throws Exception {
        // given
        Path file = folder.resolve("proxy.yaml");
        TestCertificates certificates = new TestCertificates(folder);
        TestProxy.Builder builder = TestProxy.builder(folder).certificates(certificates);
        String yaml = builder.yaml();
        Files.writeString(file, yaml);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = builder.start(file)) {
            // when
            Files.writeString(file, yaml.replace("tls:\n", "tls:\n  mode: sni-only\n"));
            ReloadResult result = proxy.proxy().reload();

            // then: TLS goes on being inspected
            assertThat(result)
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.restartRequired()).containsExactly("/tls/mode"));
            assertThat(status(proxy, certificates, origin)).isEqualTo(200);
            assertThat(proxy.record().path("audit").path("method").asText()).isEqualTo("GET");
        }
    }

    private static int status(TestProxy proxy, TestCertificates certificates, TestOrigin origin) throws IOException {
        try (Wire client = proxy.https(certificates, "localhost")) {
            return client.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()))
                    .message()
                    .status();
        }
    }

    private TestProxy proxy(String limits) throws StartException {
        return TestProxy.builder(folder)
                .proxyLines(OPEN, "limits: {linger_timeout: 100ms, " + limits + "}")
                .start();
    }

    /** Closes, and says that there was one record. */
    private static JsonNode theOnly(TestProxy proxy) {
        List<JsonNode> records = proxy.closeAndRecords();
        assertThat(records).hasSize(1);
        return records.getFirst();
    }
}
