package dev.sallyport.core.net;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.net.connection.ClientAddress;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.tls.ConnectionReset;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The open connections of all listeners: counted, capped, drained. Thread-safe. */
public final class ClientConnections {

    private final Runnable belowLimit;
    private final ConcurrentHashMap<ClientAddress, Integer> admitted = new ConcurrentHashMap<>();
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger aborted = new AtomicInteger();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private volatile int limit;
    private volatile int limitPerAddress;
    private volatile boolean draining;

    ClientConnections(ProxyLimits limits, Runnable belowLimit) {
        this.limit = limits.maxConnections();
        this.limitPerAddress = limits.maxConnectionsPerAddress();
        this.belowLimit = belowLimit;
    }

    /** Changes the limits; open connections are kept. */
    void reconfigure(ProxyLimits limits) {
        limit = limits.maxConnections();
        limitPerAddress = limits.maxConnectionsPerAddress();
        if (!full()) {
            belowLimit.run();
        }
    }

    /** Whether the client's address may have another connection; if so, counts it until it closes. */
    boolean admits(Channel channel, InetAddress address) {
        ClientAddress peer = ClientAddress.of(address);
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

    /** Counts an accepted connection. Returns false while draining; the caller then closes it. */
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

    int count() {
        return count.get();
    }

    boolean full() {
        return count.get() >= limit;
    }

    /**
     * Tells every connection to end with its exchange, and accepts no more. Called before the listeners close:
     * closing resets queued clients, so from then on no response may promise another.
     */
    void announce() {
        draining = true;
        open.forEach(channel -> ConnectionDrain.DRAIN.mark(channel));
    }

    /** Ends idle connections, lets busy ones finish, and closes the remaining ones when the time is over. */
    CompletionStage<DrainReport> drain(Duration time) {
        announce();
        int found = count.get();
        for (Channel channel : open) {
            if (channel.isRegistered()) {
                channel.eventLoop().execute(() -> channel.pipeline().fireUserEventTriggered(ConnectionDrain.DRAIN));
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

    /** Skips close_notify, which would wait for a peer that does not read. */
    private static void cutOff(Channel channel) {
        if (channel.isActive()) {
            ConnectionReset.reset(channel);
        }
    }

    private void abort() {
        for (Channel channel : open) {
            aborted.incrementAndGet();
            ConnectionDrain.CUT_OFF.mark(channel);
            if (channel.isRegistered()) {
                channel.eventLoop().execute(() -> cutOff(channel));
            } else {
                channel.close();
            }
        }
    }
}
