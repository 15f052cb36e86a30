package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http1ExchangeTest {

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void writesTheHeadInOrderAndCasingAsItStands() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.ok("");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            RequestMessage head = Client.head("DELETE", 0, "x-LOWER", "1", "Accept", "*/*", "X-lower", "2");
            head.query("a=b&c", false);

            client.run(() -> recorder.stream.head(head, true));

            recorder.await(Recorder.Head.class);
            assertThat(seen())
                    .isEqualTo("DELETE /path?a=b&c HTTP/1.1\r\n"
                            + "Host: origin.test\r\nx-LOWER: 1\r\nAccept: */*\r\nX-lower: 2");
        }
    }

    @Test
    void writesAsteriskFormForOptions() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.ok("");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            RequestMessage head = Client.head("OPTIONS", 0);
            head.path("*", false);

            client.run(() -> recorder.stream.head(head, true));

            recorder.await(Recorder.Head.class);
            assertThat(seen()).startsWith("OPTIONS * HTTP/1.1\r\n");
        }
    }

    @Test
    void namesTeInConnectionBecauseRfc9110DemandsIt() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.ok("");
                });
                Client client = Client.plain()) {
            client.send(Client.route(origin.port()), "GET", "TE", "trailers").await(Recorder.Head.class);

            assertThat(seen()).endsWith("TE: trailers\r\nConnection: TE");
        }
    }

    @Test
    void sendsABodyOfKnownLengthAsItIs() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    seen.add(peer.read(10));
                    peer.ok("done");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> recorder.stream.head(Client.head("PUT", 10, "Content-Length", "10"), false));
            client.data(recorder, "01234");
            client.data(recorder, "56789");
            client.end(recorder);

            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("done");
            assertThat(seen()).doesNotContain("Transfer-Encoding");
            assertThat(seen()).isEqualTo("0123456789");
        }
    }

    @Test
    void chunksABodyOfUnknownLengthAndSendsItsTrailers() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    seen.add(peer.readThrough("\r\n\r\n"));
                    peer.ok("");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            client.data(recorder, "hello");
            client.data(recorder, "");
            client.data(recorder, "0123456789abcdef0");
            client.end(recorder, "Digest", "x", "grpc-status", "0");

            recorder.await(Recorder.Head.class);
            assertThat(seen()).endsWith("\r\nTransfer-Encoding: chunked");
            assertThat(seen())
                    .isEqualTo("5\r\nhello\r\n11\r\n0123456789abcdef0\r\n0\r\nDigest: x\r\ngrpc-status: 0\r\n\r\n");
        }
    }

    @Test
    void endsAnEmptyChunkedBody() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    seen.add(peer.readThrough("\r\n\r\n"));
                    peer.ok("");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            client.end(recorder);

            recorder.await(Recorder.Head.class);
            assertThat(seen()).isEqualTo("0\r\n\r\n");
        }
    }

    @Test
    void readsChunksAndTrailersAndKeepsCasingAndOrder() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(Wire.lines(
                            "HTTP/1.1 200 Fine By Me",
                            "sErver: x",
                            "Transfer-Encoding: chunked",
                            "Set-Cookie: a",
                            "Set-Cookie: b",
                            ""));
                    peer.send("5;ext=1\r\nhello\r\n1\r\n!\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            Recorder.Head head = recorder.await(Recorder.Head.class);
            Recorder.Ended ended = recorder.await(Recorder.Ended.class);

            assertThat(head.end()).isFalse();
            assertThat(head.head().length()).isEqualTo(ResponseMessage.UNKNOWN_LENGTH);
            assertThat(head.head().reason()).isEqualTo("Fine By Me");
            assertThat(head.head().headers().name(0)).isEqualTo("sErver");
            assertThat(head.head().headers().all("set-cookie")).containsExactly("a", "b");
            assertThat(ended.body()).isEqualTo("hello!");
            assertThat(ended.trailers().name(1)).isEqualTo("x-sum");
            assertThat(ended.trailers().all("X-SUM")).containsExactly("1", "2");
        }
    }

    @Test
    void passesInterimHeadsOnAndWaitsForTheFinalOne() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 100 Continue\r\n\r\n");
                    seen.add(peer.read(2));
                    peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
                    peer.ok("x");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> recorder.stream.head(
                    Client.head("POST", 2, "Expect", "100-continue", "Content-Length", "2"), false));
            assertThat(recorder.await(Recorder.Interim.class).head().status()).isEqualTo(100);
            client.data(recorder, "ab");
            client.end(recorder);

            Recorder.Interim hints = recorder.await(Recorder.Interim.class);
            assertThat(hints.head().status()).isEqualTo(103);
            assertThat(hints.head().headers().first("link")).isEqualTo("</a>");
            assertThat(recorder.await(Recorder.Head.class).head().status()).isEqualTo(200);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("x");
            assertThat(seen()).isEqualTo("ab");
        }
    }

    @Test
    void refusesAFloodOfInterimHeads() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 102 Processing\r\n\r\n".repeat(65));
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            for (int i = 0; i < 64; i++) {
                recorder.await(Recorder.Interim.class);
            }
            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
        }
    }

    @Test
    void endsTheResponseToHeadWithItsHeadWhateverItsLength() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
                    peer.readHead();
                    peer.ok("next");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());

            Recorder.Head head = client.send(route, "HEAD").await(Recorder.Head.class);

            assertThat(head.end()).isTrue();
            assertThat(head.head().length()).isZero();
            assertThat(head.head().headers().first("Content-Length")).isEqualTo("500");
            assertThat(client.get(route)).isEqualTo("next");
            assertThat(origin.connections()).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"204 No Content", "304 Not Modified"})
    void endsAResponseThatHasNoBodyWithItsHead(String status) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 " + status + "\r\nETag: x\r\n\r\n");
                    peer.readHead();
                    peer.ok("next");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());

            assertThat(client.send(route, "GET").await(Recorder.Head.class).end())
                    .isTrue();

            assertThat(client.get(route)).isEqualTo("next");
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void readsABodyThatEndsWithThePlainConnection() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.0 200 OK\r\n\r\nall there is");
                });
                Client client = Client.plain()) {
            assertThat(client.get(Client.route(origin.port()))).isEqualTo("all there is");
        }
    }

    @Test
    void failsABodyThatEndsWithAReset() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\n\r\nsome");
                    seen(); // until the client has read it
                    peer.reset();
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            recorder.await(Recorder.Head.class);
            assertThat(recorder.piece()).isEqualTo("some");
            seen.add("read");

            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
        }
    }

    @Test
    void failsABodyShorterThanItsContentLength() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");

            assertThat(recorder.await(Recorder.Head.class).head().length()).isEqualTo(10);
            UpstreamFailure failure = recorder.failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
        }
    }

    @Test
    void deliversAFinalResponseThatComesBeforeTheRequestIsComplete() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            peer.readHead();
                            peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
                            peer.readToEnd();
                        },
                        peer -> {
                            peer.readHead();
                            peer.ok("second");
                        });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            Recorder recorder = client.ready(route);

            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            client.data(recorder, "part");

            assertThat(recorder.await(Recorder.Head.class).head().status()).isEqualTo(413);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("big");
            client.run(recorder.stream::abort);
            assertThat(client.get(route)).isEqualTo("second");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void reusesTheConnectionOnceTheRequestIsCompleteToo() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.ok("early");
                    seen.add(peer.readThrough("0\r\n\r\n"));
                    peer.readHead();
                    peer.ok("second");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            Recorder recorder = client.ready(route);

            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            recorder.await(Recorder.Head.class);
            recorder.await(Recorder.Ended.class);
            assertThat(client.pools.stats().idle()).isZero();
            client.end(recorder);

            assertThat(seen()).isEqualTo("0\r\n\r\n");
            assertThat(client.get(route)).isEqualTo("second");
            assertThat(origin.connections()).isOne();
        }
    }

    /** The origin closes with unread bytes in its buffer, so that its kernel resets the connection. */
    @Test
    void deliversAnEarlyResponseAlthoughTheOriginStopsReading() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.read(1);
                    peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.ready(Client.route(origin.port()));

            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            client.data(recorder, "x".repeat(1000));

            assertThat(recorder.await(Recorder.Head.class).head().status()).isEqualTo(413);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("big");
        }
    }

    @Test
    void carriesBytesAsTheyAreAfterSwitchingProtocols() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    seen.add(peer.readHead());
                    peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nfirst");
                    seen.add(peer.read(4));
                    peer.send("HTTP/1.1 \r\n\0");
                });
                Client client = Client.plain()) {
            Recorder recorder =
                    client.send(Client.route(origin.port()), "GET", "Connection", "Upgrade", "Upgrade", "echo");

            Recorder.Head head = recorder.await(Recorder.Head.class);
            assertThat(head.head().status()).isEqualTo(101);
            assertThat(head.end()).isFalse();
            client.data(recorder, "ping");

            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("firstHTTP/1.1 \r\n\0");
            assertThat(seen()).contains("Upgrade: echo");
            assertThat(seen()).isEqualTo("ping");
            assertThat(client.pools.stats().idle()).isZero();
        }
    }

    @Test
    void refusesASwitchThatNobodyAskedFor() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n");
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            assertThat(client.send(Client.route(origin.port()), "GET").failure().kind())
                    .isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
        }
    }

    @Test
    void timesOutWhenNoHeadFollowsTheRequest() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                Client client = Client.with(limits -> {
                    limits.head = Duration.ofMillis(50);
                    return limits;
                })) {
            UpstreamFailure failure =
                    client.send(Client.route(origin.port()), "GET").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
        }
    }

    @Test
    void startsTheHeadLimitOnlyWhenTheRequestIsComplete() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                Client client = Client.with(limits -> {
                    limits.head = Duration.ofMillis(50);
                    return limits;
                })) {
            Recorder recorder = client.ready(Client.route(origin.port()));
            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));
            client.loop
                    .schedule(() -> seen.add("later"), 100, TimeUnit.MILLISECONDS)
                    .syncUninterruptibly();
            assertThat(recorder.isSilent()).isTrue();

            client.end(recorder);

            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
        }
    }

    @Test
    void saysThatAFreshConnectionWhichClosesMayHaveBeenHeard() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readHead);
                Client client = Client.plain()) {
            UpstreamFailure failure =
                    client.send(Client.route(origin.port()), "GET").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
        }
    }

    @Test
    void isSilentAfterAbortAndClosesTheConnection() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
                    peer.readToEnd();
                    seen.add("closed");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");
            recorder.await(Recorder.Head.class);

            client.run(recorder.stream::abort);

            assertThat(seen()).isEqualTo("closed");
            client.data(recorder, "ignored and released");
            client.end(recorder);
            assertThat(recorder.isSilent()).isTrue();
        }
    }

    @Test
    void worksOnNioToo() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        peer.readHead();
                        peer.ok("nio");
                    }
                });
                Client client = new Client(Client.profile(limits -> limits, null), EventLoops.createNio(1))) {
            Route route = Client.route(origin.port());

            assertThat(List.of(client.get(route), client.get(route))).containsOnly("nio");
            assertThat(origin.connections()).isOne();
        }
    }
}
