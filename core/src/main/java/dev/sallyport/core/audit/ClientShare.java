package dev.sallyport.core.audit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one client holds of an {@link AuditGate}: at most four times what is free afterwards. A client that is alone gets
 * four fifths in this way, a crowd shares, and whoever comes last still finds a slot. Thread-safe.
 */
public final class ClientShare {

    private static final int TIMES_FREE = 4;

    private final AtomicInteger held = new AtomicInteger();

    ClientShare() {}

    /** Whether it may hold one more slot when so many are free; the first one always. */
    boolean admits(int free) {
        int now = held.get();
        return now == 0 || now < TIMES_FREE * (free - 1);
    }

    void taken(int slots) {
        held.addAndGet(slots);
    }

    void returned(int slots) {
        held.addAndGet(-slots);
    }
}
