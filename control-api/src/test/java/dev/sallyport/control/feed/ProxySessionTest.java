package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a proxy is told, and when. */
@Timeout(60)
class ProxySessionTest {

    private static final ProxySession.Watch NOBODY = new ProxySession.Watch() {
        @Override
        public void sent() {}

        @Override
        public void progressed() {}

        @Override
        public void hungry() {}
    };

    private final Compiled pipeline = Compiler.refusing(List.of());
    private final List<String> told = new CopyOnWriteArrayList<>();

    private class Told implements ProxySession.Receiver {

        @Override
        public void snapshot(ProxySession session, Snapshot snapshot) {
            told.add("snapshot");
        }

        @Override
        public void beat(ProxySession.@Nullable Standing standing) {
            told.add(standing == null ? "busy" : "heartbeat");
        }
    }

    private static ProxySession session(String held, ProxySession.Receiver receiver) {
        return new ProxySession("p", () -> Optional.of(new Scope("o", List.of())), held, receiver, NOBODY);
    }

    @Test
    void nothingIsVouchedForUntilItHasBeenCompared() {
        ProxySession session = session(pipeline.hash(), new Told());

        session.beat(true);
        assertThat(session.behindNanos()).isPositive();
        session.offer(Snapshot.of(1, pipeline, Credentials.NONE));
        session.beat(true);
        session.beat(false);
        session.doubt();
        session.unchanged(2);
        session.beat(true);

        assertThat(told).containsExactly("busy", "heartbeat", "busy", "busy");
        assertThat(session.applied()).isEqualTo(1);
    }

    @Test
    void aProxyIsFreeWhenNothingIsOnItsWayAndItHasRested() {
        ProxySession session = session("", new Told());

        assertThat(session.isFree()).isTrue();
        session.offer(Snapshot.of(1, pipeline, Credentials.NONE));
        session.rest(Duration.ofHours(1));
        assertThat(session.freeNanos()).isEqualTo(Long.MAX_VALUE);
        session.acknowledge(1);

        assertThat(session.isFree()).isFalse();
        assertThat(session.freeNanos()).isBetween(1L, Duration.ofHours(1).toNanos());
        assertThat(session.applied()).isEqualTo(1);
        session.rest(Duration.ZERO);
        assertThat(session.isFree()).isTrue();
    }

    /** What the proxy has then is that of the snapshot, and not what the heartbeat says. */
    @Test
    void aHeartbeatDoesNotOvertakeASnapshot() throws Exception {
        Thread[] beating = new Thread[1];
        ProxySession session = session("", new Told() {
            @Override
            public void snapshot(ProxySession session, Snapshot snapshot) {
                Thread beat = Thread.ofPlatform().start(() -> session.beat(true));
                beating[0] = beat;
                while (beat.isAlive() && beat.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
                super.snapshot(session, snapshot);
            }
        });

        session.offer(Snapshot.of(1, pipeline, Credentials.NONE));
        beating[0].join();

        assertThat(told).containsExactly("snapshot", "busy");
    }

    @Test
    void theSnapshotOnItsWayAndTheOneAcknowledgedLastAreKnown() {
        ProxySession session = session("", new Told());
        Snapshot first = Snapshot.of(1, pipeline, Credentials.NONE);
        session.offer(first);
        assertThat(session.sent(1)).isSameAs(first);
        assertThat(session.sent(2)).isNull();

        session.acknowledge(1);

        assertThat(session.sent(1)).isSameAs(first);
    }
}
