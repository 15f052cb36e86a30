package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.testsupport.TestOrigin;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** No client takes all connections to an origin: one that gives none back leaves some to others. */
class OriginSharesTest {

    private static final TestOrigin.Script ECHO = peer -> {
        while (true) {
            peer.readHead();
            peer.ok("ok");
        }
    };

    private static final int MOST = 10;
    private static final int SHARE = 8;

    private final Object greedy = new Object();
    private final Object modest = new Object();

    private static Client client(int perOrigin) {
        return Client.with(limits -> {
            limits.perOrigin = perOrigin;
            limits.waiting = MOST;
            return limits;
        });
    }

    private static List<Recorder> ready(Client client, Route route, int times) {
        return IntStream.range(0, times).mapToObj(i -> client.ready(route)).toList();
    }

    private static Recorder asked(Client client, Route route) {
        Recorder recorder = new Recorder();
        client.open(route, recorder);
        return recorder;
    }

    private static void finish(Client client, Recorder exchange) {
        client.run(() -> exchange.stream.head(Client.head("GET", 0), true));
        exchange.await(Recorder.Head.class);
        exchange.await(Recorder.Ended.class);
    }

    @Test
    void oneClientGetsFourFifthsAndOthersTheRest() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(MOST)) {
            ready(client, Client.route(origin.port(), greedy), SHARE);
            Recorder more = asked(client, Client.route(origin.port(), greedy));

            client.ready(Client.route(origin.port(), modest));

            assertThat(more.isSilent()).isTrue();
            assertThat(client.pools.stats().waiting()).isOne();
        }
    }

    @Test
    void connectionsThatOthersHaveMadeAreNoWayAround() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(MOST)) {
            ready(client, Client.route(origin.port(), greedy), SHARE);
            client.get(Client.route(origin.port(), modest));

            Recorder more = asked(client, Client.route(origin.port(), greedy));

            assertThat(client.get(Client.route(origin.port(), modest))).isEqualTo("ok");
            assertThat(more.isSilent()).isTrue();
            assertThat(origin.connections()).isEqualTo(SHARE + 1);
        }
    }

    @Test
    void whatAClientGivesBackIsItsOwnAgain() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(MOST)) {
            List<Recorder> held = ready(client, Client.route(origin.port(), greedy), SHARE);
            Recorder more = asked(client, Client.route(origin.port(), greedy));

            finish(client, held.get(0));

            more.await(Recorder.Ready.class);
            assertThat(origin.connections()).isEqualTo(SHARE);
            assertThat(client.pools.stats().waiting()).isZero();
        }
    }

    @Test
    void aClientWhoseConnectionBreaksMayDialAgain() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(MOST)) {
            List<Recorder> held = ready(client, Client.route(origin.port(), greedy), SHARE);
            Recorder more = asked(client, Client.route(origin.port(), greedy));

            client.run(held.get(0).stream::abort);

            more.await(Recorder.Ready.class);
            assertThat(asked(client, Client.route(origin.port(), greedy)).isSilent())
                    .isTrue();
        }
    }

    @Test
    void whoWaitsIsServedInTurns() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(1)) {
            Recorder first = client.ready(Client.route(origin.port(), greedy));
            Recorder second = asked(client, Client.route(origin.port(), greedy));
            Recorder third = asked(client, Client.route(origin.port(), greedy));
            Recorder other = asked(client, Client.route(origin.port(), modest));

            finish(client, first);
            second.await(Recorder.Ready.class);
            finish(client, second);
            other.await(Recorder.Ready.class);
            assertThat(third.isSilent()).isTrue();
            finish(client, other);
            third.await(Recorder.Ready.class);

            assertThat(origin.connections()).isOne();
        }
    }

    @Test
    void oneClientDoesNotFillTheLine() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(1)) {
            client.ready(Client.route(origin.port(), greedy));
            List<Recorder> waiting = IntStream.range(0, SHARE)
                    .mapToObj(i -> asked(client, Client.route(origin.port(), greedy)))
                    .toList();

            Recorder refused = asked(client, Client.route(origin.port(), greedy));
            Recorder other = asked(client, Client.route(origin.port(), modest));

            assertThat(refused.failure().kind()).isEqualTo(Kind.OVERLOADED);
            assertThat(other.isSilent()).isTrue();
            assertThat(waiting).allMatch(Recorder::isSilent);
            assertThat(client.pools.stats().waiting()).isEqualTo(SHARE + 1);
        }
    }

    @Test
    void tunnelsCountLikeTheRest() throws Exception {
        try (TestOrigin origin = TestOrigin.of(ECHO);
                Client client = client(MOST)) {
            for (int i = 0; i < SHARE; i++) {
                assertThat(tunnel(client, Client.route(origin.port(), greedy))).isInstanceOf(Channel.class);
            }

            Object refused = tunnel(client, Client.route(origin.port(), greedy));
            Object other = tunnel(client, Client.route(origin.port(), modest));

            assertThat(refused)
                    .isInstanceOfSatisfying(
                            UpstreamFailure.class,
                            failure -> assertThat(failure.kind()).isEqualTo(Kind.OVERLOADED));
            assertThat(other).isInstanceOf(Channel.class);
        }
    }

    /** The channel, or the failure. */
    private static Object tunnel(Client client, Route route) throws InterruptedException {
        BlockingQueue<Object> outcome = new LinkedBlockingQueue<>();
        client.run(() -> client.pools.tunnel(client.loop, route, new TunnelListener() {
            @Override
            public void onConnected(Channel channel, OriginEndpoint endpoint) {
                outcome.add(channel);
            }

            @Override
            public void onFailure(UpstreamFailure failure) {
                outcome.add(failure);
            }
        }));
        return outcome.take();
    }
}
