package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.net.FakeExchanges.FakeTunnel;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.testsupport.Wire.Message;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tunnel listener (docs/spec/decisions.md, sections 2 and 3). */
class TunnelTest {

    private static final String ESTABLISHED = "HTTP/1.1 200 Connection Established";
    private static final long LONGER_THAN_A_PASS = TimeUnit.MILLISECONDS.toNanos(5);

    private Proxy proxy;

    @BeforeEach
    void open() throws IOException {
        proxy = proxy("10s");
    }

    /** @param hello how long it waits for the first bytes inside a tunnel, and for the handshake */
    private static Proxy proxy(String hello) throws IOException {
        return new Proxy(Limits.of("header_read_timeout: 10s, client_idle_timeout: 20s, first_bytes_timeout: " + hello
                + ", client_hello_timeout: " + hello));
    }

    @AfterEach
    void close() {
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    private Wire connect(String target) throws IOException {
        Wire client = Wire.to(proxy.tunnel.address());
        Message head = client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n")
                .headOnly();
        assertThat(head.startLine()).isEqualTo(ESTABLISHED);
        assertThat(head.fields()).isEmpty();
        return client;
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: a.test\r\n\r\n";
    }

    private FakeTunnel tunnel() {
        return proxy.exchanges.tunnels.getFirst();
    }

    @Test
    void interceptsTlsInsideATunnel() throws IOException {
        try (Wire client = connect("a.test:443").tls(proxy.clientTls(), "a.test")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:443 /x 0");
            assertThat(client.get("/y", "a.test:443").body()).isEqualTo("GET a.test:443 /y 0");
        }
        var connection = proxy.exchanges.begun.getFirst().connection();
        assertThat(connection.transport()).isEqualTo("tls");
        assertThat(connection.sni()).isEqualTo("a.test");
        assertThat(connection.tunnelTarget()).isEqualTo("a.test:443");
        Awaitility.await().until(() -> proxy.listeners.connections() == 0);
        assertThat(tunnel().uses.get()).isEqualTo(1);
        assertThat(tunnel().ending()).isEmpty();
    }

    @Test
    void takesPlaintextHttpInsideATunnel() throws IOException {
        try (Wire client = connect("a.test:8080")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:8080 /x 0");
            assertThat(client.get("/x", "a.test:80").status()).isEqualTo(421);
            assertThat(client.get("/x", "a.test:8080").status()).isEqualTo(200);
        }
        assertThat(proxy.exchanges.refused.getFirst().refusal().code()).isEqualTo("misdirected_request");
        assertThat(proxy.exchanges.begun.getFirst().connection().transport()).isEqualTo("tcp");
    }

    @Test
    void port443IsTheDefaultOfConnect() throws IOException {
        try (Wire client = connect("a.test").tls(proxy.clientTls(), "a.test")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:443 /x 0");
        }
    }

    /** What came before the end of the connection counts, also if it had to wait for its turn on the loop. */
    @Test
    void whatWaitsForItsTurnWhenTheClientLeavesIsJudged() throws IOException {
        proxy.close();
        proxy = new Proxy(Limits.DEFAULTS, EventLoops.create(1));
        proxy.exchanges.on("/slow", begun -> {
            LockSupport.parkNanos(LONGER_THAN_A_PASS);
            return new FakeExchanges.Greeting(begun);
        });
        try (Wire other = Wire.to(proxy.http.address());
                Wire client = connect("a.test:443")) {
            assertThat(other.get("/x", "a.test").status()).isEqualTo(200);
            CountDownLatch sent = new CountDownLatch(1);
            proxy.exchanges.begun.getFirst().downstream().loop().execute(() -> await(sent));
            other.send(get("/slow"));
            client.send("\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000\u0001\u0000")
                    .close();
            sent.countDown();

            assertThat(other.message().status()).isEqualTo(200);
            Awaitility.await().until(() -> !tunnel().ending().isEmpty());
            assertThat(tunnel().ending()).endsWith(" malformed_hello");
        }
    }

    private static void await(CountDownLatch sent) {
        try {
            assertThat(sent.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void keepsWhatFollowsTheConnectHeadAtOnce() throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.send("CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n" + get("/1") + get("/2"));

            assertThat(client.headOnly().startLine()).isEqualTo(ESTABLISHED);
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /1 0");
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /2 0");
        }
    }

    @Test
    void keepsWhatFollowsTheConnectHeadWhileItWaitsForAPermit() throws IOException {
        proxy.exchanges.permits.set(0);
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.trickle(
                    "CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\nGET /1 HTTP/1.1\r\nHost: a.test\r\n\r\n");
            Awaitility.await().until(() -> proxy.exchanges.waiting() == 1);
            proxy.exchanges.morePermits(2);

            assertThat(client.headOnly().startLine()).isEqualTo(ESTABLISHED);
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /1 0");
        }
    }

    @Test
    void refusesATunnelWithAProblemAndCloses() throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            client.send("CONNECT denied.test:443 HTTP/1.1\r\nHost: denied.test\r\n\r\n" + get("http://a.test/"));
            Message response = client.response();

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.exchanges.begun).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"b.test", "192.0.2.1"})
    void aServerNameThatIsNotTheTargetIs421(String target) throws IOException {
        String host = target.equals("b.test") ? "a.test" : "c.test";
        try (Wire client = connect(target + ":443").tls(proxy.clientTls(), "a.test")) {
            Message response = client.get("/x", host);

            assertThat(response.status()).isEqualTo(421);
            assertThat(proxy.exchanges.refused.getFirst().refusal().code()).isEqualTo("misdirected_request");
            assertThat(proxy.exchanges.begun).isEmpty();
        }
    }

    @Test
    void anAddressAsTargetStandsForTheNameInside() throws IOException {
        try (Wire client = connect("192.0.2.1:443").tls(proxy.clientTls(), "a.test")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:443 /x 0");
        }
    }

    @Test
    void withoutServerNameTheLeafIsForTheAddress() throws Exception {
        try (Wire client = connect("192.0.2.1:443").tls(proxy.clientTls(), null)) {
            var session = ((javax.net.ssl.SSLSocket) client.socket()).getSession();
            var leaf = (java.security.cert.X509Certificate) session.getPeerCertificates()[0];
            assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(7, "192.0.2.1"));
            assertThat(client.get("/x", "192.0.2.1").body()).isEqualTo("GET 192.0.2.1:443 /x 0");
            assertThat(client.get("/x", "192.0.2.2").status()).isEqualTo(421);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SSH-2.0-OpenSSH_9.2 x\r\n", "\0\1\2\3", "\5\1\0", "\u0016\u0007junk", "\r\n\r\n", "get_/ x"})
    void anUnknownProtocolInsideATunnelIsClosedAndRecorded(String bytes) throws IOException {
        try (Wire client = connect("a.test:443")) {
            assertThat(client.send(bytes).readToEnd()).isEmpty();
        }
        Awaitility.await().until(() -> tunnel().ended != null);
        assertThat(tunnel().ending()).isEqualTo("REJECT unknown_protocol");
        assertThat(proxy.exchanges.begun).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\4\1", "\u0016\u0003\u0001junk", "\0"})
    void anUnknownProtocolOnTheListenerIsClosedAndRecorded(String bytes) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            assertThat(client.send(bytes).readToEnd()).isEmpty();
        }
        Awaitility.await().until(() -> proxy.exchanges.recorded.size() == 1);
        var record = proxy.exchanges.recorded.getFirst();
        assertThat(record.refusal().code()).isEqualTo("unknown_protocol");
        assertThat(record.connection().protocol()).isEqualTo("tcp");
    }

    @Test
    void aTunnelWithoutBytesIsClosedInTime() throws IOException {
        proxy.close();
        proxy = proxy("1s");
        try (Wire client = connect("a.test:443")) {
            assertThat(client.readToEnd()).isEmpty();
        }
        Awaitility.await().until(() -> tunnel().ended != null);
        assertThat(tunnel().ending()).isEqualTo("REJECT request_timeout");
        assertThat(tunnel().uses.get()).isZero();
    }

    /** The limits of the stage before must not reach into a tunnel. */
    @Test
    void aTunnelThatWaitedForItsPermitStaysOpen() throws Exception {
        try (Proxy quick = new Proxy(Limits.of("header_read_timeout: 10s, client_idle_timeout: 300ms, "
                + "first_bytes_timeout: 10s, client_hello_timeout: 10s"))) {
            quick.exchanges.permits.set(0);
            try (Wire client = Wire.to(quick.tunnel.address())) {
                client.send("CONNECT a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n");
                Awaitility.await().until(() -> quick.exchanges.waiting() == 1);
                quick.exchanges.morePermits(10);
                assertThat(client.headOnly().startLine()).isEqualTo(ESTABLISHED);
                Awaitility.await().during(Duration.ofMillis(600)).until(() -> quick.listeners.connections() == 1);
            }
        }
    }

    @Test
    void aFailedHandshakeInsideATunnelIsRecorded() throws Exception {
        javax.net.ssl.SSLContext stranger = javax.net.ssl.SSLContext.getInstance("TLS");
        stranger.init(null, null, null);
        try (Wire client = connect("a.test:443")) {
            var tls = (javax.net.ssl.SSLSocket)
                    stranger.getSocketFactory().createSocket(client.socket(), "a.test", 443, true);
            assertThatThrownBy(tls::startHandshake).isInstanceOf(SSLException.class);
        }
        Awaitility.await().until(() -> tunnel().ended != null);
        assertThat(tunnel().ending()).isEqualTo("ERROR client_tls_failed");
        assertThat(tunnel().ended.alert()).isEqualTo("certificate_unknown");
        assertThat(tunnel().ended.refusal().detail())
                .isEqualTo("the client does not trust the proxy's certificate (alert certificate_unknown):"
                        + " see docs/trust.md");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc",
                "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "CONNECT / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "CONNECT a.test:0 HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n",
                "CONNECT http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
            })
    void aMalformedConnectIs400(String bytes) throws IOException {
        try (Wire client = Wire.to(proxy.tunnel.address())) {
            assertThat(client.send(bytes).response().status()).isEqualTo(400);
            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.exchanges.tunnels).isEmpty();
            assertThat(proxy.exchanges.begun).isEmpty();
        }
    }

    @Test
    void thereIsNoTunnelInsideATunnel() throws IOException {
        try (Wire client = connect("a.test:80")) {
            Message response = client.send("CONNECT b.test:443 HTTP/1.1\r\nHost: b.test\r\n\r\n")
                    .response();
            assertThat(response.status()).isEqualTo(405);
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void servesTheJdksClientOverTls(HttpClient.Version version) throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .proxy(ProxySelector.of(proxy.tunnel.address()))
                .sslContext(proxy.clientTls())
                .version(version)
                .build()) {
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> response = client.send(
                        HttpRequest.newBuilder(URI.create("https://a.test/echo"))
                                .POST(HttpRequest.BodyPublishers.ofString("text".repeat(20_000)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

                assertThat(response.body()).isEqualTo("text".repeat(20_000));
                assertThat(response.version()).isEqualTo(version);
            }
        }
        assertThat(proxy.exchanges.tunnels).hasSize(1);
    }

    @Test
    void servesCurl(@TempDir Path folder) throws Exception {
        Path curl = Stream.of("/usr/bin/curl", "/usr/local/bin/curl", "/bin/curl")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        Assumptions.assumeTrue(curl != null, "curl is not installed");
        Path ca = Files.writeString(folder.resolve("ca.pem"), proxy.authority.certificatePem());
        Path body = Files.writeString(folder.resolve("body"), "b".repeat(3_000_000));
        String through = "http://127.0.0.1:" + proxy.tunnel.address().getPort();

        String plain = run(curl, "-sS", "-x", through, "http://a.test:81/x?y");
        String tls = run(
                curl,
                "-sS",
                "-x",
                through,
                "--cacert",
                ca.toString(),
                "-w",
                " %{http_connect} %{http_version}",
                "https://a.test/x",
                "https://a.test/y");
        String upload = run(
                curl,
                "-sS",
                "-x",
                through,
                "--cacert",
                ca.toString(),
                "-H",
                "Expect: 100-continue",
                "-T",
                body.toString(),
                "https://a.test/echo");

        assertThat(plain).isEqualTo("GET a.test:81 /x?y 0");
        assertThat(tls).isEqualTo("GET a.test:443 /x 0 200 2GET a.test:443 /y 0 000 2");
        assertThat(upload).isEqualTo("b".repeat(3_000_000));
    }

    private static String run(Path program, String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(program.toString()), Stream.of(arguments))
                .toList());
        builder.environment().remove("no_proxy");
        builder.environment().remove("NO_PROXY");
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    @Test
    void halfAPrefaceOfHttp2IsRecorded() throws IOException {
        String half = "PRI * HTTP/2.0\r\n\r\nSM";
        try (Wire tunnel = Wire.to(proxy.tunnel.address());
                Wire http = Wire.to(proxy.http.address())) {
            tunnel.send(half).endOutput().readToEnd();
            http.send(half).endOutput().readToEnd();
        }
        Awaitility.await().until(() -> proxy.exchanges.recorded.size() == 2);
        assertThat(proxy.exchanges.recorded)
                .allSatisfy(record -> assertThat(record.refusal().code()).isEqualTo("unknown_protocol"));
    }
}
