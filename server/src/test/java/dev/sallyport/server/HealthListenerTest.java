package dev.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.config.ListenAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions, section 13: metrics.listen answers /healthz. */
class HealthListenerTest {

    private final HealthListener listener = new HealthListener();

    @BeforeEach
    void start() throws Failure {
        listener.start(new ListenAddress("127.0.0.1", 0));
    }

    @AfterEach
    void stop() {
        listener.close();
    }

    @Test
    void healthz_is_ok() throws Exception {
        assertThat(ask("GET /healthz HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .endsWith("\r\n\r\nOK");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"GET / HTTP/1.1", "GET /healthz/x HTTP/1.1", "POST /healthz HTTP/1.1", "GET /healthz?a HTTP/1.1"
            })
    void all_else_is_not_found(String request) throws Exception {
        assertThat(ask(request)).startsWith("HTTP/1.1 404 Not Found\r\n");
    }

    @Test
    void a_taken_port_is_a_failure_that_names_it() {
        int port = address().getPort();
        try (HealthListener second = new HealthListener()) {
            Failure failure =
                    catchThrowableOfType(Failure.class, () -> second.start(new ListenAddress("127.0.0.1", port)));

            assertThat(failure.problems()).containsExactly("metrics.listen 127.0.0.1:" + port + ": the port is taken");
        }
    }

    private String ask(String line) throws Exception {
        try (Socket socket = new Socket(address().getAddress(), address().getPort())) {
            socket.getOutputStream()
                    .write((line + "\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private InetSocketAddress address() {
        return Objects.requireNonNull(listener.address());
    }
}
