package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with the proxy itself on the tunnel port, as clients speak it with {@code HTTPS_PROXY=https://...}. */
@Timeout(120)
class ProxyTlsTest {

    @TempDir
    Path folder;

    private TestCertificates certificates;

    @BeforeEach
    void makeCertificates() {
        certificates = new TestCertificates(folder, "localhost");
    }

    private TestProxy proxy(String... lines) throws Exception {
        String[] all = new String[lines.length + 1];
        all[0] = "upstream_deny_cidrs: []";
        System.arraycopy(lines, 0, all, 1, lines.length);
        return TestProxy.builder(folder)
                .certificates(certificates)
                .catalog(PluginCatalog.of(List.of(), List.of(new TestSecrets().set("ALICE", "p@ss:word"))))
                .proxyLines(all)
                .start();
    }

    private TestOrigin secureOrigin() {
        return TestOrigin.tls(certificates.origin, TestOrigin.always(request -> TestOrigin.ok("within TLS")));
    }

    private static String connect(String authority, String... more) {
        return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n"
                + (more.length == 0 ? "" : Wire.lines(more)) + "\r\n";
    }

    private static String get(String target, String host) {
        return head("GET " + target + " HTTP/1.1", "Host: " + host);
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy.test", ""})
    void opensTunnelsForTlsWithinTls(String name) throws Exception {
        try (TestOrigin origin = secureOrigin();
                TestProxy proxy = proxy();
                Wire plain = proxy.tunnel();
                Wire outer = plain.tls(certificates.client, name.isEmpty() ? null : name)) {
            X509Certificate shown =
                    (X509Certificate) ((SSLSocket) outer.socket()).getSession().getPeerCertificates()[0];
            assertThat(shown.getSubjectAlternativeNames().toString()).contains(name.isEmpty() ? "127.0.0.1" : name);
            String authority = "localhost:" + origin.port();

            assertThat(outer.send(connect(authority)).readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire inner = outer.tls(certificates.client, "localhost")) {
                for (int i = 0; i < 2; i++) {
                    assertThat(inner.send(get("/x", authority)).message().body())
                            .isEqualTo("within TLS");
                    JsonNode audit = proxy.record().path("audit");
                    assertThat(audit.path("host").asText()).isEqualTo("localhost");
                    assertThat(audit.path("sni").asText()).isEqualTo("localhost");
                }
            }
        }
    }

    @Test
    void servesAbsoluteFormsAndPlainTunnels() throws Exception {
        try (TestOrigin plain = TestOrigin.handling(request -> TestOrigin.ok("plain"));
                TestOrigin secure = secureOrigin();
                TestProxy proxy = proxy();
                Wire socket = proxy.tunnel();
                Wire client = socket.tls(certificates.client, "proxy.test")) {
            assertThat(client.send(get("http://" + plain.authority() + "/", "x"))
                            .message()
                            .body())
                    .isEqualTo("plain");
            assertThat(client.send(get("https://localhost:" + secure.port() + "/", "x"))
                            .message()
                            .body())
                    .isEqualTo("within TLS");
            assertThat(client.send(connect(plain.authority())).readHead()).startsWith("HTTP/1.1 200 ");
            assertThat(client.send(get("/", plain.authority())).message().body())
                    .isEqualTo("plain");
        }
    }

    @Test
    void servesSocksWithin() throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok("plain"));
                TestProxy proxy = proxy();
                Wire socket = proxy.tunnel();
                Wire client = socket.tls(certificates.client, "proxy.test")) {
            client.send(new byte[] {5, 1, 0});
            assertThat(client.read(2)).isEqualTo("\u0005\u0000");
            client.send(new byte[] {5, 1, 0, 1, 127, 0, 0, 1, (byte) (origin.port() >> 8), (byte) origin.port()});
            assertThat(client.read(10)).startsWith("\u0005\u0000");

            assertThat(client.send(get("/", origin.authority())).message().body())
                    .isEqualTo("plain");
        }
    }

    /** TLS with the origin is the client's own; that with the proxy is not. */
    @Test
    void passesTlsThroughWithin() throws Exception {
        try (TestOrigin origin = secureOrigin();
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .tlsLines(
                                "ca_cert: " + certificates.caCert,
                                "ca_key: " + certificates.caKey,
                                "passthrough: [localhost]")
                        .start();
                Wire socket = proxy.tunnel();
                Wire client = socket.tls(certificates.client, "localhost")) {
            String authority = "localhost:" + origin.port();
            assertThat(client.send(connect(authority)).readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire inner = client.tls(certificates.direct, "localhost")) {
                assertThat(inner.send(get("/", authority)).message().body()).isEqualTo("within TLS");
            }
            assertThat(proxy.record().at("/audit/host").asText()).isEqualTo("localhost");
        }
    }

    /** What it is for: passwords that are not in the clear. */
    @Test
    void asksForCredentialsAsWithoutTls() throws Exception {
        String shown = Base64.getEncoder().encodeToString("alice:p@ss:word".getBytes(StandardCharsets.UTF_8));
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok(request.head()));
                TestProxy proxy = proxy(
                        "auth:", "  required: true", "  users: [{name: alice, password: {type: test, name: ALICE}}]")) {
            try (Wire socket = proxy.tunnel();
                    Wire client = socket.tls(certificates.client, "proxy.test")) {
                assertThat(client.send(connect(origin.authority())).readHead()).startsWith("HTTP/1.1 407 ");
            }
            try (Wire socket = proxy.tunnel();
                    Wire client = socket.tls(certificates.client, "proxy.test")) {
                client.send(connect(origin.authority(), "Proxy-Authorization: Basic " + shown));
                assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");
                assertThat(client.send(get("/", origin.authority())).message().body())
                        .startsWith("GET / ")
                        .doesNotContain("Basic");
            }
        }
    }

    /** A client that takes the port for an origin's must not be sent on without TLS. */
    @Test
    void aPathAloneIsRefused() throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok("plain"));
                TestProxy proxy = proxy();
                Wire socket = proxy.tunnel();
                Wire client = socket.tls(certificates.client, "localhost")) {
            Wire.Message got = client.send(get("/x", origin.authority())).message();

            assertThat(got.status()).isEqualTo(400);
            assertThat(got.body()).contains("expected: CONNECT");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void offersNoProtocolThatTakesNoConnect() throws Exception {
        try (TestProxy proxy = proxy();
                Wire socket = proxy.tunnel();
                Wire client = socket.tls(certificates.client, "proxy.test", "h2", "http/1.1")) {
            assertThat(((SSLSocket) client.socket()).getApplicationProtocol()).isEqualTo("http/1.1");
        }
    }

    @Test
    void aClientThatDoesNotTrustTheProxyIsInTheRecord() throws Exception {
        try (TestProxy proxy = proxy();
                Wire socket = proxy.tunnel()) {
            assertThatThrownBy(() -> socket.tls(certificates.direct, "proxy.test"))
                    .isInstanceOf(SSLException.class);
            assertThat(proxy.record().path("error").asText()).contains("does not trust the proxy's certificate");
        }
    }

    /** Nothing is asked for: there is nothing to record. */
    @Test
    void aConnectionWithoutARequestLeavesNoRecord() throws Exception {
        TestProxy proxy = proxy();
        try (Wire socket = proxy.tunnel();
                Wire client = socket.tls(certificates.client, "proxy.test")) {
            assertThat(client.socket().isConnected()).isTrue();
        }
        assertThat(proxy.closeAndRecords()).isEmpty();
    }

    @Test
    void canBeTurnedOff() throws Exception {
        try (TestProxy proxy = proxy("tunnel_tls: off");
                Wire socket = proxy.tunnel()) {
            assertThatThrownBy(() -> socket.tls(certificates.client, "proxy.test"))
                    .isInstanceOf(java.io.IOException.class);
            assertThat(proxy.record().path("error").asText()).contains("TLS on a listener that takes CONNECT");
        }
    }
}
