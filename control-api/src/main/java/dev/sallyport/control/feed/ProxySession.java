package dev.sallyport.control.feed;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connected proxy: what it holds, what is on its way, and what comes next. One snapshot is on its way at a time; of
 * those that wait, the newest replaces the others. Thread-safe.
 */
public final class ProxySession {

    private final String name;
    private final Receiver receiver;
    private final Watch watch;

    private final Supplier<Optional<Scope>> scopes;
    private volatile @Nullable Scope scope;
    private String held;
    private @Nullable Snapshot inFlight;
    private @Nullable Snapshot waiting;
    private @Nullable Snapshot acknowledged;
    private long sentAt;
    private long behindSince;
    private long waitingSince;
    private long staleSince = System.nanoTime();
    private long restsUntil = System.nanoTime();
    private long confirmed;
    private volatile long applied;
    private boolean stale = true;

    /** Takes what is meant for the proxy; called one at a time. Must neither block nor throw. */
    public interface Receiver {

        /**
         * Sends a snapshot, which will be acknowledged; one that cannot be sent now is {@linkplain ProxySession#failed
         * failed}.
         */
        void snapshot(ProxySession session, Snapshot snapshot);

        /** Whether the proxy can be given secrets. */
        default boolean takesCredentials() {
            return true;
        }

        /** Whether it is a proxy, and not one of the workloads of one. */
        default boolean isProxy() {
            return true;
        }

        /** Says that what the proxy holds, of this hash, is right up to this number. */
        default void confirm(long revision, String hash) {}

        /** Says what the proxy stands at; null when it is not known to be right. */
        default void beat(@Nullable Standing standing) {}

        /**
         * Whether the proxy may no longer be served; asked when it has connected, and when something of its organization
         * has changed. May block.
         */
        default boolean isUnwelcome() {
            return false;
        }

        /** Says that it is no longer served, and ends the connection. */
        default void revoke() {}

        /** Ends the connection. */
        default void end() {}
    }

    /** Is told of what goes on. Must neither block nor throw. */
    interface Watch {

        /** A snapshot is on its way. */
        void sent();

        /** {@link #applied} has grown. */
        void progressed();

        /** It has to be offered something, and can take it now. */
        void hungry();
    }

    /**
     * A session that has nothing yet.
     *
     * @param scopes whose policies it gets; asked in each round until it is known
     * @param held the hash of the snapshot that the proxy says it has; empty for none
     * @param watch told of what goes on
     */
    ProxySession(String name, Supplier<Optional<Scope>> scopes, String held, Receiver receiver, Watch watch) {
        this.name = name;
        this.scopes = scopes;
        this.held = held;
        this.receiver = receiver;
        this.watch = watch;
    }

    /** Names the proxy in messages. */
    public String name() {
        return name;
    }

    /** Whether it is a proxy, and not one of the workloads of one. */
    boolean isProxy() {
        return receiver.isProxy();
    }

    /** Whose policies it gets; null while that is not known. */
    @Nullable Scope scope() {
        return scope;
    }

    /** As {@link #scope}, but asks if need be. Blocks. */
    @Nullable Scope findScope() {
        Scope known = scope();
        if (known == null) {
            known = scopes.get().orElse(null);
            scope = known;
        }
        return known;
    }

    /** Whether it has to be offered the present snapshot, even if nothing has changed. */
    synchronized boolean isStale() {
        return stale;
    }

    /** Whether nothing is on its way, and the proxy does not rest: what it is offered would be applied at once. */
    synchronized boolean isFree() {
        return freeNanos() == 0;
    }

    /** How long until it is free; {@link Long#MAX_VALUE} while something is on its way. */
    synchronized long freeNanos() {
        return inFlight == null ? Math.max(0, restsUntil - System.nanoTime()) : Long.MAX_VALUE;
    }

    /** For how long the proxy takes nothing, which may be offered nevertheless. */
    synchronized void rest(Duration time) {
        restsUntil = System.nanoTime() + time.toNanos();
    }

    /** The number up to which the proxy has applied all changes. Never waits. */
    public long applied() {
        return applied;
    }

