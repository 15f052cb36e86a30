package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112, 9.6: whoever still sends while the connection is being closed gets the answer all the same. */
@Timeout(60)
class LingeringCloseTest {

    /** Several records of TLS in one read, and several reads. */
    private static final int WRITES = 100;

    private static final byte[] MORE = new byte[40_000];

    @TempDir
    Path folder;

    private static Wire connect(TestProxy proxy, TestCertificates certificates, String kind, String protocol)
            throws IOException {
        if (kind.equals("plain")) {
            return proxy.http();
        }
        Socket transport = proxy.rawHttps().socket();
        return new Wire(TestProxy.secure(certificates.client, transport, "localhost", protocol));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void overHttp1(String kind) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire client = connect(proxy, certificates, kind, "http/1.1")) {
            client.send("GET /x?" + "x".repeat(80_000));
            for (int i = 0; i < WRITES; i++) {
                client.send(MORE);
            }
            assertThat(client.readHead()).startsWith("HTTP/1.1 414");
            client.readToEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void overHttp2(String kind) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire client = connect(proxy, certificates, kind, "h2")) {
            Http2Peer frames = Http2Peer.connect(client);
            frames.data(1, false, "on a stream that was never opened");
            for (int i = 0; i < WRITES; i++) {
                client.send(MORE);
            }
            assertThat(frames.next(Http2Peer.GOAWAY).number(4)).isNotZero();
            client.readToEnd();
        }
    }

    /** Whoever goes on for ever is cut off, and what they send is kept nowhere. */
    @Test
    void notForEver() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .proxyLines("limits: {linger_timeout: 300ms}")
                        .start();
                Wire client = connect(proxy, certificates, "tls", "http/1.1")) {
            client.send("GET /x?" + "x".repeat(80_000));
            IOException end = null;
            while (end == null) {
                try {
                    client.send(MORE);
                } catch (IOException e) {
                    end = e;
                }
            }
            assertThat(end).hasMessageMatching("Broken pipe|Connection reset.*");
        }
    }
}
