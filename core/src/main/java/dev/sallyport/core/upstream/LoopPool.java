package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one loop. The one used last is used first, so that surplus connections grow old and close.
 * Confined to its loop.
 */
final class LoopPool {

    private final EventLoop loop;
    private final UpstreamPools pools;
    private final Map<PoolKey, ArrayDeque<PoolEntry>> idle = new HashMap<>();

    LoopPool(EventLoop loop, UpstreamPools pools) {
        this.loop = loop;
        this.pools = pools;
    }

    EventLoop loop() {
        return loop;
    }

    UpstreamPools pools() {
        return pools;
    }

    Runnable open(Route route, UpstreamListener listener) {
        PoolKey key = PoolKey.of(route);
        if (!route.fresh()) {
            PoolEntry entry = takeIdle(key);
            if (entry != null) {
                reuse(entry, listener);
                return LoopPool::nothing;
            }
        }
        Opening opening = new Opening(this, route, key, listener);
        opening.start();
        return opening::cancel;
    }

    /** What cancelling does once the listener has been called. */
    private static void nothing() {}

    private void reuse(PoolEntry entry, UpstreamListener listener) {
        pools.stats().reuses.increment();
        entry.begin(listener, pools.profile());
    }

    private @Nullable PoolEntry takeIdle(PoolKey key) {
        ArrayDeque<PoolEntry> entries = idle.get(key);
        if (entries == null) {
            return null;
        }
        UpstreamProfile profile = pools.profile();
        for (PoolEntry entry = entries.pollLast(); entry != null; entry = entries.pollLast()) {
            pools.stats().idle.decrement();
            if (entry.isUsable(profile)) {
                return entry;
            }
            entry.close();
        }
        return null;
    }

    /** Takes an entry back whose connection can serve another exchange. */
    void offer(PoolEntry entry) {
        UpstreamProfile profile = pools.profile();
        if (pools.isClosed() || !entry.isUsable(profile)) {
            entry.close();
            return;
        }
        if (pools.limits().isWanted(entry.key().destination())) {
            OriginLimits.Waiter waiter = pools.limits().takeFirst(loop, entry.key());
            if (waiter instanceof Opening opening) {
                opening.served(entry);
            } else {
                entry.close(); // its slot goes to the one whose turn it is
            }
            return;
        }
        idle.computeIfAbsent(entry.key(), key -> new ArrayDeque<>(4)).addLast(entry);
        pools.stats().idle.increment();
        entry.startIdling(profile);
    }

    /** Forgets a connection that has closed. */
    void closed(PoolEntry entry) {
        ArrayDeque<PoolEntry> entries = idle.get(entry.key());
        if (entries != null) {
            if (entries.removeLastOccurrence(entry)) {
                pools.stats().idle.decrement();
            }
            if (entries.isEmpty()) {
                idle.remove(entry.key());
            }
        }
        pools.stats().open.decrement();
        pools.limits().release(entry.key().destination());
    }

    /** Closes idle connections that the profile now in force would not have made. */
    void evictUnusable() {
        UpstreamProfile profile = pools.profile();
        for (PoolEntry entry : idleEntries()) {
            if (pools.isClosed() || !entry.isUsable(profile)) {
                entry.close();
            }
        }
    }

    /** Closes idle connections to an origin while others wait for its slots. */
    void yieldIdle(PoolKey wanted) {
        for (PoolEntry entry : idleEntries()) {
            if (entry.key().destination().equals(wanted.destination())
                    && pools.limits().isWanted(wanted.destination())) {
                entry.close();
            }
        }
    }

    /** A copy: closing changes the map. */
    private List<PoolEntry> idleEntries() {
        List<PoolEntry> entries = new ArrayList<>();
        idle.values().forEach(entries::addAll);
        return entries;
    }
}
