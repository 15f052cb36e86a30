package dev.sallyport.core.upstream;

import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.upstream.OriginLimits.Wait;
import dev.sallyport.core.upstream.OriginSlots.Share;
import dev.sallyport.core.upstream.OriginVersions.Version;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to open a connection: takes a slot of the origin, dials and, for HTTP/2, waits for the origin's settings.
 * Made for one exchange; others join it when it may become a shared connection, and leave when it does not. Each of
 * them ends in exactly one of ready, failure and cancel. Confined to its loop.
 */
final class ConnectionAttempt implements OriginLimits.Waiter, Dial.Result {

    private final LoopPool pool;
    private final Route route;
    private final PoolKey key;
    private final ArrayDeque<PendingAcquire> acquires = new ArrayDeque<>(1);
    private @Nullable Share share;
    private @Nullable Dial dial;
    private @Nullable ScheduledFuture<?> waitLimit;
    private boolean servedAny;
    private boolean over;

    ConnectionAttempt(LoopPool pool, Route route, PoolKey key) {
        this.pool = pool;
        this.route = route;
        this.key = key;
    }

    void start(PendingAcquire first) {
        add(first);
        ProxySection.Upstream allowed = pool.pools().profile().limits();
        if (pool.pools().isClosed()) {
            later(overloaded("the proxy is shutting down"));
            return;
        }
        share = limits().tryAcquire(key.destination(), client(), allowed.maxConnectionsPerOrigin());
        if (share != null) {
            dial();
        } else {
            await(allowed);
        }
    }

    private void await(ProxySection.Upstream allowed) {
        Wait wait = limits().await(this, allowed.maxConnectionsPerOrigin(), allowed.maxWaitingPerOrigin());
        if (wait == Wait.REFUSED) {
            later(overloaded("too many connections, and too many exchanges wait for one"));
            return;
        }
        pool.pools().stats().waiting.increment();
        waitLimit = loop().schedule(this::waitedTooLong, allowed.waitTimeout().toNanos(), TimeUnit.NANOSECONDS);
        if (wait == Wait.BLOCKED) {
            pool.pools().yieldIdle(key);
        }
    }

    /** Lets another exchange join, unless so many have that one connection will not serve them all. */
    boolean join(PendingAcquire acquire) {
        if (over || acquires.size() >= OriginHttp2FrameHandler.MAX_STREAMS) {
            return false;
        }
        add(acquire);
        return true;
    }

    private void add(PendingAcquire acquire) {
        acquires.addLast(acquire);
        acquire.joined(this);
    }

    private @Nullable PendingAcquire next() {
        PendingAcquire acquire = acquires.pollFirst();
        if (acquire != null) {
            acquire.left();
        }
        return acquire;
    }

    /**
     * Removes an exchange that was given up. An attempt without exchanges is abandoned, unless its connection is open.
     */
    void leave(PendingAcquire acquire) {
        acquires.remove(acquire);
        if (over || !acquires.isEmpty()) {
            return;
        }
        if (waitLimit != null) {
            over = true;
            stopWaiting();
            limits().withdraw(this); // otherwise granted() returns the slot
        } else if (dial != null) {
            end();
            dial.cancel();
            pool.pools().stats().dialFailures.increment();
            limits().release(key.destination(), share);
        }
    }

