package dev.sallyport.it.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transforms that make much of little, asked by a client to do so, must not fill a heap of 256 MiB. */
class AmplificationTest {

    private static final Duration PATIENCE = Patience.usual();
    private static final int AT_ONCE = 20;

    @TempDir
    Path folder;

    /** It takes connections, and nothing that comes on them. */
    private TestOrigin origin;

    @BeforeEach
    void listen() {
        origin = TestOrigin.of(peer -> Thread.sleep(Duration.ofMinutes(10)));
    }

    @AfterEach
    void close() throws IOException {
        origin.close();
    }

    @Tag("long")
    @Test
    void aHead() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m")) {
            for (int i = 0; i < AT_ONCE; i++) {
                Wire client = new Wire(proxy.attack(proxy.http()));
                client.send(Wire.head("GET / HTTP/1.1", "Host: grow-head.localhost:" + origin.port()));
                assertThat(client.readHead()).startsWith("HTTP/1.1 403 ");
            }

            thenRecorded(proxy, "reject/403/edited_head_too_large", AT_ONCE);
            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }

    @Test
    @Tag("long")
    void aBodyThatTheOriginDoesNotTake() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m")) {
            for (int i = 0; i < AT_ONCE; i++) {
                Wire client = new Wire(proxy.attack(proxy.http()));
                client.send(Wire.head(
                                "POST / HTTP/1.1", "Host: grow-body.localhost:" + origin.port(), "Content-Length: 8000")
                        + "x".repeat(8000));
            }

            thenRecorded(proxy, "error/503/overloaded", 1);
            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }

    private static void thenRecorded(Attacked proxy, String kind, long times) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(proxy.records())
                        .hasEntrySatisfying(kind, n -> assertThat(n).isGreaterThanOrEqualTo(times)));
    }
}
