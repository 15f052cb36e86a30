package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections to each origin over all loops, and queues those that wait for a slot in order of arrival. A
 * slot is taken before dialling and returned when the connection has closed. Thread-safe.
 */
final class OriginLimits {

    /** An exchange that waits for a slot. */
    interface Waiter {

        /** The loop on which {@link #granted} is called. */
        EventLoop loop();

        PoolKey key();

        /** The waiter has got a slot and must return it. Called on its loop. */
        void granted();
    }

    private final ConcurrentHashMap<Destination, Origin> origins = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();

    private static final class Origin {
        int open;
        final ArrayDeque<Waiter> queue = new ArrayDeque<>(0);
    }

    /** Takes a slot if one is free and no other exchange waits. */
    boolean tryAcquire(Destination destination, int limit) {
        boolean[] acquired = {false};
        origins.compute(destination, (key, known) -> {
            Origin origin = known == null ? new Origin() : known;
            if (origin.open < limit && origin.queue.isEmpty()) {
                origin.open++;
                acquired[0] = true;
            }
            return origin;
        });
        return acquired[0];
    }

    /** Queues a waiter, or grants it a slot when one has become free; returns false when the queue is full. */
    boolean await(Waiter waiter, int limit, int maxWaiting) {
        boolean[] accepted = {true};
        boolean[] grant = {false};
        origins.compute(waiter.key().destination(), (key, known) -> {
            Origin origin = known == null ? new Origin() : known;
            if (origin.open < limit && origin.queue.isEmpty()) {
                origin.open++;
                grant[0] = true;
            } else if (origin.queue.size() < maxWaiting) {
                origin.queue.addLast(waiter);
                waiting.incrementAndGet();
            } else {
                accepted[0] = false;
            }
            return origin;
        });
        if (grant[0]) {
            waiter.loop().execute(waiter::granted);
        }
        return accepted[0];
    }

    /** Removes a waiter; returns false when it is no longer queued: then it has been, or will be, granted a slot. */
    boolean withdraw(Waiter waiter) {
        boolean[] removed = {false};
        origins.computeIfPresent(waiter.key().destination(), (key, origin) -> {
            removed[0] = origin.queue.remove(waiter);
            return origin;
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
        boolean[] wanted = {false};
        origins.computeIfPresent(destination, (key, origin) -> {
            wanted[0] = !origin.queue.isEmpty();
            return origin;
        });
        return wanted[0];
    }

    /**
     * Takes the first waiter, if it can use a connection of this loop and key; the connection's slot passes on with the
     * connection. A shared connection keeps its slot in any case: it delays nobody by serving any waiter that can use
     * it, whatever its place in the queue.
     */
    @Nullable Waiter take(EventLoop loop, PoolKey wanted, boolean shared) {
        Waiter[] taken = {null};
        origins.computeIfPresent(wanted.destination(), (key, origin) -> {
            for (Waiter waiter : origin.queue) {
                if (waiter.loop().equals(loop) && waiter.key().equals(wanted)) {
                    taken[0] = waiter;
                    break;
                } else if (!shared) {
                    break;
                }
            }
            if (taken[0] != null) {
                origin.queue.remove(taken[0]);
                waiting.decrementAndGet();
            }
            return origin;
        });
        return taken[0];
    }

    /** Returns a slot, which passes to the longest waiter. */
    void release(Destination destination) {
        while (true) {
            Waiter[] next = {null};
            origins.computeIfPresent(destination, (key, origin) -> {
                next[0] = origin.queue.pollFirst();
                if (next[0] != null) {
                    waiting.decrementAndGet();
                    return origin;
                }
                origin.open--;
                return origin.open == 0 ? null : origin;
            });
            Waiter waiter = next[0];
            if (waiter == null || grant(waiter)) {
                return;
            }
        }
    }

    private static boolean grant(Waiter waiter) {
        try {
            waiter.loop().execute(waiter::granted);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // its loop is shutting down: the next one gets the slot
        }
    }
}
