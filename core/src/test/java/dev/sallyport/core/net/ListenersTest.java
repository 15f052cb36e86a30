package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.net.FakeExchanges.Begun;
import dev.sallyport.core.net.FakeExchanges.Quiet;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.testsupport.Wire.Message;
import dev.sallyport.toolkit.match.Addresses;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Binding, limits of time and number, and shutdown. */
class ListenersTest {

    private static final String H = " HTTP/1.1\r\nHost: a.test\r\n";

    @Test
    void reportsBoundAddressesAndWhyOneCannotBeBound() throws IOException {
        try (Proxy proxy = new Proxy()) {
            assertThat(proxy.http.address().getPort()).isPositive();
            assertThat(proxy.listeners.bound()).containsExactly(proxy.http, proxy.https, proxy.tunnel);
            assertThatThrownBy(
                            () -> proxy.listeners.bind(new ListenerSettings(ListenerKind.HTTP, proxy.https.address())))
                    .isInstanceOf(ListenException.class)
                    .hasMessage("http_listen 127.0.0.1:" + proxy.https.address().getPort() + ": the port is taken");
            assertThatThrownBy(() -> proxy.listeners.bind(new ListenerSettings(
                            ListenerKind.TUNNEL, InetSocketAddress.createUnresolved("no.invalid", 1))))
                    .isInstanceOf(ListenException.class)
                    .hasMessageStartingWith("tunnel_listen no.invalid:1: unknown host");
        }
    }

