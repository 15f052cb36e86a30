package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Targets in absolute form (RFC 9112, 3.2.2), as clients send them that leave TLS to the proxy. */
@Timeout(60)
class AbsoluteFormTest {

    @TempDir
    Path folder;

    private TestCertificates certificates;

    @BeforeEach
    void makeCertificates() {
        certificates = new TestCertificates(folder, "localhost");
    }

    private TestProxy proxy() throws Exception {
        return TestProxy.builder(folder).certificates(certificates).start();
    }

    private TestOrigin origin() {
        return TestOrigin.tls(certificates.origin, TestOrigin.always(request -> TestOrigin.ok(request.head())));
    }

    private static String get(String target, String host) {
        return head("GET " + target + " HTTP/1.1", "Host: " + host);
    }

    @Test
    void ofHttpsIsServedOnTheTunnelPortOverTls() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = proxy();
                Wire client = proxy.tunnel()) {
            String authority = "localhost:" + origin.port();
            Wire.Message got = client.send(get("https://" + authority + "/x?y", "other.test"))
                    .message();

            assertThat(got.status()).isEqualTo(200);
            assertThat(got.body()).isEqualTo("GET /x?y HTTP/1.1\r\nHost: " + authority);
            JsonNode audit = proxy.record().path("audit");
            assertThat(audit.path("host").asText()).isEqualTo("localhost");
            assertThat(audit.path("port").asInt()).isEqualTo(origin.port());
            assertThat(audit.path("path").asText()).isEqualTo("/x?y");
        }
    }

    @Test
    void ofHttpAndHttpsOnOneConnectionGoWhereTheySay() throws Exception {
        try (TestOrigin secure = origin();
                TestOrigin plain = TestOrigin.handling(request -> TestOrigin.ok("plain"));
                TestProxy proxy = proxy();
                Wire client = proxy.tunnel()) {
            assertThat(client.send(get("https://localhost:" + secure.port() + "/", "x"))
                            .message()
                            .body())
                    .startsWith("GET / ");
            assertThat(client.send(get("http://" + plain.authority() + "/", "x"))
                            .message()
                            .body())
                    .isEqualTo("plain");
        }
    }

    @Test
    void ofHttpsIsRefusedWhereNoTunnelsAre() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = proxy();
                Wire client = proxy.http()) {
            assertThat(client.send(get("https://localhost:" + origin.port() + "/", "x"))
                            .readHead())
                    .startsWith("HTTP/1.1 400 ");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void isMisdirectedInsideATunnel() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = proxy();
                Wire tunnel = proxy.tunnel()) {
            String authority = "localhost:" + origin.port();
            tunnel.send(head("CONNECT " + authority + " HTTP/1.1", "Host: " + authority));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire client = tunnel.tls(certificates.client, "localhost")) {
                Wire.Message got = client.send(get("https://" + authority + "/", authority))
                        .message();

                assertThat(got.status()).isEqualTo(421);
                assertThat(got.body()).contains("absolute form inside a tunnel");
            }
            assertThat(origin.connections()).isZero();
        }
    }
}
