package dev.sallyport.core.body;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits the body bytes that all exchanges together may hold at one time ({@code limits.buffered_bytes}).
 * Thread-safe. Counts all held bytes, including those in transit. Beyond the limit, buffering is refused; streaming
 * continues.
 */
public final class BodyBudget {

    private volatile long limit;
    private final AtomicLong used = new AtomicLong();
    private final LongAdder refusals = new LongAdder();

    /** A budget of this many bytes. */
    public BodyBudget(long limit) {
        this.limit = checked(limit);
    }

    private static long checked(long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: >= 0)");
        }
        return limit;
    }

    /** Changes the limit; what is held stays. */
    public void limit(long bytes) {
        limit = checked(bytes);
    }

    /** The limit in bytes. */
    public long limit() {
        return limit;
    }

    /** The number of bytes held now. */
    public long used() {
        return used.get();
    }

    /** Counts bytes and returns whether the total is within the limit. */
    public boolean take(long bytes) {
        if (used.addAndGet(bytes) <= limit) {
            return true;
        }
        refusals.increment();
        return false;
    }

    /** How often the total was beyond the limit so far. */
    public long refusals() {
        return refusals.sum();
    }

    /** Subtracts counted bytes. */
    public void give(long bytes) {
        used.addAndGet(-bytes);
    }
}
