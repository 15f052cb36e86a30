package dev.sallyport.core.upstream;

import dev.sallyport.core.upstream.OriginSlots.Granted;
import dev.sallyport.core.upstream.OriginSlots.Share;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections to each origin over all loops, and queues those that wait for a slot; see {@link OriginSlots}.
 * A slot is taken before dialling and returned when the connection has closed. Thread-safe.
 */
final class OriginLimits {

    /** An exchange that waits for a slot. */
    interface Waiter {

        /** The loop on which {@link #granted} is called. */
        EventLoop loop();

        PoolKey key();

        /** On whose behalf it waits; see {@link Route#client}. */
        Object client();

        /** The waiter has got a slot out of this share, and must return it. Called on its loop. */
        void granted(Share from);
    }

    /** What became of an exchange that asked for a slot when there was none. */
    enum Wait {
        /** Too many wait already. */
        REFUSED,
        /** It waits, or has been granted a slot meanwhile. */
        QUEUED,
        /** It waits, and only connections that are idle, or become so, keep it from a slot. */
        BLOCKED
    }

    private final ConcurrentHashMap<Destination, OriginSlots> origins = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();

    /** Takes a slot to dial with; null if the origin or the client has none left. */
    @Nullable Share tryAcquire(Destination destination, Object client, int limit) {
        AtomicReference<@Nullable Share> taken = new AtomicReference<>();
        origins.compute(destination, (key, known) -> {
            OriginSlots origin = known == null ? new OriginSlots() : known;
            taken.set(origin.open(client, limit));
            return origin.isUnused() ? null : origin;
        });
        return taken.get();
    }

    /** The slots of an origin to which a connection is open. */
    OriginSlots slots(Destination destination) {
        OriginSlots slots = origins.get(destination);
        if (slots == null) {
            throw new IllegalStateException("no connection to " + destination + " is counted");
        }
        return slots;
    }

    /** Queues a waiter, or grants it a slot when one has become free. */
    Wait await(Waiter waiter, int limit, int maxWaiting) {
        Wait[] outcome = {Wait.REFUSED};
        Granted granted = new Granted();
        origins.compute(waiter.key().destination(), (key, known) -> {
            OriginSlots origin = known == null ? new OriginSlots() : known;
            if (origin.enqueue(waiter, maxWaiting)) {
                waiting.incrementAndGet();
                origin.grant(limit, granted);
                outcome[0] = origin.isBlocked() ? Wait.BLOCKED : Wait.QUEUED;
            }
            return origin.isUnused() ? null : origin;
        });
        tell(waiter.key().destination(), granted);
        return outcome[0];
    }

    /** Removes a waiter; returns false when it is no longer queued: then it has been, or will be, granted a slot. */
    boolean withdraw(Waiter waiter) {
        boolean[] removed = {false};
        origins.computeIfPresent(waiter.key().destination(), (key, origin) -> {
            removed[0] = origin.withdraw(waiter);
            return origin.isUnused() ? null : origin;
        });
        if (removed[0]) {
            waiting.decrementAndGet();
        }
        return removed[0];
    }

    /** Whether any exchange waits for this origin. Cheap when none waits for any origin. */
    boolean isWanted(Destination destination) {
        if (waiting.get() == 0) {
            return false;
        }
        OriginSlots slots = origins.get(destination);
        return slots != null && slots.isWanted();
    }

    /** Whether somebody would get a slot if an idle connection to this origin closed. */
    boolean isBlocked(Destination destination) {
        if (waiting.get() == 0) {
            return false;
        }
        OriginSlots slots = origins.get(destination);
        return slots != null && slots.isBlocked();
    }

    /**
     * Takes the waiter whose turn it is, if it can use an idle connection of this loop and key. Of a connection that is in use, any waiter that can share it: it keeps its slot in any case, and delays
     * nobody.
     */
    @Nullable Waiter take(EventLoop loop, PoolKey wanted, boolean inUse) {
        OriginSlots slots = origins.get(wanted.destination());
        Waiter taken = slots == null ? null : slots.take(loop, wanted, inUse);
        if (taken != null) {
            waiting.decrementAndGet();
        }
        return taken;
    }

    /** Grants what can be granted, after a connection has become idle. */
    void settle(Destination destination) {
        Granted granted = new Granted();
        origins.computeIfPresent(destination, (key, origin) -> {
            origin.grant(granted);
            return origin;
        });
        tell(destination, granted);
    }

    /**
     * Returns a slot, which passes to who waits.
     *
     * @param share for whom it was used; null for an idle connection
     */
    void release(Destination destination, @Nullable Share share) {
        Granted granted = new Granted();
        origins.computeIfPresent(destination, (key, origin) -> {
            origin.close(share);
            origin.grant(granted);
            return origin.isUnused() ? null : origin;
        });
        tell(destination, granted);
    }

    private void tell(Destination destination, Granted granted) {
        waiting.addAndGet(-granted.count());
        granted.forEach((waiter, share) -> {
            try {
                waiter.loop().execute(() -> waiter.granted(share));
            } catch (RejectedExecutionException e) {
                release(destination, share); // its loop is shutting down: another one gets the slot
            }
        });
    }
}
