package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.spi.Destination;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.IpRange;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DialTest {

    private static final TestOrigin.Script ECHO = peer -> {
        while (true) {
            peer.readHead();
            peer.ok("ok");
        }
    };

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static NameLookup always(String... addresses) {
        List<InetAddress> list = new ArrayList<>();
        for (String address : addresses) {
            list.add(address(address));
        }
        return (loop, host) -> loop.newSucceededFuture(List.copyOf(list));
    }

    private static DialGuard denying(String... ranges) {
        List<IpRange> list = new ArrayList<>();
        for (String range : ranges) {
            list.add(IpRange.parse(range));
        }
        return new DialGuard(CidrSet.of(list), List.of());
    }

    private static Client client(NameLookup names, DialGuard guard) {
        return new Client(new Client.Limits().profile(names, null, guard));
    }

    private static UpstreamFailure failure(Client client, Route route) {
        Recorder recorder = new Recorder();
        client.open(route, recorder);
        return recorder.failure();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "0.0.0.0"})
    void refusesANameThatResolvesToADeniedAddressBeforeConnecting(String resolved) throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always(resolved), denying("127.0.0.0/8"))) {
            UpstreamFailure failure = failure(client, Client.route(origin.port()));

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_DENIED);
            assertThat(failure.message()).endsWith(" is in 127.0.0.0/8 of proxy.upstream_deny_cidrs");
            assertThat(failure.kind().status()).isEqualTo(502);
            assertThat(failure.repeat()).isEqualTo(UpstreamFailure.Repeat.NEVER);
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void refusesADeniedLiteral() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("192.0.2.1"), denying("127.0.0.0/8"))) {
            Destination literal = Destinations.parse("127.0.0.1", origin.port(), false);

            assertThat(failure(client, Route.chosenByWorkload(literal, "ci", Client.SOMEBODY))
                            .kind())
                    .isEqualTo(Kind.UPSTREAM_DENIED);
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void skipsDeniedAddressesOfANameThatHasOthers() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("169.254.169.254", "127.0.0.1"), denying("169.254.169.254/32"))) {
            Route route = Client.route(origin.port());

            Recorder recorder = client.ready(route);

            assertThat(recorder.stream.endpoint().address()).isEqualTo(address("127.0.0.1"));
            client.run(recorder.stream::abort);
        }
    }

    @Test
    void doesNotGuardWhatTheOperatorConfigured() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("127.0.0.1"), denying("127.0.0.0/8"))) {
            assertThat(client.get(Route.configured(Destination.named("token.test", origin.port(), false))))
                    .isEqualTo("ok");
        }
    }

    @Test
    void dialsLiteralsWithoutAskingForThem() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        NameLookup counting = (loop, host) -> {
            asked.incrementAndGet();
            return loop.newSucceededFuture(List.of());
        };
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(counting, Client.NO_GUARD)) {
            Destination literal = Destinations.parse("127.0.0.1", origin.port(), false);

            assertThat(client.get(Route.chosenByWorkload(literal, "ci", Client.SOMEBODY)))
                    .isEqualTo("ok");
            assertThat(asked).hasValue(0);
        }
    }

    @Test
    void triesTheNextAddressWhenOneRefuses() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("127.0.0.9", "127.0.0.1"), Client.NO_GUARD)) {
            assertThat(client.get(Client.route(origin.port()))).isEqualTo("ok");
        }
    }

    /** 192.0.2.1 (RFC 5737) does not answer, or is unreachable at once: either way the second address serves. */
    @Test
    void triesTheNextAddressWhenOneDoesNotAnswer() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("192.0.2.1", "127.0.0.1"), Client.NO_GUARD)) {
            assertThat(client.get(Client.route(origin.port()))).isEqualTo("ok");
        }
    }

    @Test
    void saysThatTheConnectionWasRefused() throws Exception {
        try (Client client = client(always("127.0.0.1"), Client.NO_GUARD)) {
            UpstreamFailure failure = failure(client, Client.route(Client.unusedPort()));

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(failure.message()).endsWith(": connection refused");
            assertThat(client.pools.stats().dialFailures()).isOne();
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @Test
    void failsWhenTheNameCannotBeResolved() {
        NameLookup unknown = (loop, host) -> loop.newFailedFuture(new UnknownHostException("secret detail"));
        try (Client client = client(unknown, Client.NO_GUARD)) {
            UpstreamFailure failure = failure(client, Client.route(443));

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
            assertThat(failure.message()).startsWith("origin.test:443: ").doesNotContain("secret detail");
        }
    }

    @Test
    void failsWhenTheNameIsNotResolvedInTime() {
        Client.Limits limits = new Client.Limits();
        limits.connect = Duration.ofMillis(20);
        NameLookup never = (loop, host) -> loop.newPromise();
        try (Client client = new Client(limits.profile(never, null, Client.NO_GUARD))) {
            assertThat(failure(client, Client.route(443)).kind()).isEqualTo(Kind.UPSTREAM_UNREACHABLE);
        }
    }

    @Test
    void cancelsTheLookupAndGivesTheSlotBack() throws Exception {
        Client.Limits limits = new Client.Limits();
        limits.perOrigin = 1;
        AtomicReference<Promise<List<InetAddress>>> first = new AtomicReference<>();
        NameLookup names = new NameLookup() {
            @Override
            public Future<List<InetAddress>> resolveAll(EventLoop loop, String host) {
                return first.compareAndSet(null, loop.newPromise())
                        ? first.get()
                        : loop.newSucceededFuture(List.of(Client.LOOPBACK));
            }
        };
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = new Client(limits.profile(names, null, Client.NO_GUARD))) {
            Recorder cancelled = new Recorder();
            Runnable cancel = client.open(Client.route(origin.port()), cancelled);

            cancel.run();

            assertThat(first.get().isCancelled()).isTrue();
            assertThat(client.get(Client.route(origin.port()))).isEqualTo("ok");
            assertThat(cancelled.isSilent()).isTrue();
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @Test
    void leavesNothingBehindWhenCancelledWhileConnecting() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readToEnd();
                    ended.incrementAndGet();
                });
                Client client = Client.plain()) {
            Recorder recorder = new Recorder();

            client.run(() -> client.pools
                    .open(client.loop, Client.route(origin.port()), recorder)
                    .run());

            await().until(() -> ended.get() == origin.connections());
            assertThat(recorder.isSilent()).isTrue();
            assertThat(client.pools.stats().active()).isZero();
            assertThat(client.pools.stats().dialFailures()).isOne();
        }
    }

    @Test
    void cancellingAfterReadyDoesNothing() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = Client.plain()) {
            Recorder recorder = new Recorder();
            Runnable cancel = client.open(Client.route(origin.port()), recorder);
            recorder.await(Recorder.Ready.class);

            cancel.run();

            client.run(() -> recorder.stream.head(Client.head("GET", 0), true));
            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("ok");
        }
    }

    @Test
    void skipsFarAddressesWhereOnlyNearOnesWillDo() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("224.0.0.1", "127.0.0.1"), Client.NO_GUARD)) {
            Recorder recorder = client.ready(Client.route(origin.port()).toNearAddresses());

            assertThat(recorder.stream.endpoint().address()).isEqualTo(address("127.0.0.1"));
            client.run(recorder.stream::abort);
        }
    }

    @Test
    void refusesFarAddressesBeforeConnectingWhereOnlyNearOnesWillDo() throws Exception {
        try (Client client = client(always("224.0.0.1", "ff02::1"), Client.NO_GUARD)) {
            UpstreamFailure failure = failure(client, Client.route(80).toNearAddresses());

            assertThat(failure.kind()).isEqualTo(Kind.PLAINTEXT_CREDENTIAL);
            assertThat(failure.kind().status()).isEqualTo(403);
        }
    }

    @Test
    void sharesNoConnectionWithARouteThatMayGoFar() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(always("127.0.0.1"), Client.NO_GUARD)) {
            client.get(Client.route(origin.port()));
            client.get(Client.route(origin.port()).toNearAddresses());

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    /** Takes what waits for this server, and fails when one of them is still open at the other end. */
    private static void assertEndsAllThatWaits(ServerSocket server) throws IOException {
        server.setSoTimeout(4000); // a connection that is still wanted is tried again after a second
        while (true) {
            try (Socket waiting = server.accept()) {
                waiting.setSoTimeout(2000);
                assertThat(waiting.getInputStream().read())
                        .as("end of a connection")
                        .isEqualTo(-1);
            } catch (SocketTimeoutException nobody) {
                if (nobody.getMessage().contains("Accept")) {
                    return;
                }
                throw nobody;
            } catch (SocketException reset) {
                // an end too
            }
        }
    }

    /** The first address takes no connection while its queue is full; the second one wins, and only it stays open. */
    @Test
    @Tag("long")
    void closesTheLosersOfARace() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                ServerSocket full = new ServerSocket(origin.port(), 1, address("127.0.0.9"));
                Client client = client(always("127.0.0.9", "127.0.0.1"), Client.NO_GUARD)) {
            List<SocketChannel> queued = new ArrayList<>();
            try {
                for (int i = 0; i < 16; i++) {
                    SocketChannel filler = SocketChannel.open();
                    queued.add(filler);
                    filler.configureBlocking(false);
                    filler.connect(full.getLocalSocketAddress());
                }
                Recorder recorder = client.ready(Client.route(origin.port()));

                assertThat(recorder.stream.endpoint().address()).isEqualTo(address("127.0.0.1"));
                for (SocketChannel filler : queued) {
                    filler.close();
                }
                assertEndsAllThatWaits(full);
                client.run(recorder.stream::abort);
            } finally {
                for (SocketChannel filler : queued) {
                    filler.close();
                }
            }
        }
    }
}
