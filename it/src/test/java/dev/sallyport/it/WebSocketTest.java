package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static dev.sallyport.testsupport.Wire.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.net.ProxySelector;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSocket (RFC 6455) from the opening handshake to the last byte. */
class WebSocketTest {

    /** More than all buffers on the way hold. */
    private static final int MUCH = 24 << 20;

    private static final String CLIENT_ENDED = "websocket: the client ended the connection without a close frame";
    private static final String ORIGIN_ENDED = "websocket: the origin ended the connection without a close frame";

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private TestCertificates certificates;

    @BeforeEach
    void certificates() {
        certificates = new TestCertificates(folder);
    }

    private TestProxy.Builder proxy() {
        return TestProxy.builder(folder).certificates(certificates);
    }

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static Wire open(TestProxy proxy, TestOrigin origin, String... more) throws Exception {
        Wire client = proxy.http().send(WebSocketFrames.opening("/chat?room=1", origin.authority(), more));
        assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
        return client;
    }

    @Test
    void carriesTheHandshakeAndThenFramesAsTheyAre() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    String head = peer.readHead();
                    seen.add(head);
                    peer.send(WebSocketFrames.agreement(head, "Sec-WebSocket-Protocol: chat"));
                    peer.send(WebSocketFrames.text("welcome", false));
                    seen.add(WebSocketFrames.read(peer).text());
                    peer.send(WebSocketFrames.close(1000, false));
                    assertThat(WebSocketFrames.read(peer).opcode()).isEqualTo(WebSocketFrames.CLOSE);
                });
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            client.send(WebSocketFrames.opening(
                    "/chat?room=1", origin.authority(), "Sec-WebSocket-Protocol: chat", "X-Own: 1"));

            assertThat(client.readHead())
                    .startsWith("HTTP/1.1 101 Switching Protocols\r\n")
                    .contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                    .contains("\r\nSec-WebSocket-Protocol: chat")
                    .contains("\r\nConnection: Upgrade\r\nUpgrade: websocket");
            assertThat(WebSocketFrames.read(client).text()).isEqualTo("welcome");
            client.send(WebSocketFrames.text("hello", true));
            assertThat(WebSocketFrames.read(client).opcode()).isEqualTo(WebSocketFrames.CLOSE);
            client.send(WebSocketFrames.close(1000, true));
            assertThat(client.readToEnd()).isEmpty();
            client.close();

            assertThat(seen())
                    .startsWith("GET /chat?room=1 HTTP/1.1\r\n")
                    .contains("\r\nConnection: Upgrade\r\nUpgrade: websocket")
                    .contains("\r\nSec-WebSocket-Version: 13")
                    .contains("\r\nX-Own: 1");
            assertThat(seen()).isEqualTo("hello");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(11 + 8);
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(9 + 4);
            assertThat(record.has("error")).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ws", "wss"})
    void servesTheJdksClientThroughATunnel(String scheme) throws Exception {
        TestOrigin.Script echo = WebSocketFrames::echo;
        try (TestOrigin origin = scheme.equals("ws") ? TestOrigin.of(echo) : TestOrigin.tls(certificates.origin, echo);
                TestProxy proxy = proxy().start();
                HttpClient http = HttpClient.newBuilder()
                        .proxy(ProxySelector.of(proxy.proxy().tunnelAddress()))
                        .sslContext(certificates.client)
                        .build()) {
            BlockingQueue<String> heard = new LinkedBlockingQueue<>();
            WebSocket socket = http.newWebSocketBuilder()
                    .buildAsync(URI.create(scheme + "://localhost:" + origin.port() + "/"), new Listener(heard))
                    .get(Patience.SECONDS, TimeUnit.SECONDS);
            String much = "0123456789abcdef".repeat(10_000);
            socket.sendText("hello", true).get(Patience.SECONDS, TimeUnit.SECONDS);
            socket.sendText(much.substring(0, 70_000), false).get(Patience.SECONDS, TimeUnit.SECONDS);
            socket.sendText(much.substring(70_000), true).get(Patience.SECONDS, TimeUnit.SECONDS);
            socket.sendPing(ByteBuffer.wrap("p".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                    .get(Patience.SECONDS, TimeUnit.SECONDS);

            assertThat(heard.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("hello");
            assertThat(heard.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(much);
            assertThat(heard.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("pong");
            socket.sendClose(1000, "bye").get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(heard.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("close 1000");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/tunnel/target").asText()).isEqualTo("localhost:" + origin.port());
        }
    }

    private static final class Listener implements WebSocket.Listener {

        private final BlockingQueue<String> heard;
        private final StringBuilder text = new StringBuilder();

        Listener(BlockingQueue<String> heard) {
            this.heard = heard;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                heard.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            heard.add("pong");
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            heard.add("close " + code);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            heard.add("error " + error);
        }
    }

    @Test
    void isInterceptedOnTheHttpsListener() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, WebSocketFrames::echo);
                TestProxy proxy = proxy().start();
                Wire client = proxy.https(certificates, "localhost")) {
            client.send(WebSocketFrames.opening("/", "localhost:" + origin.port()));

            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            assertThat(WebSocketFrames.read(client.send(WebSocketFrames.text("hi", true)))
                            .text())
                    .isEqualTo("hi");
        }
    }

    @Test
    void runsBothWaysOfThePipelineOnTheHandshake() throws Exception {
        ResponseStep step = ResponseStep.inline(response -> {
            assertThat(response.head().status()).isEqualTo(101);
            return ResponseDecision.proceed(Edits.builder()
                    .addHeader("X-Back", "1")
                    .removeHeader("X-Gone")
                    .build());
        });
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    String head = peer.readHead();
                    seen.add(head);
                    peer.send(WebSocketFrames.agreement(head, "X-Gone: 1")).send(WebSocketFrames.text("early", false));
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().transform(
                                "t",
                                request -> Decision.proceed(
                                        Edits.builder()
                                                .sensitive()
                                                .setHeader("Authorization", "Bearer real")
                                                .setQuery("token=real")
                                                .build(),
                                        step))
                        .start();
                Wire client = proxy.http().send(WebSocketFrames.opening("/", origin.authority()))) {

            assertThat(client.readHead()).contains("X-Back: 1").doesNotContain("X-Gone");
            assertThat(WebSocketFrames.read(client).text()).isEqualTo("early");
            assertThat(seen()).startsWith("GET /?token=real HTTP/1.1").contains("Authorization: Bearer real");
        }
    }

    @Test
    void stopsAHandshakeThatAResponseStepRefusesOrReplaces() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()) + "early");
                    seen.add("end:" + peer.readToEnd());
                });
                TestProxy proxy = proxy().transform(
                                "t",
                                request -> Decision.proceed(
                                        Edits.none(),
                                        ResponseStep.inline(response ->
                                                response.request().path().equals("/refuse")
                                                        ? ResponseDecision.refuse("no_sockets", "No WebSockets here.")
                                                        : ResponseDecision.replace(StubResponse.status(418)
                                                                .build()))))
                        .start()) {
            try (Wire client = proxy.http().send(WebSocketFrames.opening("/refuse", origin.authority()))) {
                assertThat(client.message().status()).isEqualTo(502);
            }
            assertThat(seen()).isEqualTo("end:");
            try (Wire client = proxy.http().send(WebSocketFrames.opening("/replace", origin.authority()))) {
                assertThat(client.message().status()).isEqualTo(418);
            }
            assertThat(seen()).isEqualTo("end:");
        }
    }

    @Test
    void passesEveryOtherAnswerOnAndKeepsTheConnections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(TestOrigin.always(
                        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno"));
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            for (int i = 0; i < 3; i++) {
                Wire.Message answer = client.send(WebSocketFrames.opening("/", origin.authority()))
                        .message();

                assertThat(answer.status()).isEqualTo(401);
                assertThat(answer.head()).contains("WWW-Authenticate: Basic").doesNotContain("Upgrade");
                assertThat(answer.body()).isEqualTo("no");
                assertThat(proxy.record().at("/audit/status_code").asInt()).isEqualTo(401);
            }
            assertThat(origin.connections()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2c", "websocket, h2c", "TLS/1.0", "connect-udp"})
    void dropsOtherUpgrades(String token) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(TestOrigin.ok("plain"));
                });
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            client.send(head(
                    "GET / HTTP/1.1",
                    "Host: " + origin.authority(),
                    "Connection: Upgrade, HTTP2-Settings",
                    "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
                    "Upgrade: " + token));

            assertThat(client.message().body()).isEqualTo("plain");
            assertThat(seen()).doesNotContainIgnoringCase("upgrade").doesNotContainIgnoringCase("http2-settings");
        }
    }

    private static final String WHOLE = """
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            """;

    /** RFC 6455, 4.1: an origin that looks at the fields alone would switch protocols. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /chat HTTP/1.1|",
                "POST /chat HTTP/1.1|Content-Length: 0",
                "HEAD /chat HTTP/1.1|",
                "get /chat HTTP/1.1|",
                "OPTIONS /chat HTTP/1.1|",
                "GET /chat HTTP/1.1|Content-Length: 5",
                "GET /chat HTTP/1.1|Transfer-Encoding: chunked"
            })
    void refusesAHandshakeThatIsNoGetOrHasABody(String request) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> peer.send(WebSocketFrames.agreement(peer.readHead())));
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            String[] parts = request.split("\\|", -1);
            client.send(parts[0] + "\r\nHost: " + origin.authority() + "\r\n" + WHOLE
                    + (parts[1].isEmpty() ? "" : parts[1] + "\r\n") + "\r\n");

            String head = client.readHead();
            assertThat(head).startsWith("HTTP/1.1 400");
            assertThat(client.readToEnd()).contains(parts[0].startsWith("HEAD") ? "" : "bad_websocket_handshake");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.at("/audit/path").asText()).isEqualTo("/chat");
            assertThat(record.get("error").asText()).startsWith("bad_websocket_handshake");
            assertThat(origin.connections()).isZero();
        }
    }

    /** RFC 9110, 7.8: as if the field were not there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.0|" + WHOLE,
                "POST / HTTP/1.0|" + WHOLE,
                "GET / HTTP/1.1|" + WHOLE + "Upgrade: h2c\r\n",
                "GET / HTTP/1.1|Upgrade: h2c\r\n" + WHOLE
            })
    void whatAsksForNoWebSocketAloneGetsNone(String request) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send(TestOrigin.ok("plain"));
                });
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            String[] parts = request.split("\\|", -1);
            client.send(parts[0] + "\r\nHost: " + origin.authority() + "\r\n" + parts[1] + "\r\n");

            assertThat(client.message().body()).isEqualTo("plain");
            assertThat(seen()).doesNotContainIgnoringCase("upgrade");
        }
    }

    /** Both directions judge a handshake by its fields: one that lacks a field could be taken for one by the origin alone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Connection: Upgrade|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|Sec-WebSocket-Version: 8",
                "Connection: Upgrade|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|Sec-WebSocket-Version: 13|"
                        + "Sec-WebSocket-Version: 13",
                "Connection: Upgrade|Sec-WebSocket-Version: 13",
                "Connection: Upgrade|Sec-WebSocket-Key: c2hvcnQ=|Sec-WebSocket-Version: 13",
                "Connection: Upgrade|Sec-WebSocket-Key: not!Base64!at!all!!!!!!!|Sec-WebSocket-Version: 13",
                "Connection: Upgrade, sec-websocket-version|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|"
                        + "Sec-WebSocket-Version: 13",
                "Connection: Upgrade|Connection: Sec-WebSocket-Key|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|"
                        + "Sec-WebSocket-Version: 13"
            })
    void refusesAHandshakeThatIsNotWhole(String fields) throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 500 Not Asked\r\n\r\n");
                TestProxy proxy = proxy().start();
                Wire client = proxy.http()) {
            client.send("GET /chat HTTP/1.1\r\nHost: " + origin.authority() + "\r\nUpgrade: websocket\r\n"
                    + lines(fields.split("\\|", -1)) + "\r\n");

            Wire.Message answer = client.message();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).contains("bad_websocket_handshake");
            assertThat(client.readToEnd()).isEmpty();
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(400);
            assertThat(record.at("/audit/path").asText()).isEqualTo("/chat");
            assertThat(origin.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Upgrade: websocket|Connection: Upgrade|Sec-WebSocket-Accept: wrong",
                "Upgrade: websocket|Connection: Upgrade",
                "Upgrade: h2c|Connection: Upgrade|Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                "Upgrade: websocket|Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                "Connection: Upgrade|Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            })
    void refusesAnAgreementToSomethingElse(String fields) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 101 Switching Protocols\r\n" + lines(fields.split("\\|", -1)) + "\r\n");
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().start();
                Wire client = proxy.http().send(WebSocketFrames.opening("/", origin.authority()))) {
            Wire.Message answer = client.message();

            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).contains("upstream_protocol_error");
            assertThat(proxy.record().get("error").asText()).startsWith("upstream_protocol_error: ");
        }
    }

    @Test
    void streamsWithBackPressureInBothDirections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    Thread sender = Thread.ofVirtual().start(() -> send(peer));
                    seen.add(peer.in().readNBytes(MUCH).length + " bytes");
                    sender.join();
                });
                TestProxy proxy = proxy().start();
                Wire client = open(proxy, origin)) {
            Thread sender = Thread.ofVirtual().start(() -> send(client));

            assertThat(client.in().readNBytes(MUCH)).hasSize(MUCH);
            sender.join();
            assertThat(seen()).isEqualTo(MUCH + " bytes");
            client.close();
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(MUCH);
            assertThat(record.at("/audit/response_bytes").asInt()).isEqualTo(MUCH);
        }
    }

    private static void send(Wire wire) {
        try {
            byte[] part =
                    WebSocketFrames.frame(WebSocketFrames.FIN | WebSocketFrames.BINARY, new byte[64 * 1024 - 4], false);
            for (int sent = 0; sent < MUCH; sent += part.length) {
                wire.send(part);
            }
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void letsTheOriginFinishWhenTheClientHasEndedItsHalf() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    seen.add(peer.readToEnd());
                    peer.send("the rest");
                });
                TestProxy proxy = proxy().start();
                Wire client = open(proxy, origin)) {
            client.send("all");
            client.socket().shutdownOutput();

            assertThat(client.readToEnd()).isEqualTo("the rest");
            assertThat(seen()).isEqualTo("all");
            assertEnded(proxy, "client_cancel", CLIENT_ENDED);
        }
    }

    @Test
    void letsTheClientFinishWhenTheOriginHasEndedItsHalf() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()) + "all");
                    peer.socket().shutdownOutput();
                    seen.add(peer.readToEnd());
                });
                TestProxy proxy = proxy().start();
                Wire client = open(proxy, origin)) {
            assertThat(client.readToEnd()).isEqualTo("all");
            client.send("the rest");
            client.close();

            assertThat(seen()).isEqualTo("the rest");
            assertEnded(proxy, "error", ORIGIN_ENDED);
        }
    }

    @Test
    void deliversWhatAClientSentBeforeItLeft() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    seen.add(peer.in().readNBytes(MUCH).length + peer.readToEnd());
                });
                TestProxy proxy = proxy().start()) {
            try (Wire client = open(proxy, origin)) {
                send(client);
            }

            assertThat(seen()).isEqualTo(String.valueOf(MUCH));
            assertThat(proxy.record().at("/audit/request_bytes").asInt()).isEqualTo(MUCH);
        }
    }

    private static void assertEnded(TestProxy proxy, String action, String error) throws Exception {
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/action").asText()).as(record.toString()).isEqualTo(action);
        assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
        assertThat(record.path("error").asText()).isEqualTo(error);
    }

    /** How a client goes without having said that it would (RFC 6455, 7.1.5). */
    enum Vanishing {
        /** As the kernel does for a process that has ended. */
        CLOSED(false, CLIENT_ENDED) {
            @Override
            void vanish(Wire client) throws Exception {
                client.close();
            }
        },
        RESET(false, "") {
            @Override
            void vanish(Wire client) throws Exception {
                client.reset();
            }
        },
        TLS_CLOSED(true, CLIENT_ENDED) {
            @Override
            void vanish(Wire client) throws Exception {
                client.close();
            }
        },
        TLS_CUT(true, "") {
            @Override
            void vanish(Wire client) throws Exception {
                client.cut();
            }
        };

        private final boolean tls;
        private final String error;

        Vanishing(boolean tls, String error) {
            this.tls = tls;
            this.error = error;
        }

        abstract void vanish(Wire client) throws Exception;
    }

    @ParameterizedTest
    @EnumSource(Vanishing.class)
    void recordsAClientThatVanishes(Vanishing how) throws Exception {
        try (TestOrigin origin = how.tls
                        ? TestOrigin.tls(certificates.origin, WebSocketFrames::echo)
                        : TestOrigin.of(WebSocketFrames::echo);
                TestProxy proxy = proxy().start();
                Wire client = how.tls ? proxy.https(certificates, "localhost") : proxy.http()) {
            client.send(WebSocketFrames.opening("/", "localhost:" + origin.port()));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            assertThat(WebSocketFrames.read(client.send(WebSocketFrames.text("hi", true)))
                            .text())
                    .isEqualTo("hi");

            how.vanish(client);

            assertEnded(proxy, "client_cancel", how.error);
        }
    }

    /** The client has ended its half: what the origin makes of that is not the origin's doing. */
    @Test
    void recordsAClientThatVanishesAlsoWhenTheOriginIsRudeThen() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    peer.readToEnd();
                    peer.reset();
                });
                TestProxy proxy = proxy().start();
                Wire client = open(proxy, origin)) {
            client.socket().shutdownOutput();

            assertThat(client.readToEnd()).isEmpty();
            assertEnded(proxy, "client_cancel", CLIENT_ENDED);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recordsAnOriginThatVanishes(boolean tls) throws Exception {
        TestOrigin.Script script = peer -> {
            peer.send(WebSocketFrames.agreement(peer.readHead()));
            peer.read(8);
        };
        try (TestOrigin origin = tls ? TestOrigin.tls(certificates.origin, script) : TestOrigin.of(script);
                TestProxy proxy = proxy().start();
                Wire client = tls ? proxy.https(certificates, "localhost") : proxy.http()) {
            client.send(WebSocketFrames.opening("/", "localhost:" + origin.port()));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
            client.send(WebSocketFrames.text("hi", true));

            assertThat(client.readToEnd()).isEmpty();
            client.close();
            assertEnded(proxy, "error", ORIGIN_ENDED);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesOneCloseFrameForAWord(boolean ofTheClient) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    if (!ofTheClient) {
                        peer.send(WebSocketFrames.close(1001, false));
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().start();
                Wire client = open(proxy, origin)) {
            if (ofTheClient) {
                client.send(WebSocketFrames.close(1001, true));
            } else {
                assertThat(WebSocketFrames.read(client).opcode()).isEqualTo(WebSocketFrames.CLOSE);
            }
            client.close();

            assertEnded(proxy, "allow", "");
        }
    }

    @Test
    void resetsTheOriginWhenTheClientBreaksOff() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    try {
                        seen.add("end:" + peer.in().read());
                    } catch (SocketException reset) {
                        seen.add("reset");
                    }
                });
                TestProxy proxy = proxy().start()) {
            open(proxy, origin).reset();

            assertThat(seen()).isEqualTo("reset");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("client_cancel");
        }
    }

    @Test
    void resetsTheClientWhenTheOriginBreaksOff() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    peer.read(2);
                    peer.reset();
                });
                TestProxy proxy = proxy().start();
                Wire client = open(proxy, origin)) {
            client.send("go");

            assertThatThrownBy(() -> client.in().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("error");
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.get("error").asText()).contains("broke off");
        }
    }

    /** TLS without close_notify: anybody on the way could have cut that. */
    @Test
    void resetsTheClientWhenTheOriginsTlsIsCutOff() throws Exception {
        try (TestOrigin origin = TestOrigin.tls(certificates.origin, peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    peer.read(2);
                    peer.cut();
                });
                TestProxy proxy = proxy().start();
                Wire client = proxy.https(certificates, "localhost")) {
            client.send(WebSocketFrames.opening("/", "localhost:" + origin.port()));
            client.readHead();
            client.send("go");

            assertThatThrownBy(() -> client.in().read()).isInstanceOf(java.io.IOException.class);
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("error");
        }
    }

    @Test
    void idleSocketsNeitherTakePermitsNorHoldAGeneration() throws Exception {
        try (TestOrigin origin = TestOrigin.of(WebSocketFrames::echo);
                TestOrigin other = TestOrigin.answering(TestOrigin.ok("fine"));
                TestProxy proxy =
                        proxy().sections("log:\n  audit:\n    slots: 64\n").start()) {
            Wire[] clients = new Wire[100];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = open(proxy, origin);
            }

            assertThat(proxy.get(other, "/").status()).isEqualTo(200);
            for (Wire client : clients) {
                assertThat(WebSocketFrames.read(client.send(WebSocketFrames.text("hi", true)))
                                .text())
                        .isEqualTo("hi");
                client.close();
            }
            assertThat(proxy.closeAndRecords()).hasSize(clients.length + 1);
        }
    }

    @Test
    void endsSocketsThatAreSilentForTooLong() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    try {
                        seen.add("end:" + peer.in().read());
                    } catch (SocketException reset) {
                        seen.add("reset");
                    }
                });
                TestProxy proxy = proxy().proxyLines("upstream_deny_cidrs: []", "limits:", "  relay_idle_timeout: 1s")
                        .start();
                Wire client = open(proxy, origin)) {
            assertThatThrownBy(() -> client.in().read()).isInstanceOf(SocketException.class);
            assertThat(seen()).isEqualTo("reset");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.get("error").asText()).startsWith("idle_timeout");
        }
    }

    @Test
    void survivesTheLimitsOfOrdinaryConnections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    seen.add("open");
                    peer.send(WebSocketFrames.text("late", false));
                    peer.readToEnd();
                });
                TestOrigin slow = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().proxyLines(
                                "upstream_deny_cidrs: []",
                                "upstream_response_header_timeout: 1500ms",
                                "limits:",
                                "  client_idle_timeout: 1s",
                                "  header_read_timeout: 1s")
                        .start();
                Wire client = open(proxy, origin)) {
            // Longer than all of these limits: the time-out of another exchange ends.
            assertThat(proxy.http()
                            .send(head("GET / HTTP/1.1", "Host: " + slow.authority()))
                            .message()
                            .status())
                    .isEqualTo(504);

            assertThat(WebSocketFrames.read(client).text()).isEqualTo("late");
            client.send("x");
            client.socket().shutdownOutput();
        }
    }

    @Test
    void endsWithTheProxyAfterTheDrainLimit() throws Exception {
        try (TestOrigin origin = TestOrigin.of(WebSocketFrames::echo)) {
            TestProxy proxy = proxy().proxyLines("upstream_deny_cidrs: []", "limits:", "  drain_timeout: 100ms")
                    .start();
            try (Wire client = open(proxy, origin)) {
                proxy.close();

                assertThat(client.readToEnd()).isEmpty();
            }
            JsonNode record = proxy.closeAndRecords().getFirst();
            assertThat(record.at("/audit/action").asText()).isEqualTo("error");
            assertThat(record.get("error").asText()).isEqualTo("shutdown: cut off by the end of the proxy");
        }
    }
}
