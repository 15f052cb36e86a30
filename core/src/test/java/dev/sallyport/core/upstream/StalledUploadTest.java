package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
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
        try (TestOrigin origin = TestOrigin.of(peer -> over.await(50, TimeUnit.SECONDS));
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
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.fields(wire.next(Http2Peer.HEADERS));
                    Http2Peer.Frame other = wire.next(Http2Peer.HEADERS);
                    wire.fields(other);
                    assertThat(wire.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(8);
                    wire.headers(other.stream(), true, ":status", "200");
                    peer.readToEnd();
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
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.fields(wire.next(Http2Peer.HEADERS));
                    assertThat(wire.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(8);
                    assertThat(wire.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(8);
                    peer.readToEnd();
                });
                Client client = client(StalledUploadTest::impatient)) {
            Recorder first = post(client, route(origin));
            Recorder second = post(client, route(origin));
            client.data(first, "x".repeat(65_535)); // all that the connection takes
            client.run(first.stream::isWritable);
            client.run(second.stream::isWritable);

            assertThat(first.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);
            assertThat(second.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);
        }
    }

    /** What the streams that were given up have used of its window may never come back (RFC 9113, 6.9). */
    @Test
    void anHttp2ConnectionWithoutCreditTakesNoFurtherExchange() throws Exception {
        try (TestOrigin origin = origin(
                        peer -> {
                            Http2Peer wire = peer.http2();
                            int download = wire.request();
                            wire.headers(download, false, ":status", "200");
                            wire.fields(wire.next(Http2Peer.HEADERS));
                            assertThat(wire.next(Http2Peer.RST_STREAM).number(0))
                                    .isEqualTo(8);
                            over.await(50, TimeUnit.SECONDS);
                            wire.data(download, true, "to its end");
                            assertThat(wire.next(Http2Peer.GOAWAY).number(4)).isZero();
                            peer.readToEnd();
                        },
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.ok(wire.request(), "anew");
                            peer.readToEnd();
                        });
                Client client = client(StalledUploadTest::impatient)) {
            Recorder download = client.send(route(origin), "GET");
            download.await(Recorder.Head.class);
            Recorder upload = post(client, route(origin));
            client.data(upload, "x".repeat(100_000));
            assertThat(upload.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);

            Recorder next = post(client, route(origin));
            client.data(next, "taken");
            client.end(next);
            next.await(Recorder.Head.class);
            assertThat(next.await(Recorder.Ended.class).body()).isEqualTo("anew");

            over.countDown();
            assertThat(download.await(Recorder.Ended.class).body()).isEqualTo("to its end");
        }
    }

    /** What was used up by those whose clients left shows with the first that waits in vain. */
    @Test
    @Tag("long")
    void creditThatClientsWhoLeftHaveUsedIsAsked() throws Exception {
        try (TestOrigin origin = origin(
                        peer -> {
                            peer.http2();
                            peer.readToEnd();
                        },
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.ok(wire.request(), "anew");
                            peer.readToEnd();
                        });
                Client client = client(limits -> {
                    limits.body = Duration.ofSeconds(2); // an abort has to come before
                    return limits;
                })) {
            Recorder first = post(client, route(origin));
            await().until(() -> client.pools.stats().idle() == 0);
            client.data(first, "x".repeat(65_535));
            client.run(first.stream::abort);
            await().until(() -> client.pools.stats().idle() == 1);

            Recorder second = post(client, route(origin));
            assertThat(second.stream.reused()).isTrue();
            client.data(second, "x");
            assertThat(second.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);

            assertThat(client.get(route(origin))).isEqualTo("anew");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    /** The head of another request waits behind what the origin does not take. */
    @Test
    void anHttp2OriginThatReadsNothingHoldsNoOther() throws Exception {
        try (TestOrigin origin = origin(
                        peer -> {
                            Http2Peer wire = peer.http2(Http2Peer.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE);
                            wire.windowUpdate(0, Integer.MAX_VALUE - 65_535);
                            Http2Peer.Frame head = wire.next(Http2Peer.HEADERS);
                            wire.headers(head.stream(), false, ":status", "200");
                            over.await(50, TimeUnit.SECONDS);
                        },
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.ok(wire.request(), "anew");
                            peer.readToEnd();
                        });
                Client client = client(limits -> {
                    limits.head = Duration.ofSeconds(2);
                    return limits;
                })) {
            Recorder upload = post(client, route(origin));
            upload.await(Recorder.Head.class);
            client.data(upload, MORE_THAN_SOCKETS_HOLD);

            UpstreamFailure failure = client.send(route(origin), "GET").failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);

            assertThat(client.get(route(origin))).isEqualTo("anew");
            over.countDown();
        }
    }

    @Test
    void anHttp1OriginThatDoesNotTakeAHeadIsGivenUp() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> over.await(50, TimeUnit.SECONDS));
                Client client = Client.with(limits -> {
                    limits.head = Duration.ofMillis(200);
                    limits.body = Duration.ofMillis(200);
                    return limits;
                })) {
            Recorder get = client.ready(Client.route(origin.port()));
            client.run(() -> get.stream.head(Client.head("GET", 0, "Long", MORE_THAN_SOCKETS_HOLD), true));
            Recorder post = client.ready(Client.route(origin.port()));
            client.run(() -> post.stream.head(
                    Client.head("POST", RequestMessage.UNKNOWN_LENGTH, "Long", MORE_THAN_SOCKETS_HOLD), false));

            assertThat(get.failure().kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
            assertThat(post.failure().kind()).isEqualTo(Kind.UPSTREAM_STALLED);
            over.countDown();
        }
    }

    /** The exchange is over; the stream would hold its bytes and its place for as long as the connection lives. */
    @Test
    void theRestOfARequestThatHasItsAnswerDoesNotWaitForCreditForEver() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    Http2Peer.Frame head = wire.next(Http2Peer.HEADERS);
                    wire.headers(head.stream(), true, ":status", "200");
                    assertThat(wire.next(Http2Peer.RST_STREAM).number(0)).isEqualTo(8);
                    peer.readToEnd();
                });
                Client client = client(StalledUploadTest::impatient)) {
            Recorder upload = post(client, route(origin));
            upload.await(Recorder.Head.class);
            client.data(upload, "x".repeat(200_000));
            client.end(upload);

            await().until(() -> client.pools.stats().active() == 0);
        }
    }

    @Test
    void anOriginThatTakesNothingAfterASwitchOfProtocolsHoldsNoConnection() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
                    peer.socket().shutdownOutput();
                    over.await(50, TimeUnit.SECONDS);
                });
                Client client = Client.with(StalledUploadTest::impatient)) {
            Recorder recorder =
                    client.send(Client.route(origin.port()), "GET", "Upgrade", "x", "Connection", "upgrade");
            recorder.await(Recorder.Head.class);
            client.data(recorder, MORE_THAN_SOCKETS_HOLD);
            client.end(recorder);
            recorder.await(Recorder.Ended.class);

            await().until(() -> client.pools.stats().open.sum() == 0);
            over.countDown();
        }
    }

    @Test
    void aClientThatSendsNothingIsNotTheOriginsFault() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
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
        try (TestOrigin origin = TestOrigin.of(peer -> {
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
