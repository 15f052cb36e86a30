package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.spi.Destination;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class Http2PoolTest extends Http2Origins {

    private static final TestOrigin.Script ECHO = peer -> {
        Http2Peer wire = peer.http2();
        while (true) {
            wire.ok(wire.request(), "h2");
        }
    };

    private static final TestOrigin.Script ECHO_1 = peer -> {
        while (true) {
            peer.readHead();
            peer.ok("h1");
        }
    };

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    /** Opens so many in one turn of the loop, so that none can know what becomes of the others. */
    private static List<Recorder> openAtOnce(Client client, Route route, int count) {
        List<Recorder> recorders = new ArrayList<>();
        client.run(() -> {
            for (int i = 0; i < count; i++) {
                Recorder recorder = new Recorder();
                recorders.add(recorder);
                client.pools.open(client.loop, route, recorder);
            }
        });
        return recorders;
    }

    private static void get(Client client, Recorder recorder, String expected) {
        recorder.await(Recorder.Ready.class);
        client.run(() -> recorder.stream.head(Client.head("GET", 0), true));
        recorder.await(Recorder.Head.class);
        assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo(expected);
    }

    @Test
    void firstExchangesWaitForOneConnectionTogether() throws Exception {
        try (TestOrigin origin = origin(ECHO);
                Client client = client()) {
            openAtOnce(client, route(origin), 50).forEach(recorder -> get(client, recorder, "h2"));

            assertThat(origin.connections()).isOne();
            assertThat(client.pools.stats().dials()).isOne();
            await().until(() -> client.pools.stats().idle() == 1);
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @Test
    void exchangesThatCannotShareGetConnectionsOfTheirOwn() throws Exception {
        try (TestOrigin origin = origin(ECHO_1).offering("http/1.1");
                Client client = client()) {
            List<Recorder> recorders = openAtOnce(client, route(origin), 5);
            recorders.forEach(recorder -> recorder.await(Recorder.Ready.class));
            assertThat(origin.connections()).isEqualTo(5);

            openAtOnce(client, route(origin), 1).forEach(recorder -> get(client, recorder, "h1"));
            assertThat(origin.connections()).isEqualTo(6);
        }
    }

    @Test
    void aConnectionInTheMakingOutlivesTheExchangeThatBeganIt() throws Exception {
        try (TestOrigin origin = origin(ECHO);
                Client client = client()) {
            Recorder gone = new Recorder();
            Recorder stays = new Recorder();
            client.run(() -> {
                Runnable cancel = client.pools.open(client.loop, route(origin), gone);
                client.pools.open(client.loop, route(origin), stays);
                cancel.run();
            });

            get(client, stays, "h2");
            assertThat(gone.isSilent()).isTrue();
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void opensNoMoreStreamsThanTheOriginAllows() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2(Http2Peer.MAX_CONCURRENT_STREAMS, 2);
                    int first = wire.request();
                    int second = wire.request();
                    go.await();
                    wire.ok(first, "h2");
                    wire.ok(second, "h2");
                    while (true) {
                        wire.ok(wire.request(), "h2");
                    }
                });
                Client client = client()) {
            List<Recorder> recorders = openAtOnce(client, route(origin), 6);
            for (Recorder recorder : recorders) {
                recorder.await(Recorder.Ready.class);
                client.run(() -> recorder.stream.head(Client.head("GET", 0), true));
            }
            assertThat(origin.connections()).isEqualTo(3);
            go.countDown();
            for (Recorder recorder : recorders) {
                recorder.await(Recorder.Head.class);
                recorder.await(Recorder.Ended.class);
            }

            assertThat(client.get(route(origin))).isEqualTo("h2");
            assertThat(origin.connections()).isEqualTo(3);
        }
    }

    @Test
    void takesALowerLimitOfStreamsIntoAccount() throws Exception {
        try (TestOrigin origin = origin(
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.request();
                            wire.settings(Http2Peer.MAX_CONCURRENT_STREAMS, 1);
                            wire.next(Http2Peer.SETTINGS);
                            seen.add("lowered");
                            peer.readToEnd();
                        },
                        ECHO);
                Client client = client()) {
            client.send(route(origin), "GET");
            assertThat(seen()).isEqualTo("lowered");
            await().until(() -> client.get(route(origin)).equals("h2"));

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void exchangesAtTheLimitOfAnOriginShareTheConnectionThatIsThere() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2(Http2Peer.MAX_CONCURRENT_STREAMS, 1);
                    int first = wire.request();
                    go.await();
                    wire.settings(Http2Peer.MAX_CONCURRENT_STREAMS, 3);
                    int[] streams = {wire.request(), wire.request()};
                    wire.ok(first, "h2");
                    wire.ok(streams[1], "h2");
                    wire.ok(streams[0], "h2");
                    peer.readToEnd();
                });
                Client client = client(limits -> {
                    limits.perOrigin = 1;
                    return limits;
                })) {
            Recorder first = client.send(route(origin), "GET");
            List<Recorder> others = openAtOnce(client, route(origin), 2);
            await().until(() -> client.pools.stats().waiting() == 2);
            go.countDown();
            for (Recorder other : others) {
                other.await(Recorder.Ready.class);
                client.run(() -> other.stream.head(Client.head("GET", 0), true));
            }

            for (Recorder recorder : List.of(first, others.get(0), others.get(1))) {
                recorder.await(Recorder.Head.class);
                assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("h2");
            }
            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void anOriginThatTakesNoStreamsIsOverloaded() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.http2(Http2Peer.MAX_CONCURRENT_STREAMS, 0);
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            Recorder recorder = new Recorder();
            client.open(Client.route(origin.port()).withPriorKnowledge(), recorder);

            assertThat(recorder.failure().kind()).isEqualTo(Kind.OVERLOADED);
        }
    }

    @Test
    void aRefusedStreamWasNotProcessed() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.reset(wire.request(), 7);
                    peer.readToEnd();
                });
                Client client = client()) {
            UpstreamFailure failure = client.send(route(origin), "POST").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(failure.repeat()).isEqualTo(Repeat.UNPROCESSED);
        }
    }

    @Test
    void streamsBeyondTheLastOfAGoAwayWereNotProcessedAndOthersGoOn() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TestOrigin origin = origin(
                        peer -> {
                            Http2Peer wire = peer.http2();
                            int first = wire.request();
                            wire.request();
                            wire.goAway(first, 0);
                            go.await();
                            wire.ok(first, "finished");
                            peer.readToEnd();
                            seen.add("closed");
                        },
                        ECHO);
                Client client = client()) {
            Recorder first = client.send(route(origin), "GET");
            Recorder unsent = client.ready(route(origin));
            Recorder second = client.send(route(origin), "GET");

            assertThat(second.failure().repeat()).isEqualTo(Repeat.UNPROCESSED);
            client.run(() -> unsent.stream.head(Client.head("GET", 0), true));
            assertThat(unsent.failure().repeat()).isEqualTo(Repeat.UNPROCESSED);
            assertThat(client.get(route(origin))).isEqualTo("h2");
            go.countDown();
            first.await(Recorder.Head.class);
            assertThat(first.await(Recorder.Ended.class).body()).isEqualTo("finished");
            await().until(() -> seen.contains("closed"));
        }
    }

    @Test
    void whatWasSentToAConnectionThatHadGoneMayHaveBeenHeard() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.ok(wire.request(), "first");
                    wire.request();
                    peer.cut();
                });
                Client client = client()) {
            assertThat(client.get(route(origin))).isEqualTo("first");

            UpstreamFailure failure = client.send(route(origin), "GET").failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(failure.repeat()).isEqualTo(Repeat.STALE_CONNECTION);
        }
    }

    @Test
    void anOriginThatRequiresHttp1IsOfferedNothingElseTheNextTime() throws Exception {
        try (TestOrigin origin = origin(
                                peer -> {
                                    Http2Peer wire = peer.http2();
                                    wire.reset(wire.request(), 13);
                                    peer.readToEnd();
                                },
                                ECHO_1)
                        .offering("h2", "http/1.1");
                Client client = client()) {
            assertThat(client.send(route(origin), "GET").failure().repeat()).isEqualTo(Repeat.UNPROCESSED);

            assertThat(client.get(route(origin).onFreshConnection())).isEqualTo("h1");
            assertThat(client.get(route(origin))).isEqualTo("h1");
        }
    }

    @Test
    void aRouteOverHttp1HasConnectionsOfItsOwn() throws Exception {
        try (TestOrigin origin = origin(ECHO, ECHO_1).offering("h2", "http/1.1");
                Client client = client()) {
            assertThat(client.get(route(origin))).isEqualTo("h2");
            assertThat(client.get(route(origin).overHttp1())).isEqualTo("h1");
            assertThat(client.get(route(origin))).isEqualTo("h2");
            assertThat(client.get(route(origin).overHttp1())).isEqualTo("h1");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void workloadsShareNoConnection() throws Exception {
        try (TestOrigin origin = origin(ECHO);
                Client client = client()) {
            Destination destination = route(origin).destination();
            client.get(Route.chosenByWorkload(destination, "one", Client.SOMEBODY));
            client.get(Route.chosenByWorkload(destination, "two", Client.SOMEBODY));

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void aConnectionPastItsAgeFinishesWhatItCarriesAndTakesNothingNew() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TestOrigin origin = origin(
                        peer -> {
                            Http2Peer wire = peer.http2();
                            wire.ok(wire.request(), "young");
                            int second = wire.request();
                            go.await();
                            wire.ok(second, "old");
                            wire.next(Http2Peer.GOAWAY);
                            peer.readToEnd();
                            seen.add("closed");
                        },
                        ECHO);
                Client client = client()) {
            assertThat(client.get(route(origin))).isEqualTo("young");
            Recorder carried = client.send(route(origin), "GET");
            Client.Limits limits = new Client.Limits();
            limits.age = Duration.ofNanos(1);
            UpstreamProfile before = client.pools.profile();
            client.pools.reconfigure(limits.profile(before.names(), before.tls(), before.guard()));

            assertThat(client.get(route(origin))).isEqualTo("h2");
            go.countDown();
            carried.await(Recorder.Head.class);
            assertThat(carried.await(Recorder.Ended.class).body()).isEqualTo("old");
            assertThat(seen()).isEqualTo("closed");
        }
    }

    @Test
    void anIdleConnectionSaysGoodbye() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    Http2Peer wire = peer.http2();
                    wire.ok(wire.request(), "once");
                    wire.next(Http2Peer.GOAWAY);
                    peer.readToEnd();
                    seen.add("closed");
                });
                Client client = client(limits -> {
                    limits.idle = Duration.ofMillis(50);
                    return limits;
                })) {
            assertThat(client.get(route(origin))).isEqualTo("once");

            assertThat(seen()).isEqualTo("closed");
            await().until(() -> client.pools.stats().idle() == 0);
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @Test
    void exchangesThatWaitForAConnectionThatDiesWereNotProcessed() throws Exception {
        try (TestOrigin origin = origin(Wire::cut);
                Client client = client()) {
            List<Recorder> recorders = openAtOnce(client, route(origin), 3);

            for (Recorder recorder : recorders) {
                assertThat(recorder.failure().kind()).isIn(Kind.UPSTREAM_UNREACHABLE, Kind.UPSTREAM_TLS_ERROR);
            }
        }
    }

    @Test
    void anOriginThatAgreedToHttp2AndSpeaksSomethingElseFails() throws Exception {
        try (TestOrigin origin = origin(peer -> {
                    peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                    peer.readToEnd();
                });
                Client client = client()) {
            List<Recorder> recorders = openAtOnce(client, route(origin), 2);

            recorders.get(0).await(Recorder.Ready.class);
            client.run(() -> recorders.get(0).stream.head(Client.head("GET", 0), true));
            assertThat(recorders.get(0).failure().kind()).isIn(Kind.UPSTREAM_PROTOCOL_ERROR, Kind.UPSTREAM_UNREACHABLE);
            assertThat(recorders.get(1).failure().repeat()).isEqualTo(Repeat.UNPROCESSED);
        }
    }

    @Test
    void settingsThatDoNotComeEndTheConnection() throws Exception {
        try (TestOrigin origin = origin(peer -> peer.readToEnd());
                Client client = client(limits -> {
                    limits.handshake = Duration.ofSeconds(2);
                    return limits;
                })) {
            List<Recorder> recorders = openAtOnce(client, route(origin), 2);

            recorders.get(0).await(Recorder.Ready.class);
            client.run(() -> recorders.get(0).stream.head(Client.head("GET", 0), true));
            assertThat(recorders.get(0).failure().kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(recorders.get(1).failure().kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
            await().until(() -> client.pools.stats().open.sum() == 0);
        }
    }

    // Cleartext.

    /** An HTTP/1.1 request would wait for the like once more. */
    @Test
    void anOriginThatSaysNothingToThePrefaceIsGivenUpOnce() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                Client client = Client.with(limits -> {
                    limits.head = Duration.ofMillis(300);
                    return limits;
                })) {
            Route route = Client.route(origin.port()).withPriorKnowledge();
            List<Recorder> recorders = openAtOnce(client, route, 3);

            for (Recorder recorder : recorders) {
                UpstreamFailure failure = recorder.failure();
                assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
                assertThat(failure.repeat()).isEqualTo(Repeat.NEVER);
            }
            assertThat(origin.connections()).isOne();
            await().until(() -> client.pools.stats().open.sum() == 0);
        }
    }

    /** Bytes that come one by one are no settings. */
    @Test
    void settingsThatDripAreNotWaitedFor() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    for (int sent = 0; sent < 8 && !over.await(50, TimeUnit.MILLISECONDS); sent++) {
                        peer.out().write(new byte[] {0, 0, 6, 4, 0, 0, 0, 0, 0}, sent, 1);
                    }
                    peer.readToEnd();
                });
                Client client = Client.with(limits -> {
                    limits.handshake = Duration.ofMillis(300);
                    return limits;
                })) {
            Recorder recorder = new Recorder();
            client.open(Client.route(origin.port()).withPriorKnowledge(), recorder);

            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_TIMEOUT);
            over.countDown();
        }
    }

    @Test
    void speaksHttp2InCleartextByPriorKnowledge() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port()).withPriorKnowledge();
            openAtOnce(client, route, 10).forEach(recorder -> get(client, recorder, "h2"));

            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void fallsBackToHttp1WhereThePrefaceIsNotUnderstood() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            peer.readHead();
                            peer.send("HTTP/1.1 505 Version\r\nContent-Length: 0\r\n\r\n");
                            peer.readToEnd();
                        },
                        ECHO_1);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port()).withPriorKnowledge();
            openAtOnce(client, route, 3).forEach(recorder -> get(client, recorder, "h1"));
            int connections = origin.connections();

            assertThat(client.get(route)).isEqualTo("h1");
            assertThat(client.get(route.onFreshConnection())).isEqualTo("h1");
            assertThat(origin.connections()).isEqualTo(connections + 1);
        }
    }

    @Test
    void fallsBackToHttp1WhereThePrefaceClosesTheConnection() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readHead, ECHO_1);
                Client client = Client.plain()) {
            assertThat(client.get(Client.route(origin.port()).withPriorKnowledge()))
                    .isEqualTo("h1");
        }
    }

    @Test
    void cleartextWithoutPriorKnowledgeIsHttp1() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO_1);
                Client client = Client.plain()) {
            assertThat(client.get(Client.route(origin.port()))).isEqualTo("h1");
        }
    }
}
