package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A connection and what its pool remembers of it. Confined to the pool's loop. */
final class PoolEntry implements UpstreamConnection.Owner {

    private final LoopPool pool;
    private final PoolKey key;
    private final LazyTimer idleTimer;
    private final long bornNanos = System.nanoTime();
    private UpstreamProfile profile;
    private @Nullable UpstreamConnection connection;

    PoolEntry(LoopPool pool, PoolKey key, UpstreamProfile profile, EventLoop loop) {
        this.pool = pool;
        this.key = key;
        this.profile = profile;
        this.idleTimer = new LazyTimer(loop, this::close);
    }

    void attach(UpstreamConnection made) {
        connection = made;
    }

    PoolKey key() {
        return key;
    }

    /** Begins an exchange. Calls to what the operator configured have limits of their own. */
    void begin(UpstreamListener listener, UpstreamProfile current) {
        idleTimer.clear();
        UpstreamConnection held = connection;
        if (held != null) {
            held.begin(listener, key.guarded() ? current.settings().responseHeaderTimeout() : null);
        }
    }

    /** Whether the connection may take another exchange under this profile. */
    boolean isUsable(UpstreamProfile current) {
        UpstreamConnection held = connection;
        return held != null
                && held.isAlive()
                && remaining(current).compareTo(Duration.ZERO) > 0
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

    void startIdling(UpstreamProfile current) {
        Duration age = remaining(current);
        Duration idle = current.settings().idleTimeout();
        idleTimer.set(age.compareTo(idle) < 0 ? age : idle);
    }

    private Duration remaining(UpstreamProfile current) {
        return current.settings().maxConnectionAge().minusNanos(System.nanoTime() - bornNanos);
    }

    void close() {
        UpstreamConnection current = connection;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void available() {
        pool.offer(this);
    }

    @Override
    public void closed() {
        idleTimer.cancel();
        connection = null;
        pool.closed(this);
    }
}
