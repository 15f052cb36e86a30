package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** A connection and its pool's state about it. Confined to the pool's loop. */
final class PooledConnection implements UpstreamConnection.Owner {

    private final LoopPool pool;
    private final PoolKey key;
    private final LazyTimer idleTimer;
    private final long bornNanos = System.nanoTime();
    private UpstreamProfile profile;
    private @Nullable UpstreamConnection connection;
    private @Nullable ConnectionAttempt settling;
    private boolean ready;
    private boolean idling;

    /** The neighbours in {@link IdleList}. */
    @Nullable PooledConnection idleBefore;

    @Nullable PooledConnection idleAfter;

    PooledConnection(LoopPool pool, PoolKey key, UpstreamProfile profile, EventLoop loop) {
        this.pool = pool;
        this.key = key;
        this.profile = profile;
        this.idleTimer = new LazyTimer(loop, this::retire);
    }

    void attach(UpstreamConnection made) {
        connection = made;
    }

    /**
     * Sets the attempt to be notified when the connection becomes available for the first time, or closes before that.
     */
    void settling(ConnectionAttempt opening) {
        settling = opening;
    }

    PoolKey key() {
        return key;
    }

    /** Begins an exchange. Calls to hosts that the operator configured have limits of their own. */
    void begin(UpstreamListener listener, UpstreamProfile current) {
        stopIdling();
        UpstreamConnection held = connection;
        if (held != null) {
            held.begin(listener, key.guarded() ? current.timeouts() : null);
        }
    }

    /** Whether the connection may take another exchange under this profile now, once it has room. */
    boolean isUsable(UpstreamProfile current, long now) {
        UpstreamConnection held = connection;
        return held != null
                && held.isAlive()
                && remaining(current, now) > 0
                && (isSame(profile, current) || satisfies(held, current));
    }

    private boolean satisfies(UpstreamConnection held, UpstreamProfile current) {
        boolean sameTrust = !key.destination().secure() || isSame(profile.tls(), current.tls());
        var address = held.remoteAddress();
        boolean denied = key.guarded() && current.guard().denies(address.getAddress(), address.getPort());
        if (!sameTrust || denied) {
            return false;
        }
        profile = current;
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // a profile is replaced, never changed
    private static boolean isSame(Object one, Object other) {
        return one == other;
    }

    boolean hasRoom() {
        UpstreamConnection held = connection;
        return held != null && held.hasRoom();
    }

    boolean isIdle() {
        UpstreamConnection held = connection;
        return held != null && held.isIdle();
    }

    /** Whether the pool may hand out this connection. */
    boolean isReady() {
        return ready;
    }

    void ready(boolean now) {
        ready = now;
        if (!now) {
            stopIdling();
        }
    }

    void startIdling(UpstreamProfile current, long now) {
        if (!idling) {
            idling = true;
            pool.idle().add(this);
            pool.pools().stats().idle.increment();
        }
        idleTimer.set(
                now,
                Math.min(remaining(current, now), current.limits().idleTimeout().toNanos()));
    }

    private void stopIdling() {
        idleTimer.clear();
        if (idling) {
            idling = false;
            pool.idle().remove(this);
            pool.pools().stats().idle.decrement();
        }
    }

    /** How much of the age that the profile allows remains, in nanoseconds. */
    private long remaining(UpstreamProfile current, long now) {
        return current.limits().maxConnectionAge().toNanos() - (now - bornNanos);
    }

    /** Closes the connection as soon as it is idle. */
    void retire() {
        UpstreamConnection current = connection;
        if (current != null) {
            current.retire();
        }
    }

    @Override
    public void available() {
        ConnectionAttempt opening = settling;
        if (opening != null) {
            settling = null;
            opening.settled(this);
        }
        pool.offer(this);
    }

    @Override
    public void requiresHttp1() {
        pool.versions().learn(key, OriginVersions.Version.HTTP_1_1_DEMANDED);
    }

    @Override
    public void silent() {
        ConnectionAttempt opening = settling;
        settling = null;
        if (opening != null) {
            opening.silent();
        }
    }

    @Override
    public void closed() {
        idleTimer.cancel();
        stopIdling();
        connection = null;
        ConnectionAttempt opening = settling;
        settling = null;
        pool.closed(this);
        if (opening != null) {
            opening.unsettled();
        }
    }
}
