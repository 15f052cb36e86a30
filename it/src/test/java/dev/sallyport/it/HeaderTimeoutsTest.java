package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxy.upstream_response_header_timeouts}: limits of their own for some requests. */
@Timeout(120)
class HeaderTimeoutsTest {

    @TempDir
    Path folder;

    @Test
    void giveSomeRequestsMoreTime() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch timedOut = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    String request = peer.readHead();
                    if (request.startsWith("POST /v1/slow ")) {
                        asked.countDown();
                        assertThat(timedOut.await(Patience.SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                        peer.ok("thought long");
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "upstream_response_header_timeout: 50ms",
                                "upstream_response_header_timeouts:",
                                "- {rules: [{host: elsewhere.test}], timeout: 1ms}",
                                "- {rules: [{cidr: 127.0.0.1, methods: [POST], paths: ['/v1/*']}], timeout: 100s}",
                                "- {rules: [{cidr: 127.0.0.1, paths: ['/v1/*']}], timeout: 10ms}")
                        .start();
                Wire slow = proxy.http()) {
            slow.send(head("POST /v1/slow HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 0"));
            assertThat(asked.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

            Wire.Message other = proxy.get(origin, "/other");
            Wire.Message shorter = proxy.get(origin, "/v1/short");
            timedOut.countDown();

            assertThat(slow.message().body()).isEqualTo("thought long");
            assertThat(other.status()).isEqualTo(504);
            assertThat(other.body()).contains("proxy.upstream_response_header_timeout is 50ms.");
            assertThat(shorter.status()).isEqualTo(504);
            assertThat(shorter.body()).contains("proxy.upstream_response_header_timeouts[2] is 10ms.");
        }
    }

    @Test
    void aTimeoutNamesItsSettingOverHttp2Too() throws Exception {
        TestCertificates certificates = new TestCertificates(folder, "localhost");
        try (TestOrigin origin = TestOrigin.h2(certificates.origin, peer -> {
                    Http2Peer wire = peer.http2();
                    wire.request();
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "upstream_response_header_timeouts: [{rules: [{host: localhost}], timeout: 50ms}]")
                        .start();
                Wire tunnel = proxy.tunnel()) {
            String authority = "localhost:" + origin.port();
            tunnel.send(head("CONNECT " + authority + " HTTP/1.1", "Host: " + authority));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            try (Wire client = tunnel.tls(certificates.client, "localhost")) {
                Wire.Message got = client.get("/x", authority);

                assertThat(got.status()).isEqualTo(504);
                assertThat(got.body()).contains("proxy.upstream_response_header_timeouts[0] is 50ms.");
            }
        }
    }
}
