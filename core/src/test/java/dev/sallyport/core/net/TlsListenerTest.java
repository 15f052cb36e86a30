package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.audit.AuditRecord.Action;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.testsupport.Wire.Message;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The https listener in mitm mode (docs/spec/decisions.md, sections 2 and 2a). */
class TlsListenerTest {

    private Proxy proxy;

    @BeforeEach
    void open() throws IOException {
        proxy = proxy("10s");
    }

    /** @param hello how long it waits for the first bytes, and for the handshake */
    private static Proxy proxy(String hello) throws IOException {
        return new Proxy(Limits.of("header_read_timeout: 20s, client_idle_timeout: 20s, first_bytes_timeout: " + hello
                + ", client_hello_timeout: " + hello));
    }

    private void impatient() throws IOException {
        proxy.close();
        proxy = proxy("500ms");
    }

    @AfterEach
    void close() {
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    @Test
    void showsALeafForTheServerNameAndTakesThePortFromHost() throws IOException {
        try (Wire client = Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test")) {
            assertThat(client.get("/x", "a.test").body()).isEqualTo("GET a.test:443 /x 0");
            assertThat(client.get("/x", "a.test:8443").body()).isEqualTo("GET a.test:8443 /x 0");
            assertThat(proxy.exchanges.begun.getFirst().connection().sni()).isEqualTo("a.test");
        }
    }

    @Test
    void canonicalisesTheServerName() throws IOException {
        try (Wire client = Wire.to(proxy.https.address()).tls(proxy.clientTls(), "A.Test")) {
            assertThat(client.get("/x", "a.TEST").status()).isEqualTo(200);
            assertThat(proxy.exchanges.begun.getFirst().connection().sni()).isEqualTo("a.test");
        }
    }

    @Test
    void aHostThatIsNotTheServerNameIs421() throws IOException {
        try (Wire client = Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test")) {
            Message response = client.get("/x", "b.test");

            assertThat(response.status()).isEqualTo(421);
            var refused = proxy.exchanges.refused.getFirst();
            assertThat(refused.refusal().code()).isEqualTo("misdirected_request");
            assertThat(refused.destination()).hasToString("b.test:443");
            assertThat(client.get("/x", "a.test").status()).isEqualTo(200);
        }
    }

    @Test
    void withoutServerNameTheLeafIsForTheLocalAddressAndHostNames() throws Exception {
        try (Wire client = Wire.to(proxy.https.address()).tls(proxy.clientTls(), null)) {
            var leaf =
                    (X509Certificate) ((SSLSocket) client.socket()).getSession().getPeerCertificates()[0];

            assertThat(leaf.getSubjectAlternativeNames()).containsExactly(List.of(7, "127.0.0.1"));
            assertThat(client.get("/x", "b.test").body()).isEqualTo("GET b.test:443 /x 0");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "\u0017\u0003\u0003\u0000\u0005hello",
                "\u0016\u0003\u0001\u0000\u0000",
                "\u0016\u0003\u0001\u0000\u0005\u0002\u0000\u0000\u0001\u0000",
                "\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000\u0001\u0000",
                "\u0016\u0003\u0001\u0000\u0004\u0001\u0001\u0000\u0001",
                "\u0080.\u0001\u0003\u0001",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000"
            })
    void whatIsNoClientHelloIsClosedAndRecorded(String bytes) throws IOException {
        impatient();
        try (Wire client = Wire.to(proxy.https.address())) {
            boolean tls = bytes.startsWith("\u0016\u0003");
            assertThat(client.send(bytes).readToEnd()).isEqualTo(tls ? "\u0015\u0003\u0003\u0000\u0002\u00022" : "");
        }
        await().until(() -> proxy.exchanges.recorded.size() == 1);
        boolean hello = bytes.startsWith("\u0016\u0003");
        assertThat(proxy.exchanges.recorded.getFirst().refusal().code())
                .isEqualTo(hello ? "malformed_hello" : "unknown_protocol");
    }

    @Test
    void silenceIsClosedWithoutRecord() throws IOException {
        impatient();
        try (Wire client = Wire.to(proxy.https.address())) {
            assertThat(client.readToEnd()).isEmpty();
        }
        await().until(() -> proxy.listeners.connections() == 0);
        assertThat(proxy.exchanges.recorded).isEmpty();
    }

    @Test
    void aClientHelloThatStopsIsRefusedInTime() throws Exception {
        impatient();
        try (Wire client = Wire.to(proxy.https.address())) {
            assertThat(client.send("\u0016\u0003\u0001\u0002\u0000\u0001").readToEnd())
                    .isEqualTo("\u0015\u0003\u0003\u0000\u0002\u00022");
            await().until(() -> proxy.exchanges.recorded.size() == 1);
            assertThat(proxy.exchanges.recorded.getFirst().refusal().detail()).contains("in time");
        }
    }

    /** A record for each byte, and a segment for each byte of these. */
    @Test
    void takesAClientHelloInPieces() throws Exception {
        byte[] hello = clientHello();
        ByteArrayOutputStream pieces = new ByteArrayOutputStream();
        int piece = 7;
        for (int i = 5; i < hello.length; i += piece) {
            int length = Math.min(piece, hello.length - i);
            pieces.write(new byte[] {22, 3, 1, 0, (byte) length});
            pieces.write(hello, i, length);
        }
        try (Wire client = Wire.to(proxy.https.address())) {
            client.trickle(pieces.toString(java.nio.charset.StandardCharsets.ISO_8859_1));

            assertThat(client.read(1)).isEqualTo("\u0016");
            assertThat(proxy.exchanges.recorded).isEmpty();
        }
        await().until(() -> proxy.exchanges.recorded.size() == 1);
        assertThat(proxy.exchanges.recorded.getFirst().refusal().code()).isEqualTo("client_tls_failed");
    }

    private byte[] clientHello() throws Exception {
        SSLEngine engine = proxy.clientTls().createSSLEngine("a.test", 443);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName("a.test")));
        engine.setSSLParameters(parameters);
        ByteBuffer out = ByteBuffer.allocate(32 * 1024);
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    @Test
    void aClientThatDoesNotTrustTheAuthorityIsRecorded() throws Exception {
        javax.net.ssl.SSLContext stranger = javax.net.ssl.SSLContext.getInstance("TLS");
        stranger.init(null, null, null);
        try (Wire client = Wire.to(proxy.https.address())) {
            var tls = (SSLSocket) stranger.getSocketFactory().createSocket(client.socket(), "a.test", 443, true);
            org.assertj.core.api.Assertions.assertThatThrownBy(tls::startHandshake)
                    .isInstanceOf(javax.net.ssl.SSLException.class);
        }
        await().until(() -> proxy.listeners.connections() == 0);
        await().until(() -> proxy.exchanges.recorded.size() == 1);
        EarlyTermination ended = proxy.exchanges.endings.getFirst();
        assertThat(ended.action()).isEqualTo(Action.ERROR);
        assertThat(ended.refusal().code()).isEqualTo("client_tls_failed");
        assertThat(ended.alert()).isEqualTo("certificate_unknown");
        assertThat(proxy.exchanges.recorded.getFirst().connection().sni()).isEqualTo("a.test");
    }

    @Test
    void aClientThatSaysGoodbyeInTlsIsGone() throws IOException {
        var begun = new java.util.concurrent.atomic.AtomicReference<FakeExchanges.Quiet>();
        proxy.exchanges.on("/held", request -> {
            begun.set(new FakeExchanges.Quiet(request));
            return begun.get();
        });
        try (Wire client = Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test")) {
            client.send("GET /held HTTP/1.1\r\nHost: a.test\r\n\r\n");
            await().until(() -> begun.get() != null);
        }
        await().until(() -> begun.get().gones.get() == 1);
    }
}
