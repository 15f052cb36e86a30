package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One retry (docs/design.md, section 5): only when nothing of the request is lost, and sending it again does no harm.
 */
@Timeout(60)
class RetryTest {

    private static final int MORE_THAN_IS_KEPT = 100_000;

    @TempDir
    Path folder;

    /** What origins have acted on. */
    private final List<String> effects = new CopyOnWriteArrayList<>();

    /** Serves one request, and closes without a byte of an answer once this has happened in the next. */
    private static TestOrigin.Script staleAfter(TestOrigin.Script next) {
        return peer -> {
            peer.readHead();
            peer.send(TestOrigin.ok("first"));
            next.serve(peer);
        };
    }

    /** Acts on every request. */
    private final TestOrigin.Script acting = peer -> {
        while (true) {
            Wire.Message request = peer.message();
            effects.add(request.head().substring(0, request.head().indexOf(' ')) + " " + request.body());
            peer.send(TestOrigin.ok("done"));
        }
    };

    private TestProxy.Builder proxy() {
        return TestProxy.builder(folder).loops(1);
    }

    /** Leaves a connection in the pool. */
    private static void warm(Wire client, TestOrigin origin) throws Exception {
        client.send(head("GET /first HTTP/1.1", "Host: " + origin.authority()));
        assertThat(client.message().body()).isEqualTo("first");
    }

    private static String request(String method, TestOrigin origin, int length, String... more) {
        return Wire.lines(method + " / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: " + length)
                + (more.length == 0 ? "" : Wire.lines(more)) + "\r\n";
    }

    @Test
    void anIdempotentRequestWithASmallBodyIsRepeatedOnce() throws Exception {
        try (TestOrigin origin = TestOrigin.of(staleAfter(Wire::message), acting);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, 5) + "hello");

            assertThat(client.message().body()).isEqualTo("done");
            assertThat(effects).containsExactly("PUT hello");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void theSecondTryIsTheLast() throws Exception {
        try (TestOrigin origin = TestOrigin.of(staleAfter(Wire::message), Wire::message, acting);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, 5) + "hello");

