package dev.sallyport.core.upstream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One exchange's way to a connection that no pool holds ready: a slot of the origin, then a dial. Ends in exactly one of
 * ready, failure and cancel. Confined to its loop.
 */
final class Opening implements OriginLimits.Waiter, Dial.Result {

    private final LoopPool pool;
    private final Route route;
    private final PoolKey key;
    private final UpstreamListener listener;
    private @Nullable Dial dial;
    private @Nullable ScheduledFuture<?> waitLimit;
    private boolean over;

    Opening(LoopPool pool, Route route, PoolKey key, UpstreamListener listener) {
        this.pool = pool;
        this.route = route;
        this.key = key;
        this.listener = listener;
    }

    void start() {
        UpstreamSettings settings = pool.pools().profile().settings();
        if (pool.pools().isClosed()) {
            later(overloaded("the proxy is shutting down"));
        } else if (limits().tryAcquire(key.destination(), settings.maxConnectionsPerOrigin())) {
            dial();
        } else if (limits().await(this, settings.maxConnectionsPerOrigin(), settings.maxWaitingPerOrigin())) {
            pool.pools().stats().waiting.increment();
            waitLimit =
                    loop().schedule(this::waitedTooLong, settings.waitTimeout().toNanos(), TimeUnit.NANOSECONDS);
            pool.pools().yieldIdle(key);
        } else {
            later(overloaded("too many connections, and too many exchanges wait for one"));
        }
    }

    /** Ends the opening without a word to the listener. */
    void cancel() {
        if (over) {
            return;
        }
        over = true;
        if (waitLimit != null) {
            stopWaiting();
            limits().withdraw(this); // else granted() gives the slot back
        } else if (dial != null) {
            dial.cancel();
            pool.pools().stats().dialFailures.increment();
            limits().release(key.destination());
        }
    }

    @Override
    public EventLoop loop() {
        return pool.loop();
    }

    @Override
    public PoolKey key() {
        return key;
    }

    @Override
    public void granted() {
        if (over) {
            limits().release(key.destination());
        } else {
            stopWaiting();
            dial();
        }
    }

    /** A connection was handed over, and the place in the queue is gone with it. */
    void served(PoolEntry entry) {
        over = true;
        stopWaiting();
        pool.pools().stats().reuses.increment();
        entry.begin(listener, pool.pools().profile());
    }

    private void waitedTooLong() {
        if (limits().withdraw(this)) {
            over = true;
            stopWaiting();
            listener.onFailure(overloaded("too many connections: none became free in time"));
        }
    }

    private void stopWaiting() {
        ScheduledFuture<?> limit = waitLimit;
        if (limit != null) {
            limit.cancel(false);
            waitLimit = null;
            pool.pools().stats().waiting.decrement();
        }
    }

    private void dial() {
        pool.pools().stats().dials.increment();
        Dial started = new Dial(loop(), pool.pools().profile(), route, this);
        dial = started;
        started.start();
    }

    @Override
    public void connected(Channel channel, UpstreamProfile profile) {
        if (!channel.isActive()) {
            failed(new UpstreamFailure(
                    UpstreamFailure.Kind.UPSTREAM_UNREACHABLE,
                    key.destination() + ": closed at once",
                    UpstreamFailure.Repeat.NEVER));
            return;
        }
        over = true;
        dial = null;
        PoolEntry entry = new PoolEntry(pool, key, profile, loop());
        pool.pools().stats().open.increment();
        entry.attach(Http1Connection.install(channel, profile.settings().maxHeadBytes(), key.destination(), entry));
        entry.begin(listener, pool.pools().profile());
    }

    @Override
    public void failed(UpstreamFailure failure) {
        over = true;
        dial = null;
        pool.pools().stats().dialFailures.increment();
        limits().release(key.destination());
        listener.onFailure(failure);
    }

    private void later(UpstreamFailure failure) {
        loop().execute(() -> {
            if (!over) {
                over = true;
                listener.onFailure(failure);
            }
        });
    }

    private UpstreamFailure overloaded(String why) {
        return new UpstreamFailure(
                UpstreamFailure.Kind.OVERLOADED, key.destination() + ": " + why, UpstreamFailure.Repeat.NEVER);
    }

    private OriginLimits limits() {
        return pool.pools().limits();
    }
}
