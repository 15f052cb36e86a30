package dev.sallyport.it.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transforms that make much of little, asked by a client to do so, must not fill a heap of 256 MiB. */
class AmplificationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int AT_ONCE = 20;

    @TempDir
    Path folder;

    private ServerSocket origin;
    private final List<Socket> accepted = new ArrayList<>();

    /** An origin that takes connections, and nothing that comes on them. */
    @BeforeEach
    void listen() throws IOException {
        origin = new ServerSocket(0, AT_ONCE, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Socket connection = origin.accept();
                    synchronized (accepted) {
                        accepted.add(connection);
                    }
                }
            } catch (IOException e) {
                // The test is over.
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        origin.close();
        synchronized (accepted) {
            for (Socket connection : accepted) {
                connection.close();
            }
        }
    }

    @Test
    void aHead() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m")) {
            for (int i = 0; i < AT_ONCE; i++) {
                Wire client = new Wire(proxy.attack(proxy.http()));
                client.send(Wire.head("GET / HTTP/1.1", "Host: grow-head.localhost:" + origin.getLocalPort()));
                assertThat(client.readHead()).startsWith("HTTP/1.1 403 ");
            }

            thenRecorded(proxy, "reject/403/gate", AT_ONCE);
            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
    }

    @Test
    void aBodyThatTheOriginDoesNotTake() throws Exception {
        try (Attacked proxy = Attacked.start(folder, "-Xmx256m")) {
            for (int i = 0; i < AT_ONCE; i++) {
                Wire client = new Wire(proxy.attack(proxy.http()));
                client.send(Wire.head(
                                "POST / HTTP/1.1",
                                "Host: grow-body.localhost:" + origin.getLocalPort(),
                                "Content-Length: 8000")
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
