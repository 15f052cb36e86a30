package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.TestOrigin;
import io.netty.buffer.ByteBuf;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What origins do that RFC 9113 forbids, or that only wears the proxy out. */
class Http2FaultsTest extends Http2Origins {

    private static final int PROTOCOL_ERROR = 1;
    private static final int FLOW_CONTROL_ERROR = 3;
    private static final int ENHANCE_YOUR_CALM = 11;

    /** What an origin says instead of a response. */
    interface Answer {
        void give(Http2Peer wire, int stream) throws Exception;
    }

    private static Arguments answer(String name, Answer answer) {
        return argumentSet(name, answer);
    }

    private static Answer head(boolean end, String... lines) {
        return (wire, stream) -> wire.headers(stream, end, lines);
    }

    static Stream<Arguments> malformedResponses() {
        return Stream.of(
                answer("no status", head(true, "x", "y")),
                answer("a status that is no number", head(true, ":status", "abc")),
                answer("a status below 100", head(true, ":status", "099")),
                answer("a status above 999", head(true, ":status", "1000")),
                answer("two statuses", head(true, ":status", "200", ":status", "200")),
                answer("a status after a field", head(true, "x", "y", ":status", "200")),
                answer("a pseudo-header field of requests", head(true, ":status", "200", ":path", "/")),
                answer("an unknown pseudo-header field", head(true, ":status", "200", ":x", "y")),
                answer("an upper-case name", head(true, ":status", "200", "X-A", "y")),
                answer("an empty name", head(true, ":status", "200", "", "y")),
                answer("a name with a space", head(true, ":status", "200", "x y", "z")),
                answer("a line break in a value", head(true, ":status", "200", "x", "y\r\nz: 1")),
                answer("NUL in a value", head(true, ":status", "200", "x", "y\0")),
                answer("white space before the status", head(true, ":status", " 200")),
                answer("a line break behind a value", head(true, ":status", "200", "x", "y\r\n")),
                answer("Connection", head(true, ":status", "200", "connection", "close")),
                answer("Transfer-Encoding", head(false, ":status", "200", "transfer-encoding", "chunked")),
                answer("Keep-Alive", head(true, ":status", "200", "keep-alive", "1")),
                answer("TE", head(true, ":status", "200", "te", "gzip")),
                answer("101", head(false, ":status", "101", "upgrade", "websocket")),
                answer("an interim head that ends the stream", head(true, ":status", "103")),
                answer("a Content-Length that is none", head(false, ":status", "200", "content-length", "x")),
                answer("two lengths", head(false, ":status", "200", "content-length", "1", "content-length", "1")),
                answer("a length and no body", head(true, ":status", "200", "content-length", "5")),
                answer("data before a head", (wire, stream) -> wire.data(stream, true, "x")),
                answer("a head that is too long", head(true, ":status", "200", "x", "y".repeat(9000))),
                answer("a head of too many fields", (wire, stream) -> {
                    String[] lines = new String[1000];
                    java.util.Arrays.fill(lines, "x");
                    lines[0] = ":status";
                    lines[1] = "200";
                    wire.headers(stream, true, lines);
                }),
                answer("interim heads without end", (wire, stream) -> {
                    for (int i = 0; i < 65; i++) {
                        wire.headers(stream, false, ":status", "102");
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("malformedResponses")
    void resetsAStreamWithAMalformedResponseAndGoesOn(Answer answer) throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    answer.give(wire, stream);
                    Frame reset = wire.next(Http2Peer.RST_STREAM);
                    assertThat(reset.stream()).isEqualTo(stream);
                    assertThat(reset.number(0)).isIn(PROTOCOL_ERROR);
                    wire.ok(wire.request(), "well");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET");
            Recorder.Event event = recorder.next();
            while (event instanceof Recorder.Interim) {
                event = recorder.next();
            }
            assertThat(event).isInstanceOf(Recorder.Failed.class);
            UpstreamFailure failure = ((Recorder.Failed) event).failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.repeat()).isEqualTo(Repeat.NEVER);

            assertThat(client.get(route(origin))).isEqualTo("well");
            assertThat(origin.connections()).isOne();
        }
    }

    static Stream<Arguments> brokenBodies() {
        return Stream.of(
                answer("longer than its length", (wire, stream) -> wire.data(stream, true, "123456")),
                answer("shorter than its length", (wire, stream) -> wire.data(stream, true, "1234")),
                answer("shorter, with trailers", (wire, stream) -> wire.headers(stream, true, "x", "y")),
                answer("pseudo-header field in trailers", (wire, stream) -> {
                    wire.data(stream, false, "12345");
                    wire.headers(stream, true, ":status", "200");
                }),
                answer("trailers that do not end the stream", (wire, stream) -> {
                    wire.data(stream, false, "12345");
                    wire.headers(stream, false, "x", "y");
                }),
                answer("upper-case trailers", (wire, stream) -> {
                    wire.data(stream, false, "12345");
                    wire.headers(stream, true, "X", "y");
                }),
                answer("reset", (wire, stream) -> wire.reset(stream, 8)));
    }

    @ParameterizedTest
    @MethodSource("brokenBodies")
    void failsAResponseWhoseBodyIsBroken(Answer answer) throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "200", "content-length", "5");
                    answer.give(wire, stream);
                    wire.ok(wire.request(), "well");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET");
            recorder.await(Recorder.Head.class);

            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(client.get(route(origin))).isEqualTo("well");
            assertThat(origin.connections()).isOne();
        }
    }

    static Stream<Arguments> brokenConnections() {
        return Stream.of(
                answer("a push", (wire, stream) -> {
                    byte[] block = wire.block(":method", "GET", ":scheme", "https", ":authority", "a", ":path", "/");
                    byte[] payload = new byte[block.length + 4];
                    payload[3] = 2;
                    System.arraycopy(block, 0, payload, 4, block.length);
                    wire.send(Http2Peer.PUSH_PROMISE, Http2Peer.END_HEADERS, stream, payload);
                }),
                answer("push allowed", (wire, stream) -> wire.settings(2, 1)),
                answer("a window that overflows", (wire, stream) -> wire.windowUpdate(0, Integer.MAX_VALUE)),
                answer("a window of the connection that grows by nothing", (wire, stream) -> wire.windowUpdate(0, 0)),
                answer("a frame that is too long", (wire, stream) -> wire.send(99, 0, stream, new byte[16385])),
                answer(
                        "a header block that cannot be decoded",
                        (wire, stream) -> wire.send(
                                Http2Peer.HEADERS, Http2Peer.END_HEADERS, stream, new byte[] {(byte) 0xFF, 0x7F})),
                answer(
                        "a head for a stream that nobody opened",
                        (wire, stream) -> wire.headers(77, true, ":status", "200")),
                answer("a frame between the parts of a head", (wire, stream) -> {
                    wire.send(Http2Peer.HEADERS, 0, stream, wire.block(":status", "200"));
                    wire.data(stream, true, "x");
                }),
                answer("a head that never ends", (wire, stream) -> {
                    wire.send(Http2Peer.HEADERS, 0, stream, wire.block(":status", "200"));
                    for (int i = 0; i < 100_000; i++) {
                        wire.send(Http2Peer.CONTINUATION, 0, stream, wire.block("x", "y"));
                    }
                }),
                answer("a head in empty parts", (wire, stream) -> {
                    wire.send(Http2Peer.HEADERS, 0, stream, wire.block(":status", "200"));
                    for (int i = 0; i < 100_000; i++) {
                        wire.send(Http2Peer.CONTINUATION, 0, stream, new byte[0]);
                    }
                }),
                answer("pings without end", flood(wire -> wire.send(Http2Peer.PING, 0, 0, new byte[8]))),
                answer("settings without end", flood(Http2Peer::settings)),
                answer("priorities without end", flood(wire -> wire.send(Http2Peer.PRIORITY, 0, 1, new byte[5]))),
                answer("unknown frames without end", flood(wire -> wire.send(99, 0, 1, new byte[0]))),
                answer("data for no stream without end", (wire, stream) -> {
                    wire.ok(stream, "x");
                    flood(more -> more.data(stream, false, "x")).give(wire, stream);
                }),
                answer("empty data without end", (wire, stream) -> {
                    wire.headers(stream, false, ":status", "200");
                    flood(more -> more.data(stream, false, "")).give(wire, stream);
                }));
    }

    interface Sending {
        void send(Http2Peer wire) throws Exception;
    }

    private static Answer flood(Sending frame) {
        return (wire, stream) -> {
            for (int i = 0; i < 100_000; i++) {
                frame.send(wire);
            }
        };
    }

    @ParameterizedTest
    @MethodSource("brokenConnections")
    void closesAConnectionOnWhichHttp2IsBroken(Answer answer) throws Exception {
        try (TestOrigin origin = origin(
                        peer -> {
                            Http2Peer wire = peer.http2();
                            answer.give(wire, wire.request());
                            peer.readToEnd();
                        },
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.ok(wire.request(), "well");
                            peer.readToEnd();
                        });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET");
            Recorder.Event event = recorder.next();
            if (event instanceof Recorder.Head) {
                event = recorder.next();
            }
            if (event instanceof Recorder.Failed failed) {
                assertThat(failed.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            } else {
                assertThat(event).isInstanceOf(Recorder.Ended.class); // what is wrong came later
            }
            await().until(() ->
                    client.pools.stats().active() + client.pools.stats().idle() == 0);

            assertThat(client.get(route(origin))).isEqualTo("well");
        }
    }

    @Test
    void resetsAStreamThatExceedsItsWindow() throws Exception {
        String much = "x".repeat(16384);
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "200");
                    for (int sent = 0; sent <= OriginHttp2FrameHandler.STREAM_WINDOW; sent += much.length()) {
                        wire.data(stream, false, much);
                    }
                    assertThat(wire.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(FLOW_CONTROL_ERROR);
                    wire.ok(wire.request(), "well");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder hoarder = new Recorder() {
                @Override
                public void onData(ByteBuf data) {
                    data.release();
                }
            };
            client.open(route(origin), hoarder);
            hoarder.await(Recorder.Ready.class);
            client.run(() -> hoarder.stream.head(Client.head("GET", 0), true));
            hoarder.await(Recorder.Head.class);

            assertThat(hoarder.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(client.get(route(origin))).isEqualTo("well");
        }
    }

    @Test
    void saysWhyItClosesTheConnection() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.request();
                    for (int i = 0; i < 1500; i++) {
                        wire.send(Http2Peer.PING, 0, 0, new byte[8]);
                    }
                    assertThat(wire.next(Http2Peer.GOAWAY).number(4)).isEqualTo(ENHANCE_YOUR_CALM);
                });
                Client client = client()) {
            assertThat(client.send(route(origin), "GET").failure().message()).contains("ENHANCE_YOUR_CALM");
        }
    }

    @Test
    void failsWhatTheOriginSaysAboutItInTheMiddle() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "200");
                    wire.data(stream, false, "half");
                    peer.cut();
                });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET");
            recorder.await(Recorder.Head.class);

            UpstreamFailure failure = recorder.failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.repeat()).isEqualTo(Repeat.NEVER);
        }
    }
}