            assertThat(client.message().status()).isEqualTo(502);
            assertThat(effects).isEmpty();
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void aRequestThatIsNotIdempotentIsNotRepeated() throws Exception {
        try (TestOrigin origin = TestOrigin.of(staleAfter(Wire::message), acting);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("POST", origin, 5) + "hello");

            assertThat(client.message().status()).isEqualTo(502);
            assertThat(effects).isEmpty();
            assertThat(origin.connections()).isEqualTo(1);
        }
    }

    @Test
    void aBodyThatIsPartlyGoneIsNotRepeated() throws Exception {
        TestOrigin.Script reading = peer -> {
            peer.readHead();
            peer.read(MORE_THAN_IS_KEPT);
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(reading), acting);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, 2 * MORE_THAN_IS_KEPT) + "x".repeat(MORE_THAN_IS_KEPT));

            assertThat(client.message().status()).isEqualTo(502);
            assertThat(effects).isEmpty();
            assertThat(origin.connections()).isEqualTo(1);
        }
    }

    @Test
    void aBodyThatHasBegunGoesOnBehindItsBeginning() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        TestOrigin.Script reading = peer -> {
            peer.readHead();
            peer.read(5);
        };
        TestOrigin.Script second = peer -> {
            peer.readHead();
            effects.add(peer.read(5));
            again.countDown();
            effects.add(peer.read(6));
            peer.send(TestOrigin.ok("done"));
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(reading), second);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, 11) + "hello");
            assertThat(again.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            client.send(" world");

            assertThat(client.message().body()).isEqualTo("done");
            assertThat(effects).containsExactly("hello", " world");
        }
    }

    @Test
    void aChunkedBodyIsRepeatedWithItsEnd() throws Exception {
        TestOrigin.Script reading = peer -> {
            peer.readHead();
            peer.chunks();
        };
        TestOrigin.Script second = peer -> {
            effects.add(peer.chunkedMessage().body());
            peer.send(TestOrigin.ok("done"));
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(reading), second);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(head("PUT / HTTP/1.1", "Host: " + origin.authority(), "Transfer-Encoding: chunked"))
                    .chunk("hello")
                    .chunk(" world")
                    .send("0\r\n\r\n");

            assertThat(client.message().body()).isEqualTo("done");
            assertThat(effects).containsExactly("hello world");
        }
    }

    /** The connection closes while the body is held back for its exact length: any method may go out again. */
    @Test
    void aRequestOfWhichNothingHasLeftIsRepeatedWhateverItsMethod() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(1);
        TestOrigin.Script second = peer -> {
            again.countDown();
            acting.serve(peer);
        };
        BodyRewriter copying = new BodyRewriter() {
            @Override
            public void write(ByteBuffer in, Sink out) {
                held.countDown();
                out.write(in);
            }

            @Override
            public void end(Sink out) {}
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(peer -> held.await()), second);
                TestProxy proxy = proxy().transform(
                                "x",
                                request -> request.head().method().equals("POST")
                                        ? Decision.proceed(Edits.builder()
                                                .rewriteBody(copying)
                                                .build())
                                        : Decision.proceed())
                        .start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("POST", origin, 11) + "hello");
            assertThat(again.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            client.send(" world");

            assertThat(client.message().body()).isEqualTo("done");
            assertThat(effects).containsExactly("POST hello world");
        }
    }

    @Test
    void aRequestThatWaitsForContinueIsRepeatedBeforeItsBody() throws Exception {
        TestOrigin.Script second = peer -> {
            String head = peer.readHead();
            assertThat(head).contains("Expect: 100-continue");
            peer.send(head("HTTP/1.1 100 Continue"));
            effects.add(peer.read(5));
            peer.send(TestOrigin.ok("done"));
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(Wire::readHead), second);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, 5, "Expect: 100-continue"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 100");
            client.send("hello");

            assertThat(client.message().body()).isEqualTo("done");
            assertThat(effects).containsExactly("hello");
        }
    }

    @Test
    void anInterimResponseIsAResponse() throws Exception {
        TestOrigin.Script continuing = peer -> {
            peer.readHead();
            peer.send(head("HTTP/1.1 100 Continue"));
            peer.read(5);
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(continuing), acting);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, 5, "Expect: 100-continue"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 100");
            client.send("hello");

            assertThat(client.message().status()).isEqualTo(502);
            assertThat(effects).isEmpty();
            assertThat(origin.connections()).isEqualTo(1);
        }
    }

    @Test
    void aClientThatLeavesDuringTheSecondTryLeavesNothingBehind() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        CountDownLatch originLeft = new CountDownLatch(1);
        TestOrigin.Script second = peer -> {
            peer.readHead();
            again.countDown();
            try {
                peer.read(MORE_THAN_IS_KEPT);
            } catch (EOFException | java.net.SocketException e) {
                originLeft.countDown();
            }
        };
        try (TestOrigin origin = TestOrigin.of(staleAfter(Wire::readHead), second);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("PUT", origin, MORE_THAN_IS_KEPT) + "hello");
            assertThat(again.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            client.reset();

            assertThat(originLeft.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(proxy.record().path("audit").path("action").asText()).isEqualTo("allow");
            assertThat(proxy.record().path("audit").path("action").asText()).isEqualTo("client_cancel");
        }
    }

    /** Nothing of a body need be kept for it to be possible: the method alone forbids it. */
    @Test
    void aRequestThatIsNotIdempotentIsNotRepeatedWithoutABodyEither() throws Exception {
        try (TestOrigin origin = TestOrigin.of(staleAfter(Wire::message), acting);
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            warm(client, origin);

            client.send(request("POST", origin, 0));

            assertThat(client.message().status()).isEqualTo(502);
            assertThat(effects).isEmpty();
            assertThat(origin.connections()).isEqualTo(1);
        }
    }
}
