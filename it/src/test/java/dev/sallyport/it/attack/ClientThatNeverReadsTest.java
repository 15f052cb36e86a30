package dev.sallyport.it.attack;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.it.TestProxy;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that pipelines requests and leaves the answers unread must not fill the proxy's memory with them. */
class ClientThatNeverReadsTest {

    private static final int REQUESTS = 40_000;
    private static final String REASON = "x".repeat(1024);

    /** What the two socket buffers can hold, and some more. */
    private static final int HELD_BY_SOCKETS = 15_000;

    private static final int TURNS = 1_500;
    private static final int MANY_TURNS = 6_000;

    @TempDir
    Path folder;

    @Test
    @Tag("long")
    void requestsWaitUndecodedWhileTheClientDoesNotRead() throws Exception {
        assertWaiting(TURNS);
    }

    @Tag("long")
    @Test
    void requestsWaitUndecodedForLong() throws Exception {
        assertWaiting(MANY_TURNS);
    }

    private void assertWaiting(int turns) throws Exception {
        // given
        AtomicInteger judged = new AtomicInteger();
        try (TestProxy proxy = TestProxy.builder(folder)
                        .loops(1)
                        .transform("answers", request -> {
                            if (request.head().path().equals("/flood")) {
                                judged.incrementAndGet();
                                return Decision.reject(403, "flooded", REASON);
                            }
                            return Decision.respond(StubResponse.status(204).build());
                        })
                        .start();
                Wire flood = proxy.http();
                Wire other = proxy.http()) {
            // when
            Thread sender = Thread.ofVirtual().start(() -> sendAll(flood));
            for (int turn = 0; turn < turns; turn++) {
                // On the same loop: after each answer it has been round.
                other.send(head("GET /turn HTTP/1.1", "Host: example.com"));
                assertThat(other.readHead()).startsWith("HTTP/1.1 204 ");
            }

            // then
            assertThat(judged.get()).isPositive().isLessThan(HELD_BY_SOCKETS);

            // and when it reads at last, nothing is missing
            Wire.Message first = flood.message();
            int size =
                    first.head().length() + "\r\n\r\n".length() + first.body().length();
            flood.in().skipNBytes((long) size * (REQUESTS - 1));
            sender.join();
            assertThat(judged.get()).isEqualTo(REQUESTS);
        }
    }

    private static void sendAll(Wire flood) {
        try {
            flood.send(head("GET /flood HTTP/1.1", "Host: example.com").repeat(REQUESTS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
