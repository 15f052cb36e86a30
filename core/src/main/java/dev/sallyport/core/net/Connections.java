package dev.sallyport.core.net;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The open connections of all listeners: counted, capped, drained. Thread-safe. */
final class Connections {

    /** Tells the stages of a connection that it should end as soon as it is idle. */
    enum Drain {
        DRAIN
    }

    private final int limit;
    private final Runnable belowLimit;
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger aborted = new AtomicInteger();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private volatile boolean draining;

    Connections(int limit, Runnable belowLimit) {
        this.limit = limit;
        this.belowLimit = belowLimit;
    }

    /** Counts a connection that is being accepted. */
    void add(Channel channel) {
        open.add(channel);
        count.incrementAndGet();
        channel.closeFuture().addListener(closed -> remove(channel));
        if (draining) {
            channel.close();
        }
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

    /** Ends idle connections, lets busy ones finish, and closes what is left when the time is over. */
    CompletionStage<DrainReport> drain(Duration time) {
        draining = true;
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

    private void abort() {
        for (Channel channel : open) {
            aborted.incrementAndGet();
            channel.close();
        }
    }
}