    /** As everywhere else, and as a client takes it. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1", "::1, [::1]"})
    void logsTheAddressWithItsPort(String host, String shown) throws IOException {
        InetAddress address = InetAddress.getByName(host);
        assumeTrue(Addresses.ofThisMachine().contains(address), "no such address on this machine");
        Logger logger = (Logger) LoggerFactory.getLogger(Listeners.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        try (Proxy proxy = new Proxy()) {
            Listener bound =
                    proxy.listeners.bind(new ListenerSettings(ListenerKind.HTTP, new InetSocketAddress(address, 0)));

            assertThat(logged.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .contains("listening on " + shown + ":" + bound.address().getPort() + " (http_listen)");
        } finally {
            logger.detachAppender(logged);
        }
    }

    /** What connections may not reach is known when all are bound: whoever connects earlier waits. */
    @Test
    void acceptsNobodyBeforeItIsTold() throws IOException {
        try (Proxy proxy = new Proxy()) {
            Listener late = proxy.listeners.bind(new ListenerSettings(
                    ListenerKind.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            try (Wire early = Wire.to(late.address())) {
                early.send("GET /echo" + H + "\r\n");
                // The loops have had their turn with whatever was there for them.
                try (Wire other = Wire.to(proxy.http.address())) {
                    assertThat(other.get("/", "a.test").status()).isEqualTo(200);
                }
                assertThat(proxy.listeners.connections()).isLessThanOrEqualTo(1);
                assertThat(proxy.exchanges.begun).hasSize(1);

                proxy.listeners.accept();

                assertThat(early.response().status()).isEqualTo(200);
            }
        }
    }

    /** Whoever connects behind many others waits for a few passes of a loop, and not for one pass for each of them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acceptsABurstOfConnectionsInFewPasses(boolean nativeTransport) throws IOException {
        int many = 48;
        try (Proxy proxy =
                new Proxy(Limits.DEFAULTS, nativeTransport ? EventLoops.create(1) : EventLoops.createNio(1))) {
            Listener late = proxy.listeners.bind(new ListenerSettings(
                    ListenerKind.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            List<Wire> burst = new ArrayList<>();
            try {
                for (int i = 0; i < many; i++) {
                    burst.add(Wire.to(late.address()));
                }
                EventLoop loop = proxy.loops.group().next();
                CompletableFuture<Integer> passes = new CompletableFuture<>();
                loop.execute(() -> {
                    proxy.listeners.accept();
                    countPasses(loop, () -> proxy.listeners.connections() == many, 0, passes);
                });

                assertThat(passes.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join())
                        .isLessThan(10);
            } finally {
                for (Wire wire : burst) {
                    wire.close();
                }
            }
        }
    }

    /** A task that is due at once is run in the next pass, after the sockets. */
    private static void countPasses(
            EventLoop loop, BooleanSupplier done, int passes, CompletableFuture<Integer> counted) {
        if (done.getAsBoolean()) {
            counted.complete(passes);
        } else {
            loop.schedule(() -> countPasses(loop, done, passes + 1, counted), 0, TimeUnit.NANOSECONDS);
        }
    }

    @Test
    void worksWithoutNativeTransport() throws IOException {
        try (Proxy proxy = new Proxy(Limits.DEFAULTS, EventLoops.createNio(1));
                Wire plain = Wire.to(proxy.http.address());
                Wire secure = Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test")) {
            assertThat(plain.send("POST /echo" + H + "Content-Length: 2\r\n\r\nab")
                            .endOutput()
                            .response()
                            .body())
                    .isEqualTo("ab");
            assertThat(secure.get("/", "a.test").status()).isEqualTo(200);
        }
    }

    @Test
    void spreadsABurstOfConnectionsEvenly() {
        try (EventLoops loops = EventLoops.create(4)) {
            int[] counts = new int[4];
            List<EventExecutor> all = new ArrayList<>();
            loops.group().forEach(all::add);
            // While the loops are busy, nothing that was chosen is registered yet.
            CompletableFuture<Void> busy = new CompletableFuture<>();
            all.forEach(loop -> loop.execute(busy::join));
            IntStream.range(0, 40).forEach(i -> counts[all.indexOf(loops.group().next())]++);
            busy.complete(null);

            assertThat(counts).containsExactly(10, 10, 10, 10);
        }
    }

    /** Loops that were told to end while they ran a task left connections open, and with them what their handlers hold. */
    @Test
    void closingTheLoopsEndsEveryConnection() throws Exception {
        try (ServerSocket peer = new ServerSocket(0, 200, InetAddress.getLoopbackAddress())) {
            for (int round = 0; round < 100; round++) {
                CountDownLatch removed = new CountDownLatch(1);
                EventLoops loops = EventLoops.create(1);
                Channel channel = new Bootstrap()
                        .group(loops.group())
                        .channel(loops.channelType())
                        .handler(new ChannelHandlerAdapter() {
                            @Override
                            public void handlerRemoved(ChannelHandlerContext context) {
                                removed.countDown();
                            }
                        })
                        .connect(peer.getLocalSocketAddress())
                        .sync()
                        .channel();
                channel.eventLoop().execute(Thread::yield);

                loops.close();

                assertThat(channel.isOpen()).isFalse();
                assertThat(removed.getCount()).isZero();
            }
        }
    }

    @Test
    void aNewConnectionGoesToTheLoopWithTheFewest() throws IOException {
        try (Proxy proxy = new Proxy()) {
            List<Wire> clients = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                clients.add(Wire.to(proxy.http.address()));
                assertThat(clients.getLast().get("/", "a.test").status()).isEqualTo(200);
            }
            List<EventLoop> used = proxy.exchanges.begun.stream()
                    .map(begun -> begun.downstream().loop())
                    .toList();

            // Three listeners and seven connections on two loops.
            long first = used.stream().filter(used.getFirst()::equals).count();
            assertThat(first).isBetween(3L, 4L);
            for (Wire client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aHeadThatDoesNotArriveInTimeIs408() throws IOException {
        try (Proxy proxy = new Proxy(limits(200, 20_000));
                Wire client = Wire.to(proxy.http.address())) {
            Message response = client.send("GET / HTTP/1.1\r\nHost:").response();

            assertThat(response.status()).isEqualTo(408);
            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.exchanges.refused).hasSize(1);
        }
    }

    @Test
    void aDripOfBytesDoesNotMoveTheLimit() throws Exception {
        try (Proxy proxy = new Proxy(limits(300, 20_000));
                Wire client = Wire.to(proxy.http.address())) {
            Thread drip = Thread.ofVirtual().start(() -> {
                try {
                    client.send("GET / HTTP/1.1\r\n");
                    while (true) {
                        client.send("X: 1\r\n");
                        Thread.sleep(20);
                    }
                } catch (IOException | InterruptedException e) {
                    // Closed.
                }
            });
            assertThat(client.response().status()).isEqualTo(408);
            drip.interrupt();
            drip.join();
        }
    }

    @Test
    void idleConnectionsAreClosedSilently() throws IOException {
        try (Proxy proxy = new Proxy(limits(10_000, 200));
                Wire fresh = Wire.to(proxy.http.address());
                Wire used = Wire.to(proxy.http.address())) {
            assertThat(used.get("/", "a.test").status()).isEqualTo(200);

            assertThat(fresh.readToEnd()).isEmpty();
            assertThat(used.readToEnd()).isEmpty();
            assertThat(proxy.exchanges.refused).isEmpty();
        }
    }

    @Test
    void aSlowExchangeIsNotIdle() throws Exception {
        AtomicReference<Begun> held = new AtomicReference<>();
        try (Proxy proxy = new Proxy(limits(1000, 1000));
                Wire client = Wire.to(proxy.http.address())) {
            hold(proxy, held);
            client.send("GET /held" + H + "\r\n");
            await().until(() -> held.get() != null);
            held.get().downstream().loop().schedule(() -> answer(held), 2, TimeUnit.SECONDS);

            assertThat(client.response().body()).isEqualTo("late");
        }
    }

    @Test
    void acceptsNoMoreConnectionsThanAllowed() throws IOException {
        try (Proxy proxy = new Proxy(Limits.of("max_connections: 2"));
                Wire first = Wire.to(proxy.http.address());
                Wire second = Wire.to(proxy.http.address());
                Wire third = Wire.to(proxy.http.address())) {
            assertThat(first.get("/", "a.test").status()).isEqualTo(200);
            assertThat(second.get("/", "a.test").status()).isEqualTo(200);
            third.send("GET /" + H + "\r\n");
            await().during(Duration.ofMillis(200)).until(() -> proxy.listeners.connections() == 2);
            first.close();

            assertThat(third.response().status()).isEqualTo(200);
            assertThat(proxy.exchanges.begun).hasSize(3);
        }
    }

    @Test
    void shutdownEndsTheIdleLetsTheBusyFinishAndAcceptsNothing() throws Exception {
        AtomicReference<Begun> held = new AtomicReference<>();
        try (Proxy proxy = new Proxy();
                Wire idle = Wire.to(proxy.http.address());
                Wire tunnel = Wire.to(proxy.tunnel.address());
                Wire hello = Wire.to(proxy.https.address());
                Wire busy = Wire.to(proxy.http.address())) {
            hold(proxy, held);
            assertThat(idle.get("/", "a.test").status()).isEqualTo(200);
            busy.send("GET /held" + H + "\r\n");
            await().until(() -> held.get() != null && proxy.listeners.connections() == 4);

            CompletableFuture<DrainReport> report =
                    proxy.listeners.shutdown(Duration.ofSeconds(20)).toCompletableFuture();

            assertThat(idle.readToEnd()).isEmpty();
            assertThat(tunnel.readToEnd()).isEmpty();
            assertThat(hello.readToEnd()).isEmpty();
            assertThatThrownBy(() -> Wire.to(proxy.http.address())).isInstanceOf(IOException.class);
            assertThat(report).isNotDone();
            held.get().downstream().loop().execute(() -> answer(held));
            Message response = busy.response();
            assertThat(response.body()).isEqualTo("late");
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(busy.readToEnd()).isEmpty();
            assertThat(report.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(new DrainReport(4, 0));
        }
    }

    @Test
    void shutdownClosesWhatIsLeftWhenTheTimeIsOver() throws Exception {
        AtomicReference<Begun> held = new AtomicReference<>();
        try (Proxy proxy = new Proxy();
                Wire busy = Wire.to(proxy.http.address())) {
            List<Quiet> uploads = new ArrayList<>();
            proxy.exchanges.on("/held", begun -> {
                held.set(begun);
                uploads.add(new Quiet(begun));
                return uploads.getFirst();
            });
            busy.send("GET /held" + H + "\r\n");
            await().until(() -> held.get() != null);

            DrainReport report = proxy.listeners
                    .shutdown(Duration.ofMillis(200))
                    .toCompletableFuture()
                    .get(Patience.SECONDS, TimeUnit.SECONDS);

            assertThat(report).isEqualTo(new DrainReport(0, 1));
            assertThat(busy.readToEnd()).isEmpty();
            await().until(() -> uploads.getFirst().gones.get() == 1);
        }
    }

    /** A body may come slowly, but not so slowly that it only keeps the exchange open. */
    @Test
    void refusesABodyThatDrips() throws Exception {
        ProxyLimits patience = Limits.of("body_idle_timeout: 500ms, min_body_rate_bytes: 2000");
        try (Proxy proxy = new Proxy(patience);
                Wire client = Wire.to(proxy.http.address())) {
            AtomicReference<Begun> held = new AtomicReference<>();
            List<Quiet> uploads = new CopyOnWriteArrayList<>();
            proxy.exchanges.on("/held", begun -> {
                held.set(begun);
                Quiet upload = new Quiet(begun);
                uploads.add(upload);
                return upload;
            });
            client.send("POST /held HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000\r\n\r\n");
            await().until(() -> held.get() != null);

            // when it is never quiet for as long
            await().pollInterval(Duration.ofMillis(20)).until(() -> {
                client.send("x");
                return !uploads.getFirst().broken.isEmpty();
            });

            // then
            assertThat(uploads.getFirst().broken.getFirst().code()).isEqualTo("request_timeout");
            assertThat(client.response().status()).isEqualTo(408);
        }
    }

    private static void hold(Proxy proxy, AtomicReference<Begun> held) {
        proxy.exchanges.on("/held", begun -> {
            held.set(begun);
            return new Quiet(begun);
        });
    }

    private static void answer(AtomicReference<Begun> held) {
        FakeExchanges.respond(held.get().downstream(), 200, "late");
    }

    private static ProxyLimits limits(long headMillis, long idleMillis) {
        return Limits.of("header_read_timeout: %dms, client_idle_timeout: %dms, client_hello_timeout: 5s"
                .formatted(headMillis, idleMillis));
    }
}
