package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.testing.Http2Wire;
import dev.sallyport.core.testing.Http2Wire.Frame;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.spi.Destination;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Http2ExchangeTest {

    @TempDir
    static Path folder;

    private static TlsOrigins origins;
    private static ClientTls tls;

    private final BlockingQueue<List<String>> heads = new LinkedBlockingQueue<>();

    @BeforeAll
    static void makeCertificate() throws Exception {
        origins = new TlsOrigins(folder);
        tls = origins.trusting(TlsProvider.best());
    }

    @AfterAll
    static void close() {
        tls.close();
    }

    private static Client client() {
        return client(limits -> limits);
    }

    private static Client client(UnaryOperator<Client.Limits> change) {
        return new Client(Client.profile(change, tls));
    }

    private static RawOrigin origin(RawOrigin.Script... scripts) {
        return RawOrigin.h2(origins.server, scripts);
    }

    private static Route route(RawOrigin origin) {
        return Route.chosenByWorkload(Destination.named("origin.test", origin.port(), true), "ci");
    }

    private List<String> seen() throws InterruptedException {
        return heads.poll(20, TimeUnit.SECONDS);
    }

    @Test
    void sendsARequestAndReadsItsResponse() throws Exception {
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    Frame head = wire.next(Http2Wire.HEADERS);
                    heads.add(wire.fields(head));
                    wire.headers(head.stream(), false, ":status", "200", "x-kind", "test");
                    wire.data(head.stream(), true, "hello");
                    peer.awaitEnd();
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
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    Frame head = wire.next(Http2Wire.HEADERS);
                    wire.fields(head);
                    Frame data = wire.next(Http2Wire.DATA);
                    Frame trailers = wire.next(Http2Wire.HEADERS);
                    heads.add(wire.fields(trailers));
                    assertThat(trailers.ends()).isTrue();
                    wire.headers(head.stream(), false, ":status", "200");
                    wire.data(head.stream(), false, data.text());
                    wire.headers(head.stream(), true, "grpc-status", "0");
                    peer.awaitEnd();
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
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    wire.headers(wire.request(), true, ":status", "200", "grpc-status", "12");
                    peer.awaitEnd();
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
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    int first = wire.request();
                    int second = wire.request();
                    wire.ok(second, "second");
                    wire.ok(first, "first");
                    peer.awaitEnd();
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
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    wire.reset(wire.request(), 2);
                    peer.awaitEnd();
                });
                Client client = client()) {
            UpstreamFailure failure = client.send(route(origin), "GET").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.message()).contains("INTERNAL_ERROR");
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
        }
    }
}
