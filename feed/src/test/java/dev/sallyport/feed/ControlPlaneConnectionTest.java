package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that begin and do not end. */
@Timeout(60)
class ControlPlaneConnectionTest {

    private static final String HALF = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n\r\n{";

    private final CountDownLatch done = new CountDownLatch(1);
    private ServerSocket server;
    private ControlPlaneConnection connection;

    @BeforeEach
    void listen() throws Exception {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::answer);
        ControlPlaneConfig config = ControlPlanes.at(server.getLocalPort());
        connection = ControlPlaneConnection.to(config, "token", Duration.ofMillis(300));
    }

    private void answer() {
        try (Socket client = server.accept()) {
            InputStream in = client.getInputStream();
            if (in.read() >= 0) {
                client.getOutputStream().write(HALF.getBytes(StandardCharsets.US_ASCII));
                done.await();
            }
        } catch (IOException e) {
            done.countDown(); // the test has ended
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void close() throws IOException {
        done.countDown();
        connection.close();
        server.close();
    }

    @Test
    void aRefusalThatStallsIsNotWaitedForForEver() {
        assertThatThrownBy(() -> connection.follow(new Holding.Nothing(), BootKey.make()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anAnswerToAnAcknowledgementThatStallsIsNotWaitedForForEver() throws Exception {
        assertThatThrownBy(() -> connection.acknowledge("epoch", 1, "", List.of(), Set.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not answered in time");
    }
}
