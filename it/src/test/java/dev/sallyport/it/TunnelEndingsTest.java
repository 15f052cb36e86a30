package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.StartException;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.security.KeyManagementException;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * docs/spec/decisions.md, section 14a: what ends before there was a request has a record that says why, and never
 * {@code allow}.
 */
@Timeout(120)
class TunnelEndingsTest {

    private static final String DISTRUST = "client_tls_failed: the client does not trust the proxy's certificate"
            + " (alert certificate_unknown): see docs/trust.md";

    @TempDir
    Path folder;

    private TestCertificates certificates;

    @BeforeEach
    void make() {
        certificates = new TestCertificates(folder);
    }

    private TestProxy proxy() throws StartException {
        return TestProxy.builder(folder).certificates(certificates).start();
    }

    private static Wire connect(TestProxy proxy) throws java.io.IOException {
        Wire tunnel = proxy.tunnel();
        tunnel.send(head("CONNECT a.test:443 HTTP/1.1", "Host: a.test"));
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
        return tunnel;
    }

    private static SSLContext stranger() throws NoSuchAlgorithmException, KeyManagementException {
        SSLContext stranger = SSLContext.getInstance("TLS");
        stranger.init(null, null, null);
        return stranger;
    }

    private static void says(JsonNode record, String method, String action, int status, String error) {
        assertThat(record.get("audit").get("action").asText()).isEqualTo(action);
        assertThat(record.get("audit").get("method").asText()).isEqualTo(method);
        assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(status);
        assertThat(record.get("error").asText()).isEqualTo(error);
    }

    @Test
    void aClientThatDoesNotTrustTheAuthority() throws Exception {
        try (TestProxy proxy = proxy();
                Wire tunnel = connect(proxy)) {
            assertThatThrownBy(() -> TestProxy.secure(stranger(), tunnel.socket(), "a.test"))
                    .isInstanceOf(SSLException.class);

            JsonNode record = proxy.record();
            says(record, "CONNECT", "error", 0, DISTRUST);
            assertThat(record.get("level").asText()).isEqualTo("ERROR");
            assertThat(record.get("audit").get("host").asText()).isEqualTo("a.test");
            assertThat(record.get("audit").get("sni").asText()).isEqualTo("a.test");
            assertThat(record.get("tls").get("alert").asText()).isEqualTo("certificate_unknown");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    @Test
    void aClientThatDoesNotTrustTheAuthorityOnTheListenerForTls() throws Exception {
        try (TestProxy proxy = proxy();
                Wire client = proxy.rawHttps()) {
            assertThatThrownBy(() -> TestProxy.secure(stranger(), client.socket(), "a.test"))
                    .isInstanceOf(SSLException.class);

            JsonNode record = proxy.record();
            says(record, "", "error", 0, DISTRUST);
            assertThat(record.get("audit").get("sni").asText()).isEqualTo("a.test");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    private static byte[] hello() throws Exception {
        var engine = stranger().createSSLEngine("a.test", 443);
        engine.setUseClientMode(true);
        var hello = java.nio.ByteBuffer.allocate(32 * 1024);
        engine.wrap(java.nio.ByteBuffer.allocate(0), hello);
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }

    /** As OpenSSL does in TLS 1.3, and so curl and Python, in one piece with what comes before it or not. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\u0014\u0003\u0003\u0000\u0001\u0001"})
    void aClientThatSaysInTheClearThatItDoesNotTrustTheAuthority(String before) throws Exception {
        try (TestProxy proxy = proxy();
                Wire tunnel = connect(proxy)) {
            tunnel.send(hello());
            assertThat(tunnel.read(1)).isEqualTo("\u0016");
            tunnel.send(before + "\u0015\u0003\u0003\u0000\u0002\u00020");

            JsonNode record = proxy.record();
            says(
                    record,
                    "CONNECT",
                    "error",
                    0,
                    "client_tls_failed: the client does not trust the proxy's certificate"
                            + " (alert unknown_ca): see docs/trust.md");
            assertThat(record.get("tls").get("alert").asText()).isEqualTo("unknown_ca");
            assertThat(proxy.proxy().count("sallyport.ended_before_request", "client_tls_failed", "unknown_ca"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aClientThatLeavesWithoutAnAlertWhenItHasSeenTheCertificate() throws Exception {
        try (TestProxy proxy = proxy();
                Wire tunnel = connect(proxy)) {
            tunnel.send(hello());
            assertThat(tunnel.read(1)).isEqualTo("\u0016");
            tunnel.close();

            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("error");
            assertThat(record.get("error").asText())
                    .startsWith("client_tls_failed: ")
                    .contains("docs/trust.md");
        }
    }

    @Test
    void aClientThatLeavesAfterTheHandshake() throws Exception {
        try (TestProxy proxy = proxy();
                Wire tunnel = connect(proxy)) {
            TestProxy.secure(certificates, tunnel.socket(), "a.test").close();

            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("client_cancel");
            assertThat(record.get("error").asText()).startsWith("no_request: ").contains("docs/trust.md");
        }
    }

    @Test
    void anUnknownProtocol() throws Exception {
        try (TestProxy proxy = proxy();
                Wire tunnel = connect(proxy)) {
            tunnel.send("SSH-2.0-OpenSSH_9.2\r\n");
            assertThat(tunnel.readToEnd()).isEmpty();

            JsonNode record = proxy.record();
            says(record, "CONNECT", "reject", 400, "unknown_protocol: neither TLS nor HTTP");
            assertThat(record.get("audit").get("protocol").asText()).isEqualTo("tcp");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000\u0001\u0000", "\u0016\u0003\u0001\u0002"})
    void aMalformedHello(String bytes) throws Exception {
        try (TestProxy proxy = proxy();
                Wire tunnel = connect(proxy)) {
            tunnel.send(bytes);
            tunnel.close();

            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
            assertThat(record.get("error").asText()).startsWith("malformed_hello: ");
        }
    }

    @Test
    void aTunnelThroughWhichNothingCame() throws Exception {
        try (TestProxy proxy = proxy()) {
            connect(proxy).close();

            JsonNode record = proxy.record();
            says(
                    record,
                    "CONNECT",
                    "client_cancel",
                    0,
                    "no_request: the tunnel was closed before a request came through it");
            assertThat(record.get("audit").get("duration_ms").asDouble()).isPositive();
        }
    }

    @Test
    void aRequestInsideIsTheOnlyRecord() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, TestOrigin.always(TestOrigin.ok("x")));
                TestProxy proxy = proxy();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            tunnel.readHead();
            Wire inside = new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"));
            inside.send(head("GET / HTTP/1.1", "Host: localhost:" + origin.port()));
            assertThat(inside.readHead()).startsWith("HTTP/1.1 200");
            inside.close();

            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("allow");
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }
}
