package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.testsupport.TestCertificates;
import io.opentelemetry.api.OpenTelemetry;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.X509KeyManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A control plane with a certificate. */
class TlsTest {

    @TempDir
    Path folder;

    private ControlPlane plane() {
        ControlConfig config = Sections.control(
                "control:\n  listen: \"127.0.0.1:0\"\n  tls: {cert: cert.pem, key: key.pem}\n" + Database.yaml(),
                folder);
        return new ControlPlane(
                config, new Surroundings(Map.<String, String>of()::get, OpenTelemetry.noop(), Clock.systemUTC(), null));
    }

    /** The key of a certificate, as a file. */
    private static String pem(X509KeyManager keys) {
        String alias = keys.getServerAliases("EC", null)[0];
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(keys.getPrivateKey(alias).getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    @Test
    void itAnswersOverTlsAndAsksBrowsersToStayThere() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        Files.copy(certificates.originPem, folder.resolve("cert.pem"));
        Files.writeString(folder.resolve("key.pem"), pem((X509KeyManager)
                certificates.originKeys.getKeyManagers()[0]));
        try (ControlPlane plane = plane()) {
            plane.prepare();
            int port = plane.addresses().getFirst().getPort();
            try (Socket socket = certificates.direct.getSocketFactory().createSocket("127.0.0.1", port)) {
                socket.getOutputStream()
                        .write("GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 401 ")
                        .containsIgnoringCase("strict-transport-security: max-age=")
                        .contains("\"code\":\"unauthorized\"");
            }
        }
    }

    @Test
    void aCertificateThatIsNoneEndsTheStart() throws Exception {
        Files.writeString(folder.resolve("cert.pem"), "nonsense");
        Files.writeString(folder.resolve("key.pem"), "nonsense");
        try (ControlPlane plane = plane()) {
            assertThatThrownBy(plane::prepare)
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("certificate and key cannot be used");
        }
    }
}
