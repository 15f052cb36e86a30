package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets of clients that speak HTTP/2 (RFC 8441), to origins that speak HTTP/1.1. */
class WebSocketOverHttp2Test {

    private static final int NO_ERROR = 0;

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static Http2Peer connect(Wire wire) throws Exception {
        return Http2Peer.connect(wire);
    }

    private static void ask(Http2Peer client, int stream, TestOrigin origin) throws Exception {
        client.headers(
                stream,
                false,
                ":method",
                "CONNECT",
                ":protocol",
                "websocket",
                ":scheme",
                "http",
                ":path",
                "/chat",
                ":authority",
                origin.authority(),
                "sec-websocket-version",
                "13",
                "sec-websocket-protocol",
                "chat");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sec-websocket-version: 8", "x-other: 13"})
    void refusesAnotherVersionAndNone(String field) throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 500 Not Asked\r\n\r\n");
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Http2Peer client = connect(wire);
            client.headers(
                    1,
                    false,
                    ":method",
                    "CONNECT",
                    ":protocol",
                    "websocket",
                    ":scheme",
                    "http",
                    ":path",
                    "/chat",
                    ":authority",
                    origin.authority(),
                    field.substring(0, field.indexOf(':')),
                    field.substring(field.indexOf(' ') + 1));

            assertThat(client.fields(client.next(Http2Peer.HEADERS))).contains(":status: 400");
            assertThat(client.next(Http2Peer.DATA).text()).contains("bad_websocket_handshake");
            assertThat(proxy.record().at("/audit/path").asText()).isEqualTo("/chat");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void opensWithAKeyOfItsOwnAndRelaysInBothDirections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    String head = peer.readHead();
                    seen.add(head);
                    peer.send(WebSocketFrames.agreement(head, "Sec-WebSocket-Protocol: chat"));
                    peer.send(WebSocketFrames.text("welcome", false));
                    seen.add(WebSocketFrames.read(peer).text());
                    seen.add("rest:" + peer.readToEnd());
                    peer.send(WebSocketFrames.close(1000, false));
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Http2Peer client = connect(wire);
            ask(client, 1, origin);

            Frame head = client.next(Http2Peer.HEADERS);
            assertThat(client.fields(head))
                    .contains(":status: 200", "sec-websocket-protocol: chat")
                    .noneMatch(line -> line.startsWith("sec-websocket-accept") || line.startsWith("upgrade"));
            assertThat(head.ends()).isFalse();
            assertThat(client.next(Http2Peer.DATA).payload()).isEqualTo(WebSocketFrames.text("welcome", false));
            client.data(1, false, WebSocketFrames.text("hello", true));
            assertThat(seen())
                    .startsWith("GET /chat HTTP/1.1")
                    .contains("Upgrade: websocket")
                    .satisfies(sent -> assertThat(Base64.getDecoder().decode(Wire.field(sent, "Sec-WebSocket-Key")))
                            .hasSize(16));
            assertThat(seen()).isEqualTo("hello");
            client.data(1, true, "");
            assertThat(seen()).isEqualTo("rest:");
            Frame last = client.next(Http2Peer.DATA);
            assertThat(last.payload()).isEqualTo(WebSocketFrames.close(1000, false));
            assertThat(last.ends() || client.next(Http2Peer.DATA).ends()).isTrue();
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(11);
        }
    }

    @Test
    void letsTheClientFinishWhenTheOriginHasEndedItsHalf() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    peer.socket().shutdownOutput();
                    seen.add(peer.readToEnd());
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Http2Peer client = connect(wire);
            ask(client, 1, origin);
            client.next(Http2Peer.HEADERS);
            assertThat(client.next(Http2Peer.DATA).ends()).isTrue();
            client.data(1, false, "the ");
            client.data(1, true, "rest");

            assertThat(seen()).isEqualTo("the rest");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("error");
        }
    }

    /** RFC 6455, 7.1.5: without a close frame that is no end of a conversation. */
    @Test
    void recordsAClientThatEndsItsStreamWithoutACloseFrame() throws Exception {
        try (TestOrigin origin = TestOrigin.of(WebSocketFrames::echo);
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Http2Peer client = connect(wire);
            ask(client, 1, origin);
            client.next(Http2Peer.HEADERS);
            client.data(1, true, "");

            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("client_cancel");
            assertThat(record.get("error").asText()).contains("the client", "without a close frame");
        }
    }

    @Test
    void recordsAClientWhoseConnectionIsGone() throws Exception {
        try (TestOrigin origin = TestOrigin.of(WebSocketFrames::echo);
                TestProxy proxy = TestProxy.builder(folder).start()) {
            try (Wire wire = proxy.http()) {
                Http2Peer client = connect(wire);
                ask(client, 1, origin);
                client.next(Http2Peer.HEADERS);
            }

            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("client_cancel");
        }
    }

    @Test
    void passesResetsOnInBothDirections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    try {
                        if (peer.in().read() == 'x') {
                            peer.reset();
                        }
                    } catch (SocketException reset) {
                        seen.add("reset");
                    }
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Http2Peer client = connect(wire);
            ask(client, 1, origin);
            client.next(Http2Peer.HEADERS);
            client.reset(1, 8);
            assertThat(seen()).isEqualTo("reset");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("client_cancel");

            ask(client, 3, origin);
            client.next(Http2Peer.HEADERS);
            client.data(3, false, "x");
            Frame reset = client.next(Http2Peer.RST_STREAM);
            assertThat(reset.stream()).isEqualTo(3);
            assertThat(reset.number(0)).isNotEqualTo(NO_ERROR);
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("error");
        }
    }

    @Test
    void passesARefusalOn() throws Exception {
        try (TestOrigin origin = TestOrigin.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Http2Peer client = connect(wire);
            ask(client, 1, origin);

            assertThat(client.fields(client.next(Http2Peer.HEADERS))).contains(":status: 403");
            assertThat(client.next(Http2Peer.DATA).text()).isEqualTo("no");
        }
    }
}
