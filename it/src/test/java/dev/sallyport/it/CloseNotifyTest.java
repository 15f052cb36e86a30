package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins that close a TLS connection without close_notify (docs/spec/decisions.md, section 20). */
@Timeout(60)
class CloseNotifyTest {

    @TempDir
    Path folder;

    /** What the client got up to the end of its connection, and the record. */
    private record Got(String answer, JsonNode record) {}

    private Got get(String answer) throws Exception {
        TestCertificates certificates = new TestCertificates(folder, "localhost");
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, peer -> {
                    peer.readHead();
                    peer.send(answer.replace("~", "\r\n"));
                    peer.cut();
                });
                TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire tunnel = proxy.tunnel()) {
            String authority = "localhost:" + origin.port();
            tunnel.send(head("CONNECT " + authority + " HTTP/1.1", "Host: " + authority));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire client = tunnel.tls(certificates.client, "localhost")) {
                client.send(head("GET / HTTP/1.1", "Host: " + authority, "Connection: close"));
                return new Got(client.readToEnd(), proxy.record());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.0 200 OK~~hello",
                "HTTP/1.1 200 OK~X: y~~hello",
                "HTTP/1.1 200 OK~Connection: close~~hello"
            })
    void isNotNeededWhereNoLengthWasDeclared(String answer) throws Exception {
        Got got = get(answer);

        assertThat(got.answer)
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("\r\nTransfer-Encoding: chunked\r\n")
                .contains("hello")
                .endsWith("\r\n0\r\n\r\n");
        assertThat(got.record.path("tolerated")).hasToString("[\"close_notify\"]");
        assertThat(got.record.path("error").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK~Content-Length: 6~~hello",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5~hello~",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5~hello~0~"
            })
    void isNoEndOfWhatWasDeclared(String answer) throws Exception {
        Got got = get(answer);

        assertThat(got.answer).startsWith("HTTP/1.1 200 OK\r\n").doesNotEndWith("\r\n0\r\n\r\n");
        assertThat(got.record.path("audit").path("action").asText()).isEqualTo("error");
        assertThat(got.record.path("tolerated").isMissingNode()).isTrue();
    }
}
