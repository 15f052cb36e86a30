package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The upstream side of one proxy: a pool of connections for each event loop, shared by all pipeline generations.
 * Thread-safe.
 */
public final class UpstreamPools implements Upstreams, AutoCloseable {

    private final ConcurrentHashMap<EventLoop, LoopPool> pools = new ConcurrentHashMap<>();
    private final OriginLimits limits = new OriginLimits();
    private final UpstreamStats stats = new UpstreamStats();
    private final DialTimers timers;
    private volatile UpstreamProfile profile;
    private volatile boolean closed;

    /** Creates empty pools. */
    public UpstreamPools(UpstreamProfile profile) {
        this(profile, DialTimers.NONE);
    }

    /** Creates empty pools that time their dials. */
    public UpstreamPools(UpstreamProfile profile, DialTimers timers) {
        this.profile = profile;
        this.timers = timers;
    }

    @Override
    public Runnable open(EventLoop loop, Route route, UpstreamListener listener) {
        LoopPool pool = pools.get(loop);
        if (pool == null) {
            pool = pools.computeIfAbsent(loop, key -> new LoopPool(key, this));
        }
        return pool.open(route, listener);
    }

    @Override
    public Runnable tunnel(EventLoop loop, Route route, TunnelListener listener) {
        TunnelAttempt attempt = new TunnelAttempt(loop, this, route, listener);
        attempt.start();
        return attempt::cancel;
    }

    @Override
    public Runnable check(EventLoop loop, Route route, RouteCheckListener listener) {
        RouteCheck check = new RouteCheck(loop, profile, route, listener);
        check.start();
        return check::cancel;
    }

    /**
     * Changes settings, trust or guard. Idle connections that the new profile does not allow are closed at once, busy
     * ones after their exchange.
     */
    public void reconfigure(UpstreamProfile next) {
        profile = next;
        onEveryLoop(LoopPool::evictUnusable);
    }

    /** The statistics so far. */
    public UpstreamStats stats() {
        return stats;
    }

    /** Closes idle connections; busy ones close after their exchange. Further exchanges are refused. */
    @Override
    public void close() {
        closed = true;
        onEveryLoop(LoopPool::evictUnusable);
    }

    boolean isClosed() {
        return closed;
    }

    UpstreamProfile profile() {
        return profile;
    }

    /** The number of loops that have a pool. */
    int loops() {
        return pools.size();
    }

    DialTimers timers() {
        return timers;
    }

    OriginLimits limits() {
        return limits;
    }

    /** Closes idle connections to an origin on all loops while exchanges wait for its slots. */
    void yieldIdle(PoolKey wanted) {
        onEveryLoop(pool -> pool.yieldIdle(wanted));
    }

    private void onEveryLoop(Consumer<LoopPool> task) {
        for (LoopPool pool : pools.values()) {
            if (!pool.loop().isShuttingDown()) {
                pool.loop().execute(() -> task.accept(pool));
            }
        }
    }
}
