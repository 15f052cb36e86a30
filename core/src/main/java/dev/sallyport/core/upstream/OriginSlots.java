package dev.sallyport.core.upstream;

import dev.sallyport.core.upstream.OriginLimits.Waiter;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one origin, each of a connection that is being dialled, in use or idle. A client may have slots in use as
 * long as they are fewer than four times those that nobody uses (a dynamic threshold, as switches share a buffer among
 * their ports): a single client gets four fifths, many share, and a newcomer still finds a slot, whatever others hold and
 * never give back. Those who wait are served in turns, client after client, each in order of arrival.
 *
 * <p>Thread-safe. Beginning and ending an exchange on a connection that is there takes no lock; what happens meanwhile may
 * let a client exceed its share by the number of loops. All else is called under the lock of {@link OriginLimits}' table
 * or takes this object's.
 */
final class OriginSlots {

    private static final int TIMES_UNUSED = 4;

    /** So many shares may be there before those of clients that use nothing are forgotten. */
    private static final int FEW = 64;

    private final ConcurrentHashMap<Object, Share> shares = new ConcurrentHashMap<>();

    /** Those in which somebody waits, in the order of their turns. */
    private final ArrayDeque<Share> lines = new ArrayDeque<>(0);

    private final AtomicInteger inUse = new AtomicInteger();
    private int open;
    private volatile int limit;
    private final AtomicInteger queued = new AtomicInteger();
    private int forgetAt = FEW;

    /** The slots that one client uses, and those of it who wait for one. */
    static final class Share {

        private final AtomicInteger held = new AtomicInteger();
        private final ArrayDeque<Waiter> line = new ArrayDeque<>(0);

        private Share() {}

        private boolean isEmpty() {
            return held.get() == 0 && line.isEmpty();
        }
    }

    /** Waiters that have got a slot, to be told outside of any lock. */
    static final class Granted {

        private final List<Waiter> waiters = new ArrayList<>(0);
        private final List<Share> from = new ArrayList<>(0);

        int count() {
            return waiters.size();
        }

        void forEach(BiConsumer<Waiter, Share> action) {
            for (int i = 0; i < waiters.size(); i++) {
                action.accept(waiters.get(i), from.get(i));
            }
        }
    }

    private Share share(Object client) {
        Share known = shares.get(client);
        return known == null ? shares.computeIfAbsent(client, key -> new Share()) : known;
    }

    /** Whether a client with this share may use one more slot. */
    private boolean admits(Share share) {
        int now = share.held.get();
        return now == 0 || now < TIMES_UNUSED * (limit - inUse.get());
    }

    private void hold(Share share) {
        share.held.incrementAndGet();
        inUse.incrementAndGet();
    }

    // An exchange on a connection that is there.

    /** Has a client use an idle connection; null if it uses its share already. */
    @Nullable Share use(Object client) {
        Share share = share(client);
        if (!admits(share)) {
            return null;
        }
        hold(share);
        return share;
    }

    /** Has a client use an idle connection, whatever its share: it was its turn. */
    Share useInTurn(Object client) {
        Share share = share(client);
        hold(share);
        return share;
    }

    /** The connection that was used for this client has become idle. */
    void unuse(Share share) {
        share.held.decrementAndGet();
        inUse.decrementAndGet();
    }

    boolean isWanted() {
        return queued.get() > 0;
    }

    // Slots.

    /** Takes a slot to dial with; null if there is none, for this client or at all, or others of it wait. */
    synchronized @Nullable Share open(Object client, int most) {
        limit = most;
        forgetUnused();
        Share share = share(client);
        if (open >= most || !share.line.isEmpty() || !admits(share)) {
            return null;
        }
        open++;
        hold(share);
        return share;
    }

    /** @param share for whom it was used; null if it was idle */
    synchronized void close(@Nullable Share share) {
        open--;
        if (share != null) {
            unuse(share);
        }
    }

    synchronized boolean isUnused() {
        return open == 0 && queued.get() == 0;
    }

    private void forgetUnused() {
        if (shares.size() > forgetAt) {
            shares.values().removeIf(Share::isEmpty);
            forgetAt = Math.max(FEW, 2 * shares.size());
        }
    }

    // Who waits.

    /** Queues a waiter; false if too many wait, by the same rule as for slots. */
    synchronized boolean enqueue(Waiter waiter, int most) {
        Share share = share(waiter.client());
        int own = share.line.size();
        int free = most - queued.get();
        if (free <= 0 || (own > 0 && own >= TIMES_UNUSED * free)) {
            return false;
        }
        if (own == 0) {
            lines.addLast(share);
        }
        share.line.addLast(waiter);
        queued.incrementAndGet();
        return true;
    }

    synchronized boolean withdraw(Waiter waiter) {
        Share share = shares.get(waiter.client());
        if (share == null || !share.line.remove(waiter)) {
            return false;
        }
        queued.decrementAndGet();
        if (share.line.isEmpty()) {
            lines.remove(share);
        }
        return true;
    }

    /** Whether somebody would get a slot if there were one. */
    synchronized boolean isBlocked() {
        return open >= limit && next() != null;
    }

    /** Whose turn it is. */
    private @Nullable Share next() {
        for (Share share : lines) {
            if (admits(share)) {
                return share;
            }
        }
        return null;
    }

    /** See {@link OriginLimits#take}. */
    synchronized @Nullable Waiter take(EventLoop loop, PoolKey wanted, boolean connectionInUse) {
        if (connectionInUse) {
            return takeAny(loop, wanted);
        }
        Share share = next();
        if (share == null || !suits(share.line.element(), loop, wanted)) {
            return null;
        }
        return poll(share);
    }

    private @Nullable Waiter takeAny(EventLoop loop, PoolKey wanted) {
        for (Share share : lines) {
            for (Iterator<Waiter> each = share.line.iterator(); each.hasNext(); ) {
                Waiter waiter = each.next();
                if (suits(waiter, loop, wanted)) {
                    each.remove();
                    queued.decrementAndGet();
                    turn(share);
                    return waiter;
                }
            }
        }
        return null;
    }

    private static boolean suits(Waiter waiter, EventLoop loop, PoolKey wanted) {
        return waiter.loop().equals(loop) && waiter.key().equals(wanted);
    }

    private Waiter poll(Share share) {
        Waiter first = share.line.remove();
        queued.decrementAndGet();
        turn(share);
        return first;
    }

    /** Its turn is over: others come first now. */
    private void turn(Share share) {
        lines.remove(share);
        if (!share.line.isEmpty()) {
            lines.addLast(share);
        }
    }

    void grant(int most, Granted granted) {
        limit = most;
        grant(granted);
    }

    /** Opens slots for those who wait, as far as there are any for them. */
    synchronized void grant(Granted granted) {
        while (open < limit) {
            Share share = next();
            if (share == null) {
                return;
            }
            open++;
            hold(share);
            granted.waiters.add(poll(share));
            granted.from.add(share);
        }
    }
}
