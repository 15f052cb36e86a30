package dev.sallyport.core.audit;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which places of a table are free. What was given back last is taken first, so that few of them are in use, again and
 * again. Thread-safe, never blocks.
 */
final class FreeIndexes {

    /** There is no free one. */
    static final int NONE = -1;

    private final int capacity;

    /** The free place that was given back last, counted from 1 (0: none), below a number that no two changes share. */
    private final AtomicLong top = new AtomicLong();

    /** For each free place the one that was given back before it, in the same way. */
    private final int[] below;

    /** Places from here on have not been used yet. */
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

    /** The first so many are not free unless they are given back. To be called before anything is taken. */
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