    /** The snapshot that has been on its way for longer than this, or null. */
    synchronized @Nullable Snapshot late(long nanos) {
        return inFlight != null && System.nanoTime() - sentAt > nanos ? inFlight : null;
    }

    /** How long a change, or the first comparison, has waited that the proxy has not applied; 0 for none. */
    synchronized long behindNanos() {
        if (inFlight != null) {
            return System.nanoTime() - behindSince;
        }
        return stale ? System.nanoTime() - staleSince : 0;
    }

    /** What the proxy is to have now. */
    synchronized void offer(Snapshot all) {
        Snapshot snapshot = receiver.takesCredentials() ? all : all.withoutCredentials();
        stale = false;
        long now = System.nanoTime();
        if (inFlight != null) {
            waitingSince = waiting == null ? now : waitingSince;
            waiting = snapshot;
        } else if (snapshot.hash().equals(held)) {
            advance(snapshot.revision());
        } else {
            inFlight = snapshot;
            sentAt = now;
            behindSince = now;
            watch.sent();
            receiver.snapshot(this, snapshot);
        }
    }

    /** Nothing that concerns it has changed up to this number. */
    synchronized void unchanged(long revision) {
        if (stale) {
            return;
        }
        if (waiting != null) {
            waiting = waiting.at(revision);
        } else if (inFlight != null) {
            confirmed = revision;
        } else {
            advance(revision);
        }
    }

    /** The snapshot of this number, where it is on its way or was the last to be acknowledged; else null. */
    synchronized @Nullable Snapshot sent(long revision) {
        if (inFlight != null && inFlight.revision() == revision) {
            return inFlight;
        }
        return acknowledged != null && acknowledged.revision() == revision ? acknowledged : null;
    }

    /** The proxy has applied what was sent; other numbers than that of the snapshot on its way are ignored. */
    public synchronized void acknowledge(long revision) {
        Snapshot sent = inFlight;
        if (sent == null || sent.revision() != revision) {
            return;
        }
        inFlight = null;
        acknowledged = sent;
        held = sent.hash();
        Snapshot next = waiting;
        waiting = null;
        advance(Math.max(revision, next == null ? confirmed : 0));
        if (next != null) {
            boolean doubted = stale;
            offer(next);
            behindSince = waitingSince;
            stale = doubted;
        }
        if (stale && inFlight == null) {
            watch.hungry();
        }
    }

    /** The proxy did not get what it was to be sent, or could not take it; it is offered again. */
    synchronized void failed() {
        inFlight = null;
        waiting = null;
        held = "";
        doubt();
    }

    /** What it is to have is not known; it is offered the present snapshot as soon as that is. */
    synchronized void doubt() {
        staleSince = stale ? staleSince : System.nanoTime();
        stale = true;
    }

    private void advance(long revision) {
        if (revision > applied) {
            applied = revision;
            receiver.confirm(revision, held);
            watch.progressed();
        }
    }

    /**
     * What a proxy stands at.
     *
     * @param held the hash of its snapshot
     */
    public record Standing(long applied, String held) {}

    /**
     * Tells the receiver what the proxy stands at: nothing while a snapshot is on its way, and until what it holds has
     * been compared.
     *
     * @param current whether changes are being read
     */
    synchronized @Nullable Standing beat(boolean current) {
        Standing standing = current && inFlight == null && !stale ? new Standing(applied, held) : null;
        receiver.beat(standing);
        return standing;
    }

    /** Whether the proxy may no longer be served; if so, it has been told. Blocks. */
    boolean revokeIfUnwelcome() {
        boolean unwelcome = receiver.isUnwelcome();
        if (unwelcome) {
            receiver.revoke();
        }
        return unwelcome;
    }

    /** Ends the connection. */
    void end() {
        receiver.end();
    }

    /** Whether it follows the policies of an organization. */
    boolean follows(String organization) {
        Scope known = scope();
        return known != null && Objects.equals(known.organization(), organization);
    }

    @Override
    public String toString() {
        return "ProxySession[" + name + "]";
    }
}
