package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Gone;
import dev.sallyport.core.tls.Reset;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The open connections of all listeners: counted, capped, drained. Thread-safe. */
final class Connections {

    /** Tells the stages of a connection that it should end as soon as it is idle, or why it has ended. */
    enum Drain {
        DRAIN,
        CUT_OFF
    }

    private static final AttributeKey<Drain> DRAINING = AttributeKey.valueOf(Connections.class, "draining");

    private final Runnable belowLimit;
    private final ConcurrentHashMap<Peer, Integer> admitted = new ConcurrentHashMap<>();
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger aborted = new AtomicInteger();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private volatile int limit;
    private volatile int limitPerAddress;
    private volatile boolean draining;

    /**
     * Whose connections are counted together. Whoever has one address of IPv6 has the 2^64 that begin alike.
     *
     * @param bits the address, or the first half of it
     */
    record Peer(long bits, boolean v6) {

        static Peer of(InetAddress address) {
            ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
            return address instanceof Inet6Address ? new Peer(bytes.getLong(), true) : new Peer(bytes.getInt(), false);
        }

        // Written out, since the first connection waits while Java makes what it would generate.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Peer peer && peer.bits == bits && peer.v6 == v6;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(bits) + (v6 ? 1 : 0);
        }
    }

    Connections(HttpLimits limits, Runnable belowLimit) {
        this.limit = limits.maxConnections();
        this.limitPerAddress = limits.maxConnectionsPerAddress();
        this.belowLimit = belowLimit;
    }

    /** Changes what may be open; what is stays. */
    void reconfigure(HttpLimits limits) {
        limit = limits.maxConnections();
        limitPerAddress = limits.maxConnectionsPerAddress();
        if (!full()) {
            belowLimit.run();
        }
    }

    /** Whether its address may have one connection more; counts it until it closes. */
    boolean admits(Channel channel, InetAddress address) {
        Peer peer = Peer.of(address);
        int most = limitPerAddress == 0 ? Integer.MAX_VALUE : limitPerAddress;
        boolean[] admits = {false};
        admitted.compute(peer, (key, known) -> {
            int count = known == null ? 0 : known;
            admits[0] = count < most;
            return admits[0] ? Integer.valueOf(count + 1) : known;
        });
        if (admits[0]) {
            channel.closeFuture()
                    .addListener(
                            closed -> admitted.computeIfPresent(peer, (key, count) -> count == 1 ? null : count - 1));
        }
        return admits[0];
    }

    /** Counts a connection that is being accepted, unless none is any more: then it is the caller's to close. */
    boolean add(Channel channel) {
        if (draining) {
            return false;
        }
        open.add(channel);
        count.incrementAndGet();
        channel.closeFuture().addListener(closed -> remove(channel));
        return true;
    }

    private void remove(Channel channel) {
        open.remove(channel);
        int left = count.decrementAndGet();
        if (left == limit - 1) {
            belowLimit.run();
        }
        if (left == 0 && draining) {
            empty.complete(null);
        }
    }

    /** Whether it should end as soon as it is idle; true before the first of all connections is told so. */
    static boolean isDraining(Channel channel) {
        return channel.hasAttr(DRAINING);
    }

    /** Why nobody is left to answer on a connection that has closed, as far as that was the drain's doing. */
    static Gone gone(Channel channel, Gone otherwise) {
        return isDraining(channel) && channel.attr(DRAINING).get() == Drain.CUT_OFF ? Gone.CUT_OFF : otherwise;
    }

    int count() {
        return count.get();
    }

    boolean full() {
        return count.get() >= limit;
    }

    /**
     * Tells every connection to end when its exchange does; no more are taken. Before the listeners close: that resets
     * who waits in their queues, so it is seen from outside, and no answer after it may promise another one.
     */
    void announce() {
        draining = true;
        open.forEach(channel -> channel.attr(DRAINING).set(Drain.DRAIN));
    }

    /** Ends idle connections, lets busy ones finish, and closes what is left when the time is over. */
    CompletionStage<DrainReport> drain(Duration time) {
        announce();
        int found = count.get();
        for (Channel channel : open) {
            if (channel.isRegistered()) {
                channel.eventLoop().execute(() -> channel.pipeline().fireUserEventTriggered(Drain.DRAIN));
            } else {
                channel.close();
            }
        }
        if (count.get() == 0) {
            empty.complete(null);
        }
        return empty.copy()
                .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS)
                .thenCompose(ignored -> {
                    abort();
                    return empty;
                })
                .thenApply(ignored -> new DrainReport(found - Math.min(found, aborted.get()), aborted.get()));
    }

    /** Without a goodbye of TLS, for which somebody who does not read would be waited for. */
    private static void cutOff(Channel channel) {
        if (channel.isActive()) {
            Reset.reset(channel);
        }
    }

    private void abort() {
        for (Channel channel : open) {
            aborted.incrementAndGet();
            channel.attr(DRAINING).set(Drain.CUT_OFF);
            if (channel.isRegistered()) {
                channel.eventLoop().execute(() -> cutOff(channel));
            } else {
                channel.close();
            }
        }
    }
}