    private void end() {
        over = true;
        pool.withdraw(this);
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
    public Object client() {
        return route.client();
    }

    @Override
    public void granted(Share from) {
        if (over) {
            limits().release(key.destination(), from);
        } else {
            share = from;
            stopWaiting();
            dial();
        }
    }

    /** The attempt was served by a connection that became free, and has left the queue of its origin. */
    void served(PooledConnection entry) {
        over = true;
        stopWaiting();
        for (PendingAcquire acquire = next(); acquire != null; acquire = next()) {
            pool.pools().stats().reuses.increment();
            entry.begin(
                    acquire.listener(), acquire.route().client(), pool.pools().profile());
        }
    }

    private void waitedTooLong() {
        if (limits().withdraw(this)) {
            over = true;
            stopWaiting();
            failAll(overloaded("too many connections: none became free in time"));
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
        pool.announce(this);
        UpstreamPools pools = pool.pools();
        Dial started = new Dial(loop(), pools.profile(), route, key.parentRoute(), layer(), pools.timers(), this);
        dial = started;
        started.start();
    }

    private Dial.Layer layer() {
        return switch (key.versions()) {
            case HTTP_1_1 -> Dial.Layer.HTTP_1_1;
            case HTTP_1_1_IN_HALVES -> Dial.Layer.HTTP_1_1_IN_HALVES;
            case NEGOTIATED, PRIOR_KNOWLEDGE ->
                pool.versions().of(key) == Version.HTTP_1_1_DEMANDED ? Dial.Layer.HTTP_1_1 : Dial.Layer.NEGOTIATED;
        };
    }

    @Override
    public void connected(Channel channel, UpstreamProfile profile, OriginEndpoint endpoint) {
        if (!channel.isActive()) {
            failed(unreachable("closed at once", Repeat.NEVER));
            return;
        }
        dial = null;
        PooledConnection entry = new PooledConnection(pool, key, profile, Objects.requireNonNull(share, "share"));
        pool.pools().stats().open.increment();
        if (speaksHttp2(channel)) {
            entry.settling(this);
            entry.attach(OriginHttp2Connection.install(channel, profile, key.destination(), endpoint, entry));
            if (key.destination().secure()) {
                serveNext(entry); // the handshake has told enough
            }
        } else {
            end();
            pool.versions().learn(key, Version.HTTP_1_1);
            entry.attach(OriginHttp1Connection.install(
                    channel,
                    profile.limits().headerBytes().toInt(),
                    key.destination(),
                    endpoint,
                    key.parentRoute().forwarded(),
                    entry));
            PendingAcquire first = next();
            scatter();
            if (first != null) {
                entry.begin(
                        first.listener(), first.route().client(), pool.pools().profile());
            }
        }
    }

    private boolean speaksHttp2(Channel channel) {
        SslHandler tls = OriginTlsHandshakeHandler.tls(channel);
        return tls == null ? pool.maySpeakHttp2(key) : "h2".equals(tls.applicationProtocol());
    }

    private void serveNext(PooledConnection entry) {
        PendingAcquire acquire = next();
        if (acquire != null) {
            servedAny = true;
            entry.begin(
                    acquire.listener(), acquire.route().client(), pool.pools().profile());
        }
    }

    /** The origin's SETTINGS have arrived. */
    void settled(PooledConnection entry) {
        end();
        pool.versions().learn(key, Version.HTTP_2);
        while (!acquires.isEmpty() && entry.hasRoom()) {
            serveNext(entry);
        }
        if (servedAny) {
            scatter();
        } else {
            failAll(overloaded("the origin takes no streams"));
        }
    }

    /**
     * The connection has closed before the origin's SETTINGS. In cleartext this shows that the origin does not speak
     * HTTP/2.
     */
    void unsettled() {
        end();
        if (key.destination().secure()) {
            failAll(unreachable("closed before it was ready", Repeat.UNPROCESSED));
        } else {
            pool.versions().learn(key, Version.HTTP_1_1);
            scatter();
        }
    }

    /**
     * The origin has sent nothing in time. An attempt with another protocol would wait just as long, so none follows.
     */
    void silent() {
        end();
        failAll(new UpstreamFailure(
                UpstreamFailure.Kind.UPSTREAM_TIMEOUT, key.destination() + ": no HTTP/2 frame in time", Repeat.NEVER));
    }

    /** Sends the remaining waiters elsewhere. */
    private void scatter() {
        List<PendingAcquire> rest = List.copyOf(acquires);
        acquires.clear();
        for (PendingAcquire acquire : rest) {
            acquire.left();
            pool.seek(key, acquire);
        }
    }

    @Override
    public void failed(UpstreamFailure failure) {
        end();
        dial = null;
        pool.pools().stats().dialFailures.increment();
        limits().release(key.destination(), share);
        failAll(failure);
    }

    private void failAll(UpstreamFailure failure) {
        for (PendingAcquire acquire = next(); acquire != null; acquire = next()) {
            acquire.listener().onFailure(failure);
        }
    }

    private void later(UpstreamFailure failure) {
        over = true;
        loop().execute(() -> failAll(failure));
    }

    private UpstreamFailure overloaded(String why) {
        return new UpstreamFailure(UpstreamFailure.Kind.OVERLOADED, key.destination() + ": " + why, Repeat.NEVER);
    }

    private UpstreamFailure unreachable(String why, Repeat repeat) {
        return new UpstreamFailure(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, key.destination() + ": " + why, repeat);
    }

    private OriginLimits limits() {
        return pool.pools().limits();
    }
}
