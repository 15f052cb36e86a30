package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A target that nobody edits arrives as it was sent: an empty query is not the same as none (RFC 3986, 3.4). */
@Timeout(60)
class ForwardedTargetTest {

    private static final Capabilities DISCLOSES =
            Capabilities.builder().effects(Effect.DISCLOSES_CONTENT).build();

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"/a", "/a?", "/?", "/a??", "/a?b", "/a?b?", "/a?&=", "/%61?%"})
    void overHttp1(String target) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    String line = peer.readHead().lines().findFirst().orElseThrow();
                    peer.send(TestOrigin.ok(line));
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(head("GET " + target + " HTTP/1.1", "Host: " + origin.authority()));

            assertThat(client.message().body()).isEqualTo("GET " + target + " HTTP/1.1");
        }
    }

    /** Who is not to see credentials sees the target as it was before it had one in it. */
    @ParameterizedTest
    @ValueSource(strings = {"/a", "/a?", "/a??", "/a?b"})
    void toWhoDiscloses(String target) throws Exception {
        Edits inHeader =
                Edits.builder().sensitive().addHeader("X-Key", "s3cret").build();
        Edits inQuery = Edits.builder().sensitive().setQuery("s3cret").build();
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        InlineTransform discloser = request -> {
            seen.add(request.head().target());
            return Decision.proceed();
        };
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(TestOrigin.ok("x"));
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("in_header", request -> Decision.proceed(inHeader))
                        .transform("discloser", DISCLOSES, discloser)
                        .transform("in_query", request -> Decision.proceed(inQuery))
                        .transform("another", DISCLOSES, discloser)
                        .start();
                Wire client = proxy.http()) {
            client.send(head("GET " + target + " HTTP/1.1", "Host: " + origin.authority()));

            assertThat(client.message().status()).isEqualTo(200);
            assertThat(seen).containsExactly(target, target);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "/a?", "/?", "/a??", "/a?b"})
    void overHttp2(String target) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        try (TestOrigin origin = TestOrigin.h2(certificates.origin, peer -> {
                    Http2Peer wire = peer.http2();
                    Http2Peer.Frame request = wire.next(Http2Peer.HEADERS);
                    String path = wire.fields(request).stream()
                            .filter(line -> line.startsWith(":path: "))
                            .findFirst()
                            .orElseThrow();
                    wire.headers(request.stream(), false, ":status", "200");
                    wire.data(request.stream(), true, path);
                    peer.readToEnd();
                });
                TestProxy proxy =
                        TestProxy.builder(folder).certificates(certificates).start();
                Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
            Wire client = new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"));
            client.send(head("GET " + target + " HTTP/1.1", "Host: localhost:" + origin.port()));

            assertThat(client.chunkedMessage().body()).isEqualTo(":path: " + target);
        }
    }
}
