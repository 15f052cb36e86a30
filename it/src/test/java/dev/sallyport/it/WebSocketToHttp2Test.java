package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edits;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.Wire;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** WebSockets to origins that speak HTTP/2 and nothing else (RFC 8441). */
class WebSocketToHttp2Test {

    private static final int ENABLE_CONNECT_PROTOCOL = 8;

    @TempDir
    Path folder;

    private final BlockingQueue<List<String>> heads = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private TestCertificates certificates;

    @BeforeEach
    void makeCertificates() {
        certificates = new TestCertificates(folder);
    }

    /** Agrees to HTTP/2 alone: a handshake that offers HTTP/1.1 alone ends in an alert. */
    private TestOrigin origin(TestOrigin.Script script) throws Exception {
        return TestOrigin.h2(certificates.origin, script);
    }

    private Wire connect(TestProxy proxy, TestOrigin origin) throws Exception {
        Wire tunnel = proxy.tunnel();
        tunnel.send(head("CONNECT localhost:" + origin.port() + " HTTP/1.1", "Host: x"));
        assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200");
        return new Wire(TestProxy.secure(certificates, tunnel.socket(), "localhost"));
    }

    private String opening(TestOrigin origin) {
        return WebSocketFrames.opening("/chat?a", "localhost:" + origin.port(), "Sec-WebSocket-Protocol: chat");
    }

    private TestProxy.Builder proxy() {
        return TestProxy.builder(folder).certificates(certificates);
    }

    @Test
    void opensByExtendedConnectAndRelaysInBothDirections() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2(ENABLE_CONNECT_PROTOCOL, 1);
                    Frame asked = wire.next(Http2Peer.HEADERS);
                    heads.add(wire.fields(asked));
                    assertThat(asked.ends()).isFalse();
                    int stream = asked.stream();
                    wire.headers(stream, false, ":status", "200", "sec-websocket-protocol", "chat");
                    wire.data(stream, false, WebSocketFrames.text("welcome", false));
                    seen.add(wire.next(Http2Peer.DATA).payload().length + " bytes");
                    wire.data(stream, false, WebSocketFrames.close(1000, false));
                    seen.add("close of " + wire.next(Http2Peer.DATA).payload().length);
                    wire.data(stream, true, "");
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().start();
                Wire client = connect(proxy, origin)) {
            client.send(opening(origin));

            assertThat(client.readHead().toLowerCase(Locale.ROOT))
                    .startsWith("http/1.1 101 switching protocols")
                    .contains(
                            "sec-websocket-accept: "
                                    + WebSocketFrames.accept(WebSocketFrames.KEY)
                                            .toLowerCase(Locale.ROOT),
                            "upgrade: websocket",
                            "connection: upgrade",
                            "sec-websocket-protocol: chat");
            assertThat(WebSocketFrames.read(client).text()).isEqualTo("welcome");
            assertThat(heads.poll(Patience.SECONDS, TimeUnit.SECONDS))
                    .contains(
                            ":method: CONNECT",
                            ":protocol: websocket",
                            ":scheme: https",
                            ":authority: localhost:" + origin.port(),
                            ":path: /chat?a",
                            "sec-websocket-version: 13",
                            "sec-websocket-protocol: chat")
                    .noneMatch(line -> line.startsWith("sec-websocket-key")
                            || line.startsWith("upgrade")
                            || line.startsWith("connection"));
            client.send(WebSocketFrames.text("hello", true));
            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("11 bytes");
            assertThat(client.read(4).getBytes(StandardCharsets.ISO_8859_1))
                    .isEqualTo(WebSocketFrames.close(1000, false));
            client.send(WebSocketFrames.close(1000, true));
            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("close of 8");
            assertThat(client.readToEnd()).isEmpty();
            client.close();
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/status_code").asInt()).isEqualTo(101);
            assertThat(record.at("/audit/action").asText()).isEqualTo("allow");
            assertThat(record.at("/audit/request_bytes").asInt()).isEqualTo(19);
        }
    }

    @Test
    void messagesAreRewrittenAsOverHttp1() throws Exception {
        BodyRewriter shouting = new BodyRewriter() {
            @Override
            public void write(ByteBuffer in, Sink out) {
                String text = StandardCharsets.UTF_8.decode(in).toString();
                out.write(ByteBuffer.wrap(text.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8)));
            }

            @Override
            public void end(Sink out) {}
        };
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = wire.next(Http2Peer.HEADERS).stream();
                    wire.headers(stream, false, ":status", "200");
                    wire.data(stream, false, WebSocketFrames.text("welcome", false));
                    wire.next(Http2Peer.DATA);
                    wire.data(stream, true, "");
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().transform(
                                "shouting",
                                request -> Decision.proceed(Edits.builder()
                                        .rewriteMessages(Direction.RESPONSE, () -> shouting)
                                        .build()))
                        .start();
                Wire client = connect(proxy, origin)) {
            client.send(opening(origin));
            assertThat(client.readHead()).startsWith("HTTP/1.1 101");

            assertThat(WebSocketFrames.read(client).text()).isEqualTo("WELCOME");
        }
    }

    @Test
    void anOriginThatDoesNotOfferItIsNotAsked() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.next(Http2Peer.HEADERS);
                    heads.add(List.of("asked"));
                });
                TestProxy proxy = proxy().start();
                Wire client = connect(proxy, origin)) {
            assertThat(client.send(opening(origin)).message().status()).isEqualTo(502);

            assertThat(proxy.record().get("error").asText())
                    .contains("upstream_protocol_error", "offers no WebSocket over it (RFC 8441)");
            assertThat(heads).isEmpty();
        }
    }

    @Test
    void everyAnswerButAnAgreementIsAnOrdinaryResponse() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2(ENABLE_CONNECT_PROTOCOL, 1);
                    int stream = wire.next(Http2Peer.HEADERS).stream();
                    wire.headers(stream, false, ":status", "403", "content-length", "2");
                    wire.data(stream, true, "no");
                    peer.readToEnd();
                });
                TestProxy proxy = proxy().start();
                Wire client = connect(proxy, origin)) {
            Wire.Message answer = client.send(opening(origin)).message();

            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).isEqualTo("no");
        }
    }

    @Test
    void anOriginThatLeavesBeforeItsSettingsIsUnreachable() throws Exception {
        try (TestOrigin origin = origin(peer -> seen.add(peer.read(24)));
                TestProxy proxy = proxy().start();
                Wire client = connect(proxy, origin)) {
            assertThat(client.send(opening(origin)).message().status()).isEqualTo(502);

            assertThat(proxy.record().get("error").asText()).contains("upstream_unreachable");
        }
    }
}
