package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.net.FakeExchanges.Quiet;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send {@code close_notify} and go on reading: half a close under TLS 1.3 (RFC 8446, 6.1). */
class TlsHalfClosureTest {

    private static final String H = " HTTP/1.1\r\nHost: a.test\r\n";
    private static final int LARGE = 1 << 20;
    private static final int PIECE = 16 << 10;
    private static final long LONGER_THAN_A_TURN = TimeUnit.MILLISECONDS.toNanos(5);

    private final AtomicReference<Quiet> held = new AtomicReference<>();
    private final List<Socket> transports = new ArrayList<>();
    private Proxy proxy;

    @BeforeEach
    void open() throws IOException {
        proxy = new Proxy();
        proxy.exchanges.on("/held", begun -> {
            Quiet quiet = new Quiet(begun);
            held.set(quiet);
            return quiet;
        });
    }

    @AfterEach
    void close() throws IOException {
        for (Socket transport : transports) {
            transport.close();
        }
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    /** Its end of output is the alert alone: the TCP connection stays as it is. */
    private Wire client(String protocol) throws IOException {
        Socket transport = new Socket(
                proxy.https.address().getAddress(), proxy.https.address().getPort());
        SSLSocket secured =
                (SSLSocket) proxy.clientTls().getSocketFactory().createSocket(transport, "a.test", 443, false);
        secured.startHandshake();
        assertThat(secured.getSession().getProtocol()).isEqualTo(protocol);
        transports.add(transport);
        return new Wire(secured, transport);
    }

    private Quiet begun() {
        Awaitility.await().until(() -> held.get() != null);
        return held.get();
    }

    private static void answer(Quiet exchange) {
        var to = exchange.request.downstream();
        to.loop().execute(() -> {
            HeaderBlock length = new HeaderBlock(1);
            length.append("Content-Length", String.valueOf(LARGE));
            to.head(new ResponseMessage(200, "", length, LARGE), false);
            for (int sent = 0; sent < LARGE; sent += PIECE) {
                to.data(Unpooled.wrappedBuffer(new byte[PIECE]));
            }
            to.end(new HeaderBlock(1));
        });
    }

    /** Whether the alert comes with the request or long after it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answerIsOwedToAClientThatHasEndedItsHalf(boolean together) throws IOException {
        try (Wire client = client("TLSv1.3")) {
            // given
            client.send("GET /held" + H + "\r\n");
            Quiet exchange = together ? null : begun();
            client.endOutput();

            // when
            answer(exchange == null ? begun() : exchange);

            // then
            assertThat(client.headOnly().status()).isEqualTo(200);
            assertThat(client.read(LARGE)).hasSize(LARGE);
            assertThat(client.readToEnd()).isEmpty();
            assertThat(begun().gones.get()).isZero();
        }
    }

    @Test
    void everyPipelinedRequestIsAnswered() throws IOException {
        try (Wire client = client("TLSv1.3")) {
            client.send("GET /1" + H + "\r\nGET /2" + H + "\r\nGET /3" + H + "\r\n")
                    .endOutput();

            for (int i = 1; i <= 3; i++) {
                assertThat(client.message().body()).isEqualTo("GET a.test:443 /" + i + " 0");
            }
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    /** Requests that wait for the loop's next turn are owed their answers, too. */
    @Test
    void requestsThatWaitForTheirTurnAreAnswered() throws IOException {
        proxy.exchanges.on("/slow", begun -> {
            LockSupport.parkNanos(LONGER_THAN_A_TURN);
            return new FakeExchanges.Greeting(begun);
        });
        try (Wire client = client("TLSv1.3")) {
            assertThat(client.get("/x", "a.test").status()).isEqualTo(200);
            CountDownLatch sent = new CountDownLatch(1);
            proxy.exchanges.begun.get(0).downstream().loop().execute(() -> await(sent));
            client.send("GET /slow" + H + "\r\nGET /2" + H + "Pad: " + "x".repeat(6000) + "\r\n\r\n")
                    .endOutput();
            sent.countDown();

            assertThat(client.message().body()).isEqualTo("GET a.test:443 /slow 0");
            assertThat(client.message().body()).isEqualTo("GET a.test:443 /2 0");
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    private static void await(CountDownLatch sent) {
        try {
            assertThat(sent.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two bytes of data look like an alert. */
    @Test
    void smallestRecordsOfARequestPass() throws IOException {
        try (Wire client = client("TLSv1.3")) {
            String request = "GET /1" + H + "\r\nGET /2" + H + "\r\n";
            for (int i = 0; i < request.length(); i += 2) {
                client.send(request.substring(i, Math.min(i + 2, request.length())));
            }
            assertThat(client.message().body()).isEqualTo("GET a.test:443 /1 0");
            assertThat(client.message().body()).isEqualTo("GET a.test:443 /2 0");
        }
    }

    @Test
    void clientThatEndsInMidRequestHasGone() throws IOException {
        try (Wire client = client("TLSv1.3")) {
            client.send("POST /held" + H + "Content-Length: 5\r\n\r\nab");
            Quiet exchange = begun();
            client.endOutput();

            Awaitility.await().until(() -> exchange.gones.get() == 1);
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @Test
    void clientThatEndsBetweenRequestsIsAnsweredWithTheEnd() throws IOException {
        try (Wire client = client("TLSv1.3")) {
            assertThat(client.get("/x", "a.test").status()).isEqualTo(200);
            assertThat(client.endOutput().readToEnd()).isEmpty();
        }
    }

    @Test
    void clientThatClosesAltogetherHasGone() throws IOException {
        try (Wire client = client("TLSv1.3")) {
            client.send("GET /held" + H + "\r\n");
            begun();
            client.endOutput().cut();
        }
        Awaitility.await().until(() -> begun().gones.get() == 1);
    }
}
