package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.StartException;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.Visibility;
import dev.sallyport.testsupport.ClientHelloBuilder;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tls.mode: sni-only}: judged by the server name, passed through untouched or refused by an alert. */
@Timeout(60)
class SniOnlyTest {

    private static final String ACCESS_DENIED = alert(49);
    private static final String INTERNAL_ERROR = alert(80);
    private static final String DECODE_ERROR = alert(50);

    @TempDir
    Path folder;

    private static String alert(int code) {
        return "\u0015\u0003\u0003\u0000\u0002\u0002" + (char) code;
    }

    private static InlineTransform denying() {
        return request -> Decision.reject(403, "destination_not_allowed", "No.");
    }

    private TestProxy passing(TestOrigin origin) throws StartException {
        return TestProxy.builder(folder).sniOnly(origin.port()).start();
    }

    private TestOrigin echoing() throws IOException {
        return TestOrigin.of(peer -> {
            byte[] some = new byte[64 << 10];
            for (int n = peer.in().read(some); n >= 0; n = peer.in().read(some)) {
                peer.out().write(some, 0, n);
            }
        });
    }

    // Clients that speak TLS.

    @Test
    void theClientSpeaksWithTheOriginItself() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = passing(origin);
                Socket plain = proxy.rawHttps().socket();
                SSLSocket tls = TestProxy.secure(certificates.direct, plain, "localhost");
                Wire client = new Wire(tls)) {
            client.send(head("GET /secret HTTP/1.1", "Host: x"));
            assertThat(client.message().body()).isEqualTo("hello");
            assertThat(tls.getSession().getPeerPrincipal().getName()).isEqualTo("CN=origin");
            tls.close();

            JsonNode record = proxy.record();
            JsonNode audit = record.get("audit");
            assertThat(audit.get("host").asText()).isEqualTo("localhost");
            assertThat(audit.get("port").asInt()).isEqualTo(origin.port());
            assertThat(audit.get("sni").asText()).isEqualTo("localhost");
            assertThat(audit.get("mode").asText()).isEqualTo("sni-only");
            assertThat(audit.get("protocol").asText()).isEqualTo("tls");
            assertThat(audit.get("method").asText()).isEmpty();
            assertThat(audit.get("path").asText()).isEmpty();
            assertThat(audit.get("upstream_addr").asText()).isEqualTo("127.0.0.1:" + origin.port());
            assertThat(audit.get("action").asText()).isEqualTo("allow");
            assertThat(audit.get("status_code").asInt()).isZero();
            assertThat(audit.get("request_bytes").asLong()).isPositive();
            assertThat(audit.get("response_bytes").asLong()).isPositive();
            assertThat(record.has("tls")).isFalse();
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void aTunnelPassesTlsThroughToItsOwnPort() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("hello")));
                TestProxy proxy = TestProxy.builder(folder).sniOnly(1).start()) {
            HttpClient client = HttpClient.newBuilder()
                    .proxy(ProxySelector.of(proxy.proxy().tunnelAddress()))
                    .sslContext(certificates.direct)
                    .build();
            URI uri = URI.create("https://localhost:" + origin.port() + "/");
            assertThat(client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                            .body())
                    .isEqualTo("hello");
            client.close();

            JsonNode record = proxy.record();
            assertThat(record.get("tunnel").get("target").asText()).isEqualTo("localhost:" + origin.port());
            assertThat(record.get("audit").get("port").asInt()).isEqualTo(origin.port());
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void httpInsideATunnelIsSeenWhole() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = passing(origin);
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            client.readHead();
            client.send(head("GET /a HTTP/1.1", "Host: localhost:" + origin.port()));
            assertThat(client.message().body()).isEqualTo("hello");
            assertThat(proxy.record().get("audit").get("path").asText()).isEqualTo("/a");
        }
    }

    @Test
    void plainHttpIsSeenWhole() throws Exception {
        BlockingQueue<Visibility> seen = new LinkedBlockingQueue<>();
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(443)
                        .transform("looking", request -> {
                            seen.add(request.visibility());
                            return Decision.proceed();
                        })
                        .start()) {
            assertThat(proxy.get(origin, "/a").body()).isEqualTo("hello");
            assertThat(seen).containsExactly(Visibility.FULL);
            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("path").asText()).isEqualTo("/a");
            assertThat(audit.get("mode").asText()).isEqualTo("sni-only");
        }
    }

    @Test
    void http2IsPassedThroughUntouched() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        TestOrigin.Script script = peer -> {
            ((SSLSocket) peer.socket()).setHandshakeApplicationProtocolSelector((socket, offered) -> "h2");
            assertThat(peer.read(24)).startsWith("PRI * HTTP/2.0");
            peer.send("\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000");
        };
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, script);
                TestProxy proxy = passing(origin);
                SSLSocket tls = (SSLSocket) certificates
                        .direct
                        .getSocketFactory()
                        .createSocket(proxy.rawHttps().socket(), "localhost", 443, true)) {
            var parameters = tls.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            parameters.setServerNames(List.of(new SNIHostName("localhost")));
            tls.setSSLParameters(parameters);
            Wire client = new Wire(tls);
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            assertThat(client.read(9)).isEqualTo("\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000");
            assertThat(tls.getApplicationProtocol()).isEqualTo("h2");
        }
    }

    @Test
    void aRefusedClientIsToldByAnAlert() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("gate", denying())
                        .start()) {
            assertThatThrownBy(() -> TestProxy.secure(
                            certificates.direct, proxy.rawHttps().socket(), "localhost"))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("access_denied");

            JsonNode record = proxy.record();
            assertThat(record.get("rejected_by").asText()).isEqualTo("gate");
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(403);
            assertThat(origin.connections()).isZero();
        }
    }

    // The peek.

    @ParameterizedTest
    @ValueSource(ints = {64, 300, 16 * 1024, 40_000, 64 * 1024})
    void helloBytesArriveAsTheyWereSent(int length) throws Exception {
        byte[] hello = ClientHelloBuilder.naming("localhost")
                .paddedTo(Math.max(length, 70))
                .records(1 + length / 600);
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            for (int at = 0; at < hello.length; at += 1000) {
                client.out().write(hello, at, Math.min(1000, hello.length - at));
                client.out().flush();
            }
            assertThat(client.in().readNBytes(hello.length)).isEqualTo(hello);
        }
    }

    @Test
    void aHelloInOneByteSegmentsArrives() throws Exception {
        byte[] hello = ClientHelloBuilder.naming("LOCALHOST.").records(1);
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            for (byte one : hello) {
                client.send(new byte[] {one});
            }
            client.send("early data");
            assertThat(client.in().readNBytes(hello.length)).isEqualTo(hello);
            assertThat(client.read(10)).isEqualTo("early data");
        }
    }

    static List<byte[]> noHellos() {
        byte[] body = ClientHelloBuilder.naming("localhost").body();
        byte[] shortened = java.util.Arrays.copyOf(body, body.length - 1);
        byte[] longer = java.util.Arrays.copyOf(body, body.length + 1);
        ByteBuffer tooLong =
                ByteBuffer.allocate(9).put(new byte[] {22, 3, 1, 0, 4}).putInt(1 << 24 | 64 * 1024 + 1);
        return List.of(
                new byte[] {22, 3, 1, 0, 0},
                new byte[] {22, 3, 1, 0x40, 1, 1, 0, 0, 0},
                ClientHelloBuilder.records(ClientHelloBuilder.message(2, body), 16 * 1024),
                ClientHelloBuilder.records(ClientHelloBuilder.message(1, shortened), 16 * 1024),
                ClientHelloBuilder.records(ClientHelloBuilder.message(1, longer), 16 * 1024),
                ClientHelloBuilder.records(ClientHelloBuilder.message(1, new byte[10]), 16 * 1024),
                ClientHelloBuilder.naming("localhost").serverName("localhost").bytes(),
                ClientHelloBuilder.anonymous()
                        .extension(0, new byte[] {0, 1, 0})
                        .bytes(),
                ClientHelloBuilder.anonymous().extension(0, new byte[] {}).bytes(),
                ClientHelloBuilder.naming("local host").bytes(),
                ClientHelloBuilder.naming("").bytes(),
                ClientHelloBuilder.naming("loc\u00e4lhost").bytes(),
                ClientHelloBuilder.naming("a..b").bytes(),
                tooLong.array());
    }

    @ParameterizedTest
    @MethodSource("noHellos")
    void whatIsNoClientHelloIsRefusedWithARecord(byte[] bytes) throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            client.send(bytes);

            assertThat(client.readToEnd()).isEqualTo(DECODE_ERROR);
            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(record.get("audit").get("mode").asText()).isEqualTo("sni-only");
            assertThat(record.get("error").asText()).startsWith("malformed_hello");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void whatIsNoTlsIsClosedWithoutAnAlert() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            client.send("SSH-2.0-x\r\n");

            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.record().get("error").asText()).startsWith("unknown_protocol");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHelloWithoutServerNameIsRefused(boolean inTunnel) throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = inTunnel ? proxy.tunnel() : proxy.rawHttps()) {
            if (inTunnel) {
                client.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
                client.readHead();
            }
            client.send(ClientHelloBuilder.anonymous().bytes());

            assertThat(client.readToEnd()).isEqualTo(ACCESS_DENIED);
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("no_server_name");
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(origin.connections()).isZero();
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void anAlertHasTheVersionOfAnOldClient() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("gate", denying())
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("localhost").version(0x0301).bytes());
            assertThat(client.readToEnd()).isEqualTo("\u0015\u0003\u0001\u0000\u0002\u0002" + (char) 49);
        }
    }

    @Test
    void anEncryptedClientHelloIsNotedAndTheOuterNameJudged() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            byte[] hello = ClientHelloBuilder.naming("localhost").ech().bytes();
            client.send(hello).in().readNBytes(hello.length);
            client.close();

            JsonNode record = proxy.record();
            assertThat(record.get("tls").get("ech").asBoolean()).isTrue();
            assertThat(record.get("audit").get("host").asText()).isEqualTo("localhost");
        }
    }

    // Where to.

    @Test
    void aServerNameOtherThanTheTunnelsTargetIsRefused() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT allowed.example:" + origin.port() + " HTTP/1.1", "Host: x"));
            client.readHead();
            client.send(ClientHelloBuilder.naming("localhost").bytes());

            assertThat(client.readToEnd()).isEqualTo(ACCESS_DENIED);
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("misdirected_request");
            assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(421);
            assertThat(record.get("audit").get("host").asText()).isEqualTo("localhost");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void inATunnelToAnAddressTheServerNameIsJudgedAndDialled() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.tunnel()) {
            client.send(head("CONNECT 192.0.2.1:" + origin.port() + " HTTP/1.1", "Host: x"));
            client.readHead();
            byte[] hello = ClientHelloBuilder.naming("localhost").bytes();
            client.send(hello);

            assertThat(client.in().readNBytes(hello.length)).isEqualTo(hello);
            client.close();
            assertThat(proxy.record().get("audit").get("upstream_addr").asText())
                    .isEqualTo("127.0.0.1:" + origin.port());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "169.254.169.254", "127.0.0.1", "any.localhost"})
    void theGuardRefusesWhatItRefusesElsewhere(String name) throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .proxyLines("sni_upstream_port: " + origin.port())
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming(name).bytes());

            assertThat(client.readToEnd()).isEqualTo(INTERNAL_ERROR);
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("upstream_denied");
            assertThat(record.get("audit").get("action").asText()).isEqualTo("error");
            assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(502);
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void ourOwnListenersAreNotDialled() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).sniOnly(1).start();
                Wire client = proxy.tunnel()) {
            int own = proxy.proxy().httpsAddress().getPort();
            client.send(head("CONNECT localhost:" + own + " HTTP/1.1", "Host: x"));
            client.readHead();
            client.send(ClientHelloBuilder.naming("localhost").bytes());

            assertThat(client.readToEnd()).isEqualTo(INTERNAL_ERROR);
            assertThat(proxy.record().get("error").asText()).startsWith("upstream_denied");
        }
    }

    @Test
    void anOriginThatCannotBeReachedIsAnError() throws Exception {
        int port;
        try (TestOrigin gone = echoing()) {
            port = gone.port();
        }
        try (TestProxy proxy = TestProxy.builder(folder).sniOnly(port).start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("localhost").bytes());

            assertThat(client.readToEnd()).isEqualTo(INTERNAL_ERROR);
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("upstream_unreachable");
            assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(502);
        }
    }

    // The pipeline.

    @Test
    void transformsSeeTheHostAndNothingElse() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        InlineTransform looking = request -> {
            var head = request.head();
            seen.add(request.visibility() + " " + request.destination() + " "
                    + request.destination().secure() + " '"
                    + head.method() + "' '" + head.path() + "' '" + head.query() + "' "
                    + head.headers().size() + " " + request.connection().sni() + " "
                    + request.connection().transport());
            return Decision.read(Buffered.whole(), RequestStep.inline(reading -> {
                Body body = reading.body();
                seen.add(body.length() + " " + body.truncated());
                return Decision.proceed();
            }));
        };
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("looking", looking)
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("localhost").bytes()).in().readNBytes(5);

            assertThat(seen.take())
                    .isEqualTo(Visibility.HOST_ONLY + " localhost:" + origin.port() + " true '' '' '' 0 localhost tls");
            assertThat(seen.take()).isEqualTo("0 false");
        }
    }

    @Test
    void editsAreIgnoredAndNoted() throws Exception {
        byte[] hello = ClientHelloBuilder.naming("localhost").bytes();
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform(
                                "editing",
                                request -> Decision.proceed(Edits.builder()
                                        .setHeader("X-Nobody", "sees")
                                        .build()))
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(hello);
            assertThat(client.in().readNBytes(hello.length)).isEqualTo(hello);
            client.close();
            assertThat(proxy.record().get("tls").get("edits_ignored").asBoolean())
                    .isTrue();
        }
    }

    @Test
    void whatCannotBeAnsweredIsRefused() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("stub", request -> Decision.respond(StubResponse.json("{}")))
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("localhost").bytes());

            assertThat(client.readToEnd()).isEqualTo(ACCESS_DENIED);
            JsonNode record = proxy.record();
            assertThat(record.get("rejected_by").asText()).isEqualTo("stub");
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void aTransformThatFailsRefuses() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("broken", request -> {
                            throw new IllegalStateException("x");
                        })
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("localhost").bytes());

            assertThat(client.readToEnd()).isEqualTo(INTERNAL_ERROR);
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("error");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void anAsynchronousVerdictIsWaitedForWhileTheClientSendsOn() throws Exception {
        CompletableFuture<Decision> verdict = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        Transform slow = request -> {
            asked.countDown();
            return verdict;
        };
        byte[] hello = ClientHelloBuilder.naming("localhost").bytes();
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("slow", TestProxy.everything(), slow)
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(hello).send("more").send(" and more");
            assertThat(asked.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            verdict.complete(Decision.proceed());

            assertThat(client.in().readNBytes(hello.length)).isEqualTo(hello);
            assertThat(client.read(13)).isEqualTo("more and more");
        }
    }

    @Test
    void relaysHoldNoAuditPermit() throws Exception {
        byte[] hello = ClientHelloBuilder.naming("localhost").bytes();
        try (TestOrigin origin = echoing();
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .sections("log: {audit: {slots: 64}}\n")
                        .start()) {
            // given more relays than there are permits
            List<Wire> relays = new java.util.ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Wire client = proxy.rawHttps();
                relays.add(client);
                client.send(hello);
                assertThat(client.in().readNBytes(hello.length)).isEqualTo(hello);
            }
            // when
            for (Wire client : relays) {
                client.close();
            }
            // then
            assertThat(proxy.closeAndRecords()).hasSize(100);
        }
    }

    @Test
    void theProxysOwnNameIsNeverDialled() throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming("Sallyport.Internal").bytes());
            assertThat(client.readToEnd()).isEqualTo(ACCESS_DENIED);

            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("host").asText()).isEqualTo("sallyport.internal");
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(403);
            assertThat(record.get("error").asText()).startsWith("local_site");
            assertThat(origin.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[::1]", "::1", "2001:db8::1", "[127.0.0.1]"})
    void anAddressOfIpv6IsNoServerName(String name) throws Exception {
        try (TestOrigin origin = echoing();
                TestProxy proxy = passing(origin);
                Wire client = proxy.rawHttps()) {
            client.send(ClientHelloBuilder.naming(name).bytes());
            assertThat(client.readToEnd()).isEqualTo(DECODE_ERROR);

            assertThat(proxy.record().get("error").asText())
                    .startsWith("malformed_hello")
                    .contains("server name");
            assertThat(origin.connections()).isZero();
        }
    }
}
