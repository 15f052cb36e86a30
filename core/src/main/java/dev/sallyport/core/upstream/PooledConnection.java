package dev.sallyport.core.upstream;

import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.upstream.OriginSlots.Share;
import java.net.InetAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A connection and its pool's state about it. Confined to the pool's loop. */
final class PooledConnection implements UpstreamConnection.Owner {

    private final LoopPool pool;
    private final PoolKey key;
    private final OriginSlots slots;
    private final Deadline idleTimer;
    private final long bornNanos = System.nanoTime();
    private UpstreamProfile profile;

    /** For whom it is used; null while it is idle. */
    private @Nullable Share share;

    private @Nullable UpstreamConnection connection;
    private @Nullable ConnectionAttempt settling;
    private boolean ready;
    private boolean idling;

    /** The neighbours in {@link IdleList}. */
    @Nullable PooledConnection idleBefore;

    @Nullable PooledConnection idleAfter;

    /** @param share for whom it was made */
    PooledConnection(LoopPool pool, PoolKey key, UpstreamProfile profile, Share share) {
        this.pool = pool;
        this.key = key;
        this.slots = pool.pools().limits().slots(key.destination());
        this.profile = profile;
        this.share = share;
        this.idleTimer = new Deadline(pool.loop(), this::retire);
    }

    void attach(UpstreamConnection made) {
        connection = made;
    }

    /**
     * Sets the attempt to be notified when the connection becomes available for the first time, or closes before that.
     */
    void settling(ConnectionAttempt attempt) {
        settling = attempt;
    }

    PoolKey key() {
        return key;
    }

    /** For whom it is used; null while it is idle. */
    @Nullable Share share() {
        return share;
    }

    /** Has a client use it, unless it is idle and the client uses its share of such connections already. */
    boolean use(Object client) {
        if (isIdle()) {
            share = slots.use(client);
            return share != null;
        }
        return true;
    }

    /** Has a client use it whose turn it is. */
    void useInTurn(Object client) {
        if (isIdle()) {
            share = slots.useInTurn(client);
        }
    }

    /** Nobody uses it any more. */
    void unuse() {
        Share held = share;
        if (held != null) {
            share = null;
            slots.unuse(held);
        }
    }

    /** Begins an exchange. Calls to hosts that the operator configured have limits of their own. */
    void begin(UpstreamListener listener, Object client, UpstreamProfile current) {
        stopIdling();
        UpstreamConnection held = connection;
        if (held != null) {
            held.begin(listener, client, key.guarded() ? listener.timeouts(current.timeouts()) : null);
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
        Parent via = held.endpoint().via();
        boolean secured =
                key.destination().secure() || (via != null && via.place().secure());
        boolean sameTrust = !secured || isSame(profile.tls(), current.tls());
        boolean sameWay = Objects.equals(via, current.parents().of(key.destination()));
        InetAddress address = held.endpoint().address();
        boolean denied = key.guarded()
                && address != null
                && current.guard().denies(address, held.endpoint().origin().getPort());
        if (!sameTrust || !sameWay || denied) {
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
        idleTimer.in(
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
        ConnectionAttempt attempt = settling;
        if (attempt != null) {
            settling = null;
            attempt.settled(this);
        }
        pool.offer(this);
    }

    @Override
    public void requiresHttp1() {
        pool.versions().learn(key, OriginVersions.Version.HTTP_1_1_DEMANDED);
    }

    @Override
    public void silent() {
        ConnectionAttempt attempt = settling;
        settling = null;
        if (attempt != null) {
            attempt.silent();
        }
    }

    @Override
    public void closed() {
        idleTimer.cancel();
        stopIdling();
        connection = null;
        ConnectionAttempt attempt = settling;
        settling = null;
        pool.closed(this);
        if (attempt != null) {
            attempt.unsettled();
        }
    }
}
