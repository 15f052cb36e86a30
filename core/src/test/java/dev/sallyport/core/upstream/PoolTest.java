package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.spi.Destination;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.IpRange;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PoolTest {

    private static final TestOrigin.Script ECHO = peer -> {
        while (true) {
            peer.readHead();
            peer.ok("ok");
        }
    };

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void reusesAConnectionForTheSameRoute() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());

            client.get(route);
            Recorder second = client.ready(route);

            assertThat(second.stream.reused()).isTrue();
            assertThat(second.stream.protocol()).isEqualTo("http/1.1");
            assertThat(second.stream.endpoint().origin().getPort()).isEqualTo(origin.port());
            client.run(() -> second.stream.head(Client.head("GET", 0), true));
            second.await(Recorder.Head.class);
            second.await(Recorder.Ended.class);
            assertThat(origin.connections()).isOne();
            assertThat(client.pools.stats().dials()).isOne();
            assertThat(client.pools.stats().reuses()).isOne();
            assertThat(client.pools.stats().idle()).isOne();
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @Test
    void sharesNoConnectionAcrossWorkloadsGuardsAndFreshRoutes() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            Destination destination = route.destination();

            client.get(route);
            client.get(Route.chosenByWorkload(destination, "other", Client.SOMEBODY));
            client.get(Route.configured(destination));
            client.get(route.onFreshConnection());

            assertThat(origin.connections()).isEqualTo(4);
            assertThat(client.pools.stats().idle()).isEqualTo(4);
        }
    }

    @Test
    void closesTheConnectionThatIsIdleForLongestWhenThereAreTooMany() throws Exception {
        TestOrigin.Script untilTheEnd = peer -> {
            peer.readHead();
            peer.ok("ok");
            seen.add(peer.in().read() < 0 ? "closed" : "asked again");
        };
        try (TestOrigin oldest = TestOrigin.of(untilTheEnd);
                TestOrigin used = TestOrigin.of(ECHO);
                TestOrigin newest = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.keptIdle = 2;
                    return limits;
                })) {
            // given
            client.get(Client.route(oldest.port()));
            client.get(Client.route(used.port()));
            assertThat(client.pools.stats().idle()).isEqualTo(2);

            // when
            client.get(Client.route(newest.port()));

            // then
            assertThat(seen()).isEqualTo("closed");
            assertThat(client.pools.stats().idle()).isEqualTo(2);
            await().untilAsserted(
                            () -> assertThat(client.pools.stats().active()).isZero());
            assertThat(client.ready(Client.route(used.port())).stream.reused()).isTrue();
            assertThat(client.ready(Client.route(newest.port())).stream.reused())
                    .isTrue();
        }
    }

    @Test
    void aConnectionInUseIsNotIdle() throws Exception {
        try (TestOrigin one = TestOrigin.of(ECHO);
                TestOrigin other = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.keptIdle = 1;
                    return limits;
                })) {
            // given
            client.get(Client.route(one.port()));
            Recorder busy = client.ready(Client.route(one.port()));

            // when
            client.get(Client.route(other.port()));

            // then
            client.run(() -> busy.stream.head(Client.head("GET", 0), true));
            busy.await(Recorder.Head.class);
            assertThat(busy.await(Recorder.Ended.class).body()).isEqualTo("ok");
            assertThat(one.connections()).isOne();
            await().untilAsserted(
                            () -> assertThat(client.pools.stats().active()).isZero());
            assertThat(client.pools.stats().idle()).isOne();
        }
    }

    @Test
    void usesTheConnectionUsedLastFirst() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            while (true) {
                                peer.readHead();
                                peer.ok("0");
                            }
                        },
                        ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            Recorder first = client.ready(route);
            Recorder second = client.ready(route);
            for (Recorder recorder : List.of(second, first)) {
                client.run(() -> recorder.stream.head(Client.head("GET", 0), true));
                recorder.await(Recorder.Head.class);
                recorder.await(Recorder.Ended.class);
            }

            Recorder third = client.ready(route);

            client.run(() -> third.stream.head(Client.head("GET", 0), true));
            third.await(Recorder.Head.class);
            assertThat(third.await(Recorder.Ended.class).body()).isEqualTo("0");
        }
    }

    @Test
    void discardsAConnectionThatTheOriginClosedWhileIdle() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            peer.readHead();
                            peer.ok("first");
                        },
                        ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            client.get(route);
            await().until(() -> client.pools.stats().idle() == 0);

            assertThat(client.get(route)).isEqualTo("ok");

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void saysThatARequestOnAStaleConnectionWasNotProcessed() throws Exception {
        CountDownLatch close = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.ok("first");
                    close.await();
                    peer.cut();
                    closed.countDown();
                });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            client.get(route);
            Recorder recorder = new Recorder();

            // The loop is busy while the origin closes, so that it cannot know yet.
            client.run(() -> {
                close.countDown();
                uninterruptibly(closed);
                client.pools.open(client.loop, route, recorder);
                recorder.stream.head(Client.head("GET", 0), true);
            });

            assertThat(recorder.await(Recorder.Ready.class).stream().reused()).isTrue();
            UpstreamFailure failure = recorder.failure();
            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.STALE_CONNECTION);
        }
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void saysThatAReusedConnectionMayHaveBeenHeardOnceAByteCame() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.ok("first");
                    peer.readHead();
                    peer.send("H");
                });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            client.get(route);

            UpstreamFailure failure = client.send(route, "GET").failure();

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
        }
    }

    @Test
    void discardsAConnectionWithBytesThatNobodyAskedFor() throws Exception {
        CountDownLatch idle = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            peer.readHead();
                            peer.ok("first");
                            idle.await();
                            peer.send("\r\n");
                            peer.readToEnd();
                        },
                        ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            client.get(route);
            assertThat(client.pools.stats().idle()).isOne();

            idle.countDown();

            await().until(() -> client.pools.stats().idle() == 0);
            assertThat(client.get(route)).isEqualTo("ok");
        }
    }

    @Test
    void discardsAConnectionWithMoreBytesThanTheResponseHad() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            peer.readHead();
                            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nokeHTTP/1.1 200 OK\r\n");
                            peer.readToEnd();
                        },
                        ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());

            assertThat(client.get(route)).isEqualTo("oke");

            assertThat(client.get(route)).isEqualTo("ok");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void honoursConnectionCloseAndHttp10() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                        peer -> {
                            peer.readHead();
                            peer.send("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 1\r\n\r\n1");
                            peer.readToEnd();
                        },
                        peer -> {
                            peer.readHead();
                            peer.send("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n2");
                            peer.readToEnd();
                        },
                        peer -> {
                            peer.readHead();
                            peer.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n3");
                            peer.readHead();
                            peer.ok("4");
                            peer.readToEnd();
                        });
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());

            assertThat(client.get(route) + client.get(route) + client.get(route) + client.get(route))
                    .isEqualTo("1234");

            assertThat(origin.connections()).isEqualTo(3);
        }
    }

    @Test
    void closesAConnectionThatIsIdleForTooLong() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.ok("ok");
                    peer.readToEnd();
                    seen.add("closed");
                });
                Client client = Client.with(limits -> {
                    limits.idle = Duration.ofMillis(20);
                    return limits;
                })) {
            client.get(Client.route(origin.port()));

            assertThat(seen()).isEqualTo("closed");
            await().until(() -> client.pools.stats().idle() == 0);
        }
    }

    @Test
    void reusesNoConnectionBeyondItsAge() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.age = Duration.ofNanos(1);
                    return limits;
                })) {
            Route route = Client.route(origin.port());

            client.get(route);
            client.get(route);

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void closesAnIdleConnectionWhenItsAgeIsReached() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.ok("ok");
                    peer.readToEnd();
                    seen.add("closed");
                });
                Client client = Client.with(limits -> {
                    limits.age = Duration.ofMillis(500);
                    return limits;
                })) {
            client.get(Client.route(origin.port()));

            assertThat(seen()).isEqualTo("closed");
        }
    }

    @Test
    void evictsConnectionsThatTheGuardNowDenies() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            Route configured = Route.configured(route.destination());
            client.get(route);
            client.get(configured);
            UpstreamProfile before = client.pools.profile();
            DialGuard guard = new DialGuard(CidrSet.of(List.of(IpRange.parse("127.0.0.0/8"))), List.of());

            client.pools.reconfigure(new UpstreamProfile(
                    before.limits(), before.timeouts(), before.names(), before.tls(), guard, before.parents()));

            await().until(() -> client.pools.stats().idle() == 1);
            Recorder refused = new Recorder();
            client.open(route, refused);
            assertThat(refused.failure().kind()).isEqualTo(Kind.UPSTREAM_DENIED);
            assertThat(client.get(configured)).isEqualTo("ok");
            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void doesNotPoolABusyConnectionThatTheGuardNowDenies() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.ok(seen());
                    peer.readToEnd();
                    seen.add("closed");
                });
                Client client = Client.plain()) {
            Recorder recorder = client.send(Client.route(origin.port()), "GET");
            UpstreamProfile before = client.pools.profile();
            DialGuard guard = new DialGuard(CidrSet.of(List.of(IpRange.parse("127.0.0.0/8"))), List.of());

            client.pools.reconfigure(new UpstreamProfile(
                    before.limits(), before.timeouts(), before.names(), before.tls(), guard, before.parents()));
            seen.add("answer");

            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("answer");
            await().until(() -> "closed".equals(seen.peek()));
        }
    }

    @Test
    void makesTheNextExchangeWaitWhenAnOriginIsAtItsLimit() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.perOrigin = 1;
                    return limits;
                })) {
            Route route = Client.route(origin.port());
            Recorder first = client.ready(route);
            Recorder second = new Recorder();
            Recorder third = new Recorder();
            client.open(route, second);
            client.open(route, third);
            assertThat(client.pools.stats().waiting()).isEqualTo(2);

            client.run(() -> first.stream.head(Client.head("GET", 0), true));
            second.await(Recorder.Ready.class);
            assertThat(third.isSilent()).isTrue();
            client.run(() -> second.stream.head(Client.head("GET", 0), true));
            third.await(Recorder.Ready.class);
            client.run(third.stream::abort);

            assertThat(origin.connections()).isOne();
            await().until(() -> client.pools.stats().active() == 0);
        }
    }

    @Test
    void givesASlotHeldByAnIdleConnectionOfAnotherWorkloadToWhoWaits() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = new Client(
                        Client.profile(
                                limits -> {
                                    limits.perOrigin = 1;
                                    return limits;
                                },
                                null),
                        EventLoops.createNio(2))) {
            Route route = Client.route(origin.port());
            client.get(route);
            EventLoop other = client.loops.group().next();
            assertThat(other).isNotSameAs(client.loop);

            Recorder second = new Recorder();
            client.open(other, Route.chosenByWorkload(route.destination(), "other", Client.SOMEBODY), second);

            second.await(Recorder.Ready.class);
            await().until(() -> origin.connections() == 2);
            assertThat(client.pools.stats().idle()).isZero();
        }
    }

    @Test
    void refusesWhenTooManyWait() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.perOrigin = 1;
                    limits.waiting = 1;
                    return limits;
                })) {
            Route route = Client.route(origin.port());
            client.ready(route);
            client.open(route, new Recorder());
            Recorder third = new Recorder();

            client.open(route, third);

            assertThat(third.failure().kind()).isEqualTo(Kind.OVERLOADED);
        }
    }

    @Test
    void refusesWhenNoConnectionBecomesFreeInTime() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.perOrigin = 1;
                    limits.wait = Duration.ofMillis(20);
                    return limits;
                })) {
            Route route = Client.route(origin.port());
            client.ready(route);
            Recorder second = new Recorder();

            client.open(route, second);

            assertThat(second.failure().kind()).isEqualTo(Kind.OVERLOADED);
            assertThat(client.pools.stats().waiting()).isZero();
        }
    }

    @Test
    void passesOverWhoStoppedWaiting() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.with(limits -> {
                    limits.perOrigin = 1;
                    return limits;
                })) {
            Route route = Client.route(origin.port());
            Recorder first = client.ready(route);
            Recorder second = new Recorder();
            Recorder third = new Recorder();
            Runnable cancel = client.open(route, second);
            client.open(route, third);

            cancel.run();
            client.run(first.stream::abort);

            third.await(Recorder.Ready.class);
            assertThat(second.isSilent()).isTrue();
            assertThat(client.pools.stats().waiting()).isZero();
        }
    }

    @Test
    void refusesExchangesOnceClosed() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.plain()) {
            Route route = Client.route(origin.port());
            client.get(route);

            client.pools.close();

            Recorder refused = new Recorder();
            client.open(route, refused);
            assertThat(refused.failure().kind()).isEqualTo(Kind.OVERLOADED);
            await().until(() -> client.pools.stats().idle() == 0);
        }
    }
}
