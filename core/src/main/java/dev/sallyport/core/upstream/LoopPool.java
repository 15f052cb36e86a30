package dev.sallyport.core.upstream;

import dev.sallyport.core.upstream.OriginVersions.Version;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one loop. The most recently used connection is used first, so that surplus connections become old
 * and close. Exchanges with an origin that may speak HTTP/2 wait together for one connection. Confined to its loop.
 */
final class LoopPool {

    private final EventLoop loop;
    private final UpstreamPools pools;
    private final OriginVersions versions = new OriginVersions();

    /** Connections that can take an exchange now: idle ones, and shared ones with room. */
    private final Map<PoolKey, ArrayDeque<PooledConnection>> ready = new HashMap<>();

    private final IdleList idle = new IdleList();

    /** Attempts that further exchanges can join. */
    private final Map<PoolKey, ConnectionAttempt> joinable = new HashMap<>();

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

    IdleList idle() {
        return idle;
    }

    OriginVersions versions() {
        return versions;
    }

    Runnable open(Route route, UpstreamListener listener) {
        PoolKey key = PoolKey.of(route, pools.profile().parents());
        if (!route.fresh()) {
            PooledConnection entry = takeReady(key);
            if (entry != null && entry.use(route.client())) {
                pools.stats().reuses.increment();
                serve(entry, listener, route.client());
                return LoopPool::nothing;
            } else if (entry != null) {
                keep(entry, pools.profile(), System.nanoTime());
            }
        }
        PendingAcquire acquire = new PendingAcquire(route, listener);
        seek(key, acquire);
        return acquire;
    }

    /** Cancels after the listener has been called. */
    private static void nothing() {}

    /** Joins an attempt, or makes one. */
    void seek(PoolKey key, PendingAcquire acquire) {
        ConnectionAttempt underWay = joinable.get(key);
        if (underWay == null || !underWay.join(acquire)) {
            new ConnectionAttempt(this, acquire.route(), key).start(acquire);
        }
    }

    /** Lets further exchanges join this attempt, if its connection may be shared. */
    void announce(ConnectionAttempt attempt) {
        if (maySpeakHttp2(attempt.key())) {
            joinable.put(attempt.key(), attempt);
        }
    }

    /** The attempt has ended. */
    void withdraw(ConnectionAttempt attempt) {
        joinable.remove(attempt.key(), attempt);
    }

    boolean maySpeakHttp2(PoolKey key) {
        Version known = versions.of(key);
        return !key.versions().isHttp1Alone() && (known == null || known == Version.HTTP_2);
    }

    /** Begins an exchange on a connection, which stays in the pool when it has room for more. */
    void serve(PooledConnection entry, UpstreamListener listener, Object client) {
        entry.begin(listener, client, pools.profile());
        if (entry.hasRoom()) {
            offer(entry);
        }
    }

    private @Nullable PooledConnection takeReady(PoolKey key) {
        ArrayDeque<PooledConnection> entries = ready.get(key);
        if (entries == null) {
            return null;
        }
        UpstreamProfile profile = pools.profile();
        long now = System.nanoTime();
        for (PooledConnection entry = entries.pollLast(); entry != null; entry = entries.pollLast()) {
            entry.ready(false);
            if (!entry.isUsable(profile, now)) {
                entry.retire();
            } else if (entry.hasRoom()) {
                return entry;
            }
        }
        return null;
    }

    /** Offers a connection with room: first to waiters for the origin, then to new exchanges. */
    void offer(PooledConnection entry) {
        UpstreamProfile profile = pools.profile();
        long now = System.nanoTime();
        while (true) {
            if (pools.isClosed() || !entry.isUsable(profile, now)) {
                forget(entry);
                entry.retire();
                return;
            }
            if (!entry.hasRoom()) {
                return;
            }
            boolean inUse = !entry.isIdle();
            if (!inUse) {
                entry.unuse();
            }
            if (!pools.limits().isWanted(entry.key().destination())) {
                break;
            }
            if (pools.limits().take(loop, entry.key(), inUse) instanceof ConnectionAttempt attempt) {
                entry.useInTurn(attempt.client());
                attempt.served(entry);
            } else if (inUse || !isInTheWay(entry)) {
                break;
            } else {
                forget(entry);
                entry.retire(); // its slot goes to the next waiter
                return;
            }
        }
        keep(entry, profile, now);
    }

    /** Whether somebody waits for the slot of a connection that has become idle. */
    private boolean isInTheWay(PooledConnection entry) {
        Destination origin = entry.key().destination();
        pools.limits().settle(origin);
        return pools.limits().isBlocked(origin);
    }

    private void keep(PooledConnection entry, UpstreamProfile profile, long now) {
        if (!entry.isReady()) {
            ready.computeIfAbsent(entry.key(), key -> new ArrayDeque<>(4)).addLast(entry);
            entry.ready(true);
        }
        if (entry.isIdle()) {
            entry.startIdling(profile, now);
            closeSurplus(profile.limits().maxIdleConnections());
        }
    }

    /** Each loop's share of the idle connections, at least one. */
    private void closeSurplus(int most) {
        int share = Math.max(1, most / pools.loops());
        for (PooledConnection oldest = idle.first(); idle.size() > share && oldest != null; oldest = idle.first()) {
            forget(oldest);
            oldest.retire();
        }
    }

    private void forget(PooledConnection entry) {
        if (entry.isReady()) {
            entry.ready(false);
            ArrayDeque<PooledConnection> entries = ready.get(entry.key());
            if (entries != null) {
                entries.removeLastOccurrence(entry);
            }
        }
    }

    /** Removes a connection that has closed. */
    void closed(PooledConnection entry) {
        forget(entry);
        ArrayDeque<PooledConnection> entries = ready.get(entry.key());
        if (entries != null && entries.isEmpty()) {
            ready.remove(entry.key());
        }
        pools.stats().open.decrement();
        pools.limits().release(entry.key().destination(), entry.share());
    }

    /** Retires connections that the profile now in force would not have made; they close once they are idle. */
    void evictUnusable() {
        UpstreamProfile profile = pools.profile();
        long now = System.nanoTime();
        for (PooledConnection entry : readyEntries()) {
            if (pools.isClosed() || !entry.isUsable(profile, now)) {
                forget(entry);
                entry.retire();
            }
        }
    }

    /** Closes idle connections to an origin while other exchanges wait for its slots. */
    void yieldIdle(PoolKey wanted) {
        for (PooledConnection entry : readyEntries()) {
            if (entry.isIdle()
                    && entry.key().destination().equals(wanted.destination())
                    && pools.limits().isBlocked(wanted.destination())) {
                entry.retire();
            }
        }
    }

    /** A copy: closing changes the map. */
    private List<PooledConnection> readyEntries() {
        List<PooledConnection> entries = new ArrayList<>();
        ready.values().forEach(entries::addAll);
        return entries;
    }
}
