package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.StartException;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nobody takes all audit slots, nor all connections to an origin: one client asks for far more than there are, and others
 * are answered.
 */
@Timeout(120)
class FairShareTest {

    private static final int SLOTS = 64;
    private static final int SETTINGS = 4;
    private static final int ACK = 1;

    @TempDir
    Path folder;

    private final BlockingQueue<CompletableFuture<Decision>> held = new LinkedBlockingQueue<>();

    /** Requests for {@code /held} are at work until the test lets them go. */
    private final Transform holding = request -> {
        if (request.head().path().equals("/held")) {
            CompletableFuture<Decision> decision = new CompletableFuture<>();
            held.add(decision);
            return decision;
        }
        return CompletableFuture.completedFuture(Decision.respond(StubResponse.json("{}")));
    };

    private TestProxy proxy() throws StartException {
        return TestProxy.builder(folder)
                .sections("log:\n  audit:\n    slots: " + SLOTS + "\n")
                .transform(
                        "holding",
                        Capabilities.builder()
                                .effects(Effect.ANSWERS_LOCALLY)
                                .deadline(Duration.ofMinutes(5))
                                .build(),
                        holding)
                .start();
    }

    private static Wire from(String address, TestProxy proxy) throws IOException {
        var to = proxy.proxy().httpAddress();
        return new Wire(new Socket(to.getAddress(), to.getPort(), InetAddress.getByName(address), 0));
    }

    /** Opens so many streams on a connection, each with a request for this. */
    private static void ask(Http2Peer frames, int streams, String authority, String path) throws IOException {
        frames.send(SETTINGS, ACK, 0, new byte[0]);
        for (int n = 0; n < streams; n++) {
            frames.headers(
                    2 * n + 1, true, ":method", "GET", ":scheme", "http", ":authority", authority, ":path", path);
        }
    }

    @Test
    void aHogWithManyStreamsOnManyConnectionsLeavesOthersTheirAnswer() throws Exception {
        int connections = 7;
        int streams = 64;
        List<Wire> hog = new ArrayList<>();
        try (TestProxy proxy = proxy()) {
            for (int i = 0; i < connections; i++) {
                Wire wire = from("127.0.0.2", proxy);
                hog.add(wire);
                ask(Http2Peer.connect(wire), streams, "a.test", "/held");
            }
            await().until(() -> held.size() >= SLOTS * 4 / 5 - 2);

            for (int i = 0; i < 100; i++) {
                try (Wire polite = from("127.0.0.3", proxy)) {
                    polite.send(head("GET /x HTTP/1.1", "Host: a.test"));
                    assertThat(polite.readHead()).startsWith("HTTP/1.1 200");
                }
            }
            assertThat(held).as("what the hog holds").hasSizeLessThanOrEqualTo(SLOTS * 4 / 5);

            // Nothing is lost: all of it is answered in the end.
            int asked = connections * streams;
            int answered = 0;
            while (answered < asked) {
                CompletableFuture<Decision> next = held.poll(Patience.SECONDS, TimeUnit.SECONDS);
                assertThat(next).as("a held request after " + answered).isNotNull();
                next.complete(Decision.respond(StubResponse.json("{}")));
                answered++;
            }
            for (Wire wire : hog) {
                wire.close();
            }
            assertThat(proxy.closeAndRecords()).hasSize(asked + 100);
        }
    }

    @Test
    void whoTakesNoneOfItsResponsesLeavesOthersConnectionsToTheOrigin() throws Exception {
        int most = 10;
        int streams = 64;
        AtomicInteger responses = new AtomicInteger();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        boolean large = peer.readHead().startsWith("GET /large ");
                        responses.addAndGet(large ? 1 : 0);
                        peer.send(TestOrigin.ok(large ? "x".repeat(1 << 20) : "ok"));
                    }
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "upstream: {max_connections_per_origin: " + most + "}")
                        .start();
                Wire hog = from("127.0.0.2", proxy)) {
            ask(Http2Peer.connect(hog, Http2Peer.INITIAL_WINDOW_SIZE, 0), streams, origin.authority(), "/large");
            await().until(() -> responses.get() >= most * 4 / 5);

            for (int i = 0; i < 100; i++) {
                try (Wire polite = from("127.0.0.3", proxy)) {
                    polite.send(head("GET /small HTTP/1.1", "Host: " + origin.authority()));
                    assertThat(polite.message().body()).isEqualTo("ok");
                }
            }
            assertThat(responses).as("what the hog holds").hasValue(most * 4 / 5);
        }
    }
}
