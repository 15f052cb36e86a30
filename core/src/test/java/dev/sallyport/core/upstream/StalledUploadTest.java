package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.testing.Http2Wire;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An origin that takes nothing of a request body does not hold its exchange for ever. */
@Timeout(60)
class StalledUploadTest extends Http2Origins {

    private static final String MORE_THAN_SOCKETS_HOLD = "x".repeat(32 << 20);

    private final CountDownLatch over = new CountDownLatch(1);

    private static Client.Limits impatient(Client.Limits limits) {
        limits.body = Duration.ofMillis(200);
        return limits;
    }

    private static Recorder post(Client client, Route route) {
        Recorder recorder = client.ready(route);
        client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
        return recorder;
    }

    @Test
    void anHttp1OriginThatReadsNothingIsGivenUp() throws Exception {
        try (RawOrigin origin = RawOrigin.plain(peer -> over.await(50, TimeUnit.SECONDS));
                Client client = Client.with(StalledUploadTest::impatient)) {
            Recorder recorder = post(client, Client.route(origin.port()));

            client.data(recorder, MORE_THAN_SOCKETS_HOLD);

            UpstreamFailure failure = recorder.failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_STALLED);
            assertThat(failure.kind().code()).isEqualTo("upstream_timeout");
            assertThat(failure.kind().status()).isEqualTo(504);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
            over.countDown();
        }
    }

    @Test
    void anHttp2OriginThatGivesNoCreditLosesTheStreamAlone() throws Exception {
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    wire.fields(wire.next(Http2Wire.HEADERS));
                    Http2Wire.Frame other = wire.next(Http2Wire.HEADERS);
                    wire.fields(other);
                    assertThat(wire.next(Http2Wire.RST_STREAM).number(0)).isEqualTo(8);
                    wire.headers(other.stream(), true, ":status", "200");
                    peer.awaitEnd();
                });
                Client client = client(StalledUploadTest::impatient)) {
            Recorder recorder = post(client, route(origin));
            Recorder other = client.send(route(origin), "GET");

            client.data(recorder, "x".repeat(200_000));

            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);
            assertThat(other.await(Recorder.Head.class).head().status()).isEqualTo(200);
        }
    }

    /** As a client does that looks first whether there is room. */
    @Test
    void anHttp2OriginWhoseWindowIsUsedUpIsGivenUp() throws Exception {
        try (RawOrigin origin = origin(peer -> {
                    Http2Wire wire = peer.http2();
                    wire.fields(wire.next(Http2Wire.HEADERS));
                    assertThat(wire.next(Http2Wire.RST_STREAM).number(0)).isEqualTo(8);
                    wire.fields(wire.next(Http2Wire.HEADERS));
                    assertThat(wire.next(Http2Wire.RST_STREAM).number(0)).isEqualTo(8);
                    peer.awaitEnd();
                });
                Client client = client(StalledUploadTest::impatient)) {
            Recorder first = post(client, route(origin));
            client.data(first, "x".repeat(65_535)); // all that the connection takes
            client.run(first.stream::isWritable);

            assertThat(first.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);

            Recorder second = post(client, route(origin));
            client.run(second.stream::isWritable);
            assertThat(second.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);
        }
    }

    @Test
    void aClientThatSendsNothingIsNotTheOriginsFault() throws Exception {
        try (RawOrigin origin = RawOrigin.plain(RawOrigin.Peer::awaitEnd);
                Client client = Client.with(StalledUploadTest::impatient)) {
            Recorder recorder = post(client, Client.route(origin.port()));
            client.data(recorder, "taken");

            client.loop.schedule(() -> {}, 600, TimeUnit.MILLISECONDS).syncUninterruptibly();

            assertThat(recorder.isSilent()).isTrue();
            client.run(recorder.stream::abort);
        }
    }

    @Test
    void anOriginThatHasAnsweredMayTakeItsTime() throws Exception {
        try (RawOrigin origin = RawOrigin.plain(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    over.await(50, TimeUnit.SECONDS);
                });
                Client client = Client.with(StalledUploadTest::impatient)) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            recorder.await(Recorder.Head.class);
            client.data(recorder, MORE_THAN_SOCKETS_HOLD);

            client.loop.schedule(() -> {}, 600, TimeUnit.MILLISECONDS).syncUninterruptibly();

            assertThat(recorder.isSilent()).isTrue();
            client.run(recorder.stream::abort);
            over.countDown();
        }
    }
}
