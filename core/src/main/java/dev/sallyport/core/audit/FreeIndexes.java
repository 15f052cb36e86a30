package dev.sallyport.core.audit;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The free places of a table. The place that was returned last is taken first, so that few places are used repeatedly.
 * Thread-safe, never blocks.
 */
final class FreeIndexes {

    /** No place is free. */
    static final int NONE = -1;

    private final int capacity;

    /**
     * The free place that was returned last, counted from 1 (0: none), in the low bits, and a number that changes with
     * every update above it.
     */
    private final AtomicLong top = new AtomicLong();

    /** For each free place, the one that was returned before it, in the same form. */
    private final int[] below;

    /** Places from here on have never been used. */
    private final AtomicInteger reached = new AtomicInteger();

    FreeIndexes(int capacity) {
        this.capacity = capacity;
        this.below = new int[capacity];
    }

    int take() {
        while (true) {
            long seen = top.get();
            int place = (int) seen;
            if (place == 0) {
                return unused();
            }
            if (top.compareAndSet(seen, next(seen) | below[place - 1])) {
                return place - 1;
            }
        }
    }

    void giveBack(int place) {
        while (true) {
            long seen = top.get();
            below[place] = (int) seen;
            if (top.compareAndSet(seen, next(seen) | (place + 1))) {
                return;
            }
        }
    }

    /** Reserves this many places from the start until they are returned. To be called before anything is taken. */
    void begin(int count) {
        reached.set(count);
    }

    private static long next(long seen) {
        return ((seen >>> 32) + 1) << 32;
    }

    private int unused() {
        int place = reached.get();
        while (place < capacity) {
            int seen = reached.compareAndExchange(place, place + 1);
            if (seen == place) {
                return place;
            }
            place = seen;
        }
        return NONE;
    }
}
