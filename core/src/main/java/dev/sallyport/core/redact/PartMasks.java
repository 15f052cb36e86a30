package dev.sallyport.core.redact;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the parts at whose edges something was masked for one workload. A workload that stores texts of its own choice
 * and fetches parts of them learns from each mask that it has guessed a piece of a value, and could go on from there
 * byte by byte: beyond {@value #MOST}, it gets no parts any more. Thread-safe.
 */
final class PartMasks {

    /** So many masks may be coincidences. */
    static final int MOST = 3;

    private final AtomicInteger count = new AtomicInteger();

    /** Something was masked. */
    void add() {
        count.incrementAndGet();
    }

    /** Whether there were too many. */
    boolean exhausted() {
        return count.get() >= MOST;
    }
}
