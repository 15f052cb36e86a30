package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class Http2ExchangeTest extends Http2Origins {

    private final BlockingQueue<List<String>> heads = new LinkedBlockingQueue<>();

    private List<String> seen() throws InterruptedException {
        return heads.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void sendsARequestAndReadsItsResponse() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    Frame head = wire.next(Http2Peer.HEADERS);
                    heads.add(wire.fields(head));
                    wire.headers(head.stream(), false, ":status", "200", "x-kind", "test");
                    wire.data(head.stream(), true, "hello");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET", "X-Mixed-Case", " padded ", "TE", "trailers");

            Recorder.Head head = recorder.await(Recorder.Head.class);
            assertThat(head.head().status()).isEqualTo(200);
            assertThat(head.head().headers().first("X-Kind")).isEqualTo("test");
            assertThat(head.end()).isFalse();
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("hello");
            assertThat(recorder.stream.protocol()).isEqualTo("h2");
            assertThat(seen())
                    .containsExactly(
                            ":method: GET",
                            ":scheme: https",
                            ":authority: origin.test",
                            ":path: /path",
                            "x-mixed-case: padded",
                            "te: trailers");
        }
    }

    @Test
    void sendsABodyAndTrailersAndReadsTrailers() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    Frame head = wire.next(Http2Peer.HEADERS);
                    wire.fields(head);
                    Frame data = wire.next(Http2Peer.DATA);
                    Frame trailers = wire.next(Http2Peer.HEADERS);
                    heads.add(wire.fields(trailers));
                    assertThat(trailers.ends()).isTrue();
                    wire.headers(head.stream(), false, ":status", "200");
                    wire.data(head.stream(), false, data.text());
                    wire.headers(head.stream(), true, "grpc-status", "0");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.ready(route(origin));
            client.run(() -> recorder.stream.head(Client.head("POST", -1), false));
            client.data(recorder, "echo");
            client.end(recorder, "X-Sum", "7");

            recorder.await(Recorder.Head.class);
            Recorder.Ended ended = recorder.await(Recorder.Ended.class);
            assertThat(ended.body()).isEqualTo("echo");
            assertThat(ended.trailers().first("Grpc-Status")).isEqualTo("0");
            assertThat(seen()).containsExactly("x-sum: 7");
        }
    }

    @Test
    void readsAResponseThatEndsWithItsHead() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.headers(wire.request(), true, ":status", "200", "grpc-status", "12");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET");

            Recorder.Head head = recorder.await(Recorder.Head.class);
            assertThat(head.end()).isTrue();
            assertThat(head.head().length()).isZero();
            assertThat(head.head().headers().first("grpc-status")).isEqualTo("12");
        }
    }

    @Test
    void carriesStreamsAtTheSameTimeOnOneConnection() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int first = wire.request();
                    int second = wire.request();
                    wire.ok(second, "second");
                    wire.ok(first, "first");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder first = client.send(route(origin), "GET");
            Recorder second = client.send(route(origin), "GET");

            second.await(Recorder.Head.class);
            assertThat(second.await(Recorder.Ended.class).body()).isEqualTo("second");
            first.await(Recorder.Head.class);
            assertThat(first.await(Recorder.Ended.class).body()).isEqualTo("first");
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void failsWhenTheOriginResetsTheStream() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.reset(wire.request(), 2);
                    peer.readToEnd();
                });
                Client client = client()) {
            UpstreamFailure failure = client.send(route(origin), "GET").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.message()).contains("INTERNAL_ERROR");
            assertThat(failure.repeat()).isEqualTo(Repeat.NEVER);
        }
    }

    @Test
    void sendsCookiesInCrumbsAndNoFieldOfAConnection() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    Frame head = wire.next(Http2Peer.HEADERS);
                    heads.add(wire.fields(head));
                    wire.ok(head.stream(), "");
                    peer.readToEnd();
                });
                Client client = client()) {
            client.send(route(origin), "GET", "Cookie", "a=1; b=2", "Connection", "X-A", "TE", "gzip", "Upgrade", "x");

            assertThat(seen())
                    .endsWith("cookie: a=1", "cookie: b=2")
                    .noneMatch(line ->
                            line.startsWith("connection") || line.startsWith("te") || line.startsWith("upgrade"));
        }
    }

    @Test
    void neverIndexesWhatCarriesASecret() throws Exception {
        BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    for (int i = 0; i < 2; i++) {
                        Frame head = wire.next(Http2Peer.HEADERS);
                        frames.add(head);
                        wire.fields(head);
                        wire.ok(head.stream(), "");
                    }
                    peer.readToEnd();
                });
                Client client = client()) {
            for (int i = 0; i < 2; i++) {
                Recorder recorder = client.ready(route(origin));
                RequestMessage head =
                        Client.head("GET", 0, "X-Secret", "0123456789abcdef", "X-Plain", "fedcba9876543210");
                head.headers().markSensitive(1);
                client.run(() -> recorder.stream.head(head, true));
                recorder.await(Recorder.Head.class);
            }

            Frame first = frames.poll(Patience.SECONDS, TimeUnit.SECONDS);
            Frame second = frames.poll(Patience.SECONDS, TimeUnit.SECONDS);
            // One value is repeated in full, the other is an index by now.
            assertThat(second.payload().length).isBetween(12, first.payload().length - 12);
        }
    }

    @Test
    void passesInterimHeads() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "103", "link", "</a>");
                    wire.ok(stream, "done");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.send(route(origin), "GET");

            assertThat(recorder.await(Recorder.Interim.class).head().status()).isEqualTo(103);
            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("done");
        }
    }

    @Test
    void endsResponsesToHeadAndWithoutContentAtTheirHeads() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.headers(wire.request(), true, ":status", "200", "content-length", "5");
                    wire.headers(wire.request(), true, ":status", "304", "content-length", "5");
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "204");
                    wire.data(stream, true, "");
                    peer.readToEnd();
                });
                Client client = client()) {
            for (String method : List.of("HEAD", "GET", "GET")) {
                assertThat(client.send(route(origin), method)
                                .await(Recorder.Head.class)
                                .end())
                        .isTrue();
            }
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void streamsInBothDirectionsAtTheSameTime() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    Frame head = wire.next(Http2Peer.HEADERS);
                    wire.headers(head.stream(), false, ":status", "200");
                    for (Frame data = wire.next(); !data.ends(); data = wire.next()) {
                        wire.data(head.stream(), false, data.text());
                    }
                    wire.headers(head.stream(), true, "grpc-status", "0");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.ready(route(origin));
            client.run(() -> recorder.stream.head(Client.head("POST", -1), false));
            recorder.await(Recorder.Head.class);
            for (int i = 0; i < 5; i++) {
                client.data(recorder, "message " + i);
                assertThat(recorder.piece()).isEqualTo("message " + i);
            }
            client.end(recorder);

            assertThat(recorder.await(Recorder.Ended.class).trailers().first("grpc-status"))
                    .isEqualTo("0");
        }
    }

    @Test
    void takesTheResetThatFollowsACompleteResponseAsItsEnd() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    Frame head = wire.next(Http2Peer.HEADERS);
                    wire.fields(head);
                    wire.ok(head.stream(), "early");
                    wire.reset(head.stream(), 0);
                    wire.ok(wire.request(), "next");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder recorder = client.ready(route(origin));
            client.run(() -> recorder.stream.head(Client.head("POST", -1), false));

            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("early");
            assertThat(client.get(route(origin))).isEqualTo("next");
            client.data(recorder, "too late");
            assertThat(recorder.isSilent()).isTrue();
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void resetsTheStreamThatTheCallerGivesUpAndNoOther() throws Exception {
        BlockingQueue<Integer> resets = new LinkedBlockingQueue<>();
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    resets.add(wire.request());
                    int second = wire.request();
                    Frame reset = wire.next(Http2Peer.RST_STREAM);
                    resets.add(reset.stream());
                    resets.add(reset.number(0));
                    wire.ok(second, "goes on");
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder first = client.send(route(origin), "GET");
            Recorder second = client.send(route(origin), "GET");
            client.run(() -> first.stream.abort());

            second.await(Recorder.Head.class);
            assertThat(second.await(Recorder.Ended.class).body()).isEqualTo("goes on");
            assertThat(resets.poll(Patience.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(resets.poll(Patience.SECONDS, TimeUnit.SECONDS));
            assertThat(resets.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(8); // CANCEL
            assertThat(first.isSilent()).isTrue();
        }
    }

    @Test
    void sendsNoMoreThanTheOriginsWindowAllows() throws Exception {
        CountDownLatch paused = new CountDownLatch(1);
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2(Http2Peer.INITIAL_WINDOW_SIZE, 4);
                    wire.ok(wire.request(), "settled");
                    Frame head = wire.next(Http2Peer.HEADERS);
                    String text = wire.next(Http2Peer.DATA).text();
                    assertThat(text).isEqualTo("0123");
                    paused.await();
                    wire.windowUpdate(head.stream(), 100);
                    text += wire.next(Http2Peer.DATA).text();
                    wire.ok(head.stream(), text);
                    peer.readToEnd();
                });
                Client client = client()) {
            client.get(route(origin));
            Recorder recorder = client.ready(route(origin));
            client.run(() -> recorder.stream.head(Client.head("POST", 10), false));
            client.data(recorder, "0123456789");
            await().until(() -> !Client.on(client.loop, recorder.stream::isWritable));
            paused.countDown();
            client.end(recorder);

            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("0123456789");
        }
    }

    @Test
    void letsListenersThatTakeNothingStallNobodyElse() throws Exception {
        int stalled = 20;
        String much = "x".repeat(16384);
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    for (int i = 0; i < stalled; i++) {
                        int stream = wire.request();
                        wire.headers(stream, false, ":status", "200");
                        for (int sent = 0; sent < OriginHttp2FrameHandler.STREAM_WINDOW; sent += much.length()) {
                            wire.data(stream, false, much);
                        }
                    }
                    wire.ok(wire.request(), "passes");
                    peer.readToEnd();
                });
                Client client = client()) {
            List<Hoarder> hoarders = new ArrayList<>();
            for (int i = 0; i < stalled; i++) {
                Hoarder hoarder = new Hoarder();
                client.open(route(origin), hoarder);
                hoarder.await(Recorder.Ready.class);
                client.run(() -> hoarder.stream.head(Client.head("GET", 0), true));
                hoarder.await(Recorder.Head.class);
                hoarders.add(hoarder);
            }
            assertThat(client.get(route(origin))).isEqualTo("passes");

            hoarders.forEach(
                    hoarder -> await().until(() -> hoarder.taken.get() == OriginHttp2FrameHandler.STREAM_WINDOW));
            assertThat(origin.connections()).isOne();
        }
    }

    /** Takes what comes and gives no credit. */
    private static final class Hoarder extends Recorder {

        final AtomicInteger taken = new AtomicInteger();

        @Override
        public void onData(ByteBuf data) {
            taken.addAndGet(data.readableBytes());
            data.release();
        }
    }

    @Test
    void givesTheCreditOfALongResponseBack() throws Exception {
        String much = "x".repeat(16384);
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    wire.headers(stream, false, ":status", "200");
                    int window = OriginHttp2FrameHandler.STREAM_WINDOW;
                    for (int sent = 0; sent < 1 << 20; sent += much.length()) {
                        while (window < much.length()) {
                            Frame update = wire.next(Http2Peer.WINDOW_UPDATE);
                            window += update.stream() == stream ? update.number(0) : 0;
                        }
                        window -= much.length();
                        wire.data(stream, false, much);
                    }
                    wire.data(stream, true, "");
                    peer.readToEnd();
                });
                Client client = client()) {
            assertThat(client.get(route(origin))).hasSize(1 << 20);
        }
    }

    @Test
    void failsOnlyTheStreamWhoseHeadDoesNotCome() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.request();
                    int second = wire.request();
                    wire.headers(second, false, ":status", "200");
                    assertThat(wire.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(8);
                    wire.data(second, true, "slow");
                    peer.readToEnd();
                });
                Client client = client(limits -> {
                    limits.head = Duration.ofSeconds(2);
                    return limits;
                })) {
            Recorder first = client.send(route(origin), "GET");
            Recorder second = client.send(route(origin), "GET");

            assertThat(first.failure().kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
            second.await(Recorder.Head.class);
            assertThat(second.await(Recorder.Ended.class).body()).isEqualTo("slow");
        }
    }

    @Test
    void keepsTheRequestToItsDeclaredLength() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.next(Http2Peer.RST_STREAM);
                    wire.next(Http2Peer.RST_STREAM);
                    peer.readToEnd();
                });
                Client client = client()) {
            Recorder longer = client.ready(route(origin));
            client.run(() -> longer.stream.head(Client.head("POST", 3, "Content-Length", "3"), false));
            client.data(longer, "four");
            assertThat(longer.failure().message()).contains("longer than its Content-Length");

            Recorder shorter = client.ready(route(origin));
            client.run(() -> shorter.stream.head(Client.head("POST", 3, "Content-Length", "3"), false));
            client.data(shorter, "2");
            client.end(shorter);
            assertThat(shorter.failure().message()).contains("shorter than its Content-Length");
        }
    }
}
