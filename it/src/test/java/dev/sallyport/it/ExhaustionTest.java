package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application in whose JVM a proxy runs has no heap left, or no other memory (docs/spec/decisions.md, section 14a).
 */
class ExhaustionTest {

    private static final Duration PATIENCE = Patience.usual();

    @TempDir
    Path folder;

    /** Where a transform may be when there is no memory. */
    enum Where {
        INLINE,
        BLOCKING,
        ASYNC,
        BODY;

        Transform transform(Supplier<OutOfMemoryError> error) {
            return switch (this) {
                case INLINE ->
                    inline(request -> {
                        throw error.get();
                    });
                case BLOCKING ->
                    (BlockingTransform) request -> {
                        throw error.get();
                    };
                case ASYNC ->
                    request -> CompletableFuture.supplyAsync(() -> {
                        throw error.get();
                    });
                case BODY ->
                    inline(request -> Decision.proceed(
                            Edits.builder().rewriteBody(rewriter(error)).build()));
            };
        }

        private static InlineTransform inline(InlineTransform transform) {
            return transform;
        }

        private static BodyRewriter rewriter(Supplier<OutOfMemoryError> error) {
            return new BodyRewriter() {
                @Override
                public void write(ByteBuffer in, Sink out) {
                    throw error.get();
                }

                @Override
                public void end(Sink out) {}
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void noHeapClosesTheListeners(Where where) throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("ok"));
                TestProxy proxy = start(where.transform(() -> new OutOfMemoryError("Java heap space")))) {
            InetSocketAddress http = proxy.proxy().httpAddress();
            InetSocketAddress tunnel = proxy.proxy().tunnelAddress();

            // when
            try (Wire client = proxy.http()) {
                client.send(head("POST / HTTP/1.1", "Host: " + origin.authority(), "Content-Length: 2") + "ok");

                assertThat(client.message().status()).isEqualTo(503);
            }

            // then
            assertThat(proxy.record().at("/audit/status_code").asInt()).isEqualTo(503);
            await().atMost(PATIENCE).until(() -> isClosed(http) && isClosed(tunnel));
            assertThat(proxy.proxy().ready()).isFalse();
        }
    }

    @Test
    void noHeapWhileATunnelIsJudgedClosesTheListeners() throws Exception {
        try (TestProxy proxy = start(new Transform() {
            @Override
            public Admission onConnect(ConnectContext context) {
                throw new OutOfMemoryError("GC overhead limit exceeded");
            }

            @Override
            public CompletableFuture<Decision> onRequest(RequestContext request) {
                return CompletableFuture.completedFuture(Decision.proceed());
            }
        })) {
            InetSocketAddress http = proxy.proxy().httpAddress();
            try (Wire client = proxy.tunnel()) {
                client.send(head("CONNECT a.test:443 HTTP/1.1", "Host: a.test:443"));

                assertThat(client.message().status()).isEqualTo(503);
            }

            await().atMost(PATIENCE).until(() -> isClosed(http));
        }
    }

    /** What the JVM itself throws. */
    @Test
    void anArrayThatTheHeapDoesNotHold() throws Exception {
        try (TestProxy proxy = start((InlineTransform) request -> {
            long[] much = new long[Integer.MAX_VALUE - 8];
            return Decision.reject(403, "denied", "not even " + much.length);
        })) {
            InetSocketAddress http = proxy.proxy().httpAddress();
            try (Wire client = proxy.http()) {
                client.send(head("GET / HTTP/1.1", "Host: a.test"));

                assertThat(client.message().status()).isEqualTo(503);
            }

            await().atMost(PATIENCE).until(() -> isClosed(http));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cannot reserve 1048576 bytes of direct buffer memory (allocated: 1, limit: 2)",
                "unable to create native thread: possibly out of memory or process/resource limits reached",
                "Requested array size exceeds VM limit",
                "Required length exceeds implementation limit"
            })
    void otherMemoryEndsTheExchangeAlone(String message) throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("ok"));
                TestProxy proxy = start((InlineTransform) request -> {
                    if (request.destination().host().equals("a.test")) {
                        throw new OutOfMemoryError(message);
                    }
                    return Decision.proceed();
                });
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: a.test"));

            assertThat(client.message().status()).isEqualTo(503);
            assertThat(proxy.record().at("/audit/status_code").asInt()).isEqualTo(503);
            try (Wire other = proxy.http()) {
                other.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                assertThat(other.message().status()).isEqualTo(200);
            }
            assertThat(proxy.proxy().ready()).isTrue();
        }
    }

    private TestProxy start(Transform transform) throws Exception {
        return TestProxy.builder(folder)
                .transform("memory", TestProxy.everything(), transform)
                .start();
    }

    private static boolean isClosed(InetSocketAddress address) {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            return !socket.isConnected();
        } catch (IOException e) {
            return true;
        }
    }
}
