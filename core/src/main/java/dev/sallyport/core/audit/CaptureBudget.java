package dev.sallyport.core.audit;

import java.util.concurrent.atomic.AtomicLong;

/** The room for captured bytes whose records have not been written yet. Thread-safe, never blocks. */
final class CaptureBudget {

    private final long limit;
    private final AtomicLong free;

    /** @param limit how many bytes may be held at once */
    CaptureBudget(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("captureBytes: " + limit + " (expected: not negative)");
        }
        this.limit = limit;
        this.free = new AtomicLong(limit);
    }

    /** Takes room for bytes that an exchange has captured; returns false when there is not as much. */
    boolean tryTake(long bytes) {
        long left = free.get();
        while (left >= bytes) {
            long seen = free.compareAndExchange(left, left - bytes);
            if (seen == left) {
                return true;
            }
            left = seen;
        }
        return false;
    }

    /** Returns room. */
    void giveBack(long bytes) {
        if (bytes > 0) {
            free.addAndGet(bytes);
        }
    }

    /** How many bytes are held now. */
    long taken() {
        return limit - free.get();
    }

    long limit() {
        return limit;
    }
}
