package dev.sallyport.core.audit;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The slots of an {@link AuditGate} that one client holds: at most four times the number that is then still free. A
 * single client thus gets four fifths, many clients share, and a newcomer still finds a slot. Those of an organization can
 * be held back, whatever is free. Thread-safe.
 */
public final class ClientShare {

    private static final int TIMES_FREE = 4;

    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger unbegun = new AtomicInteger();
    private final AtomicReference<UnbegunRecords.@Nullable Waiting> waiting = new AtomicReference<>();
    private final WaitingShares.Line line = new WaitingShares.Line(this);
    private final @Nullable ShareHold hold;

    /** @param hold of the organization whose it is; null for nobody's */
    ClientShare(@Nullable ShareHold hold) {
        this.hold = hold;
    }

    /** What keeps anything of it from beginning now; null for nothing. */
    @Nullable ShareHold hold() {
        ShareHold known = hold;
        return known != null && known.isOn() ? known : null;
    }

    /** Whether it may hold one more slot when this many are free. The first slot is always allowed. */
    boolean admits(int free) {
        int now = held.get();
        return now == 0 || now < TIMES_FREE * (free - 1);
    }

    /**
     * Has more slots, or fewer.
     *
     * @param ofUnbegun whether they are for records of what ended before it began, and count beside the share
     */
    void taken(int slots, boolean ofUnbegun) {
        (ofUnbegun ? unbegun : held).addAndGet(slots);
    }

    /** Those who wait for a slot out of it. */
    WaitingShares.Line line() {
        return line;
    }

    /** How many slots it has beside the share. */
    int unbegun() {
        return unbegun.get();
    }

    /** Those who wait for such a slot; null when nobody has waited yet. */
    UnbegunRecords.@Nullable Waiting unbegunWaiting() {
        return waiting.get();
    }

    /** As above; made if there is none. */
    UnbegunRecords.Waiting unbegunWaiting(Executor executor) {
        UnbegunRecords.Waiting present = waiting.get();
        if (present != null) {
            return present;
        }
        UnbegunRecords.Waiting made = new UnbegunRecords.Waiting(executor);
        UnbegunRecords.Waiting other = waiting.compareAndExchange(null, made);
        return other == null ? made : other;
    }
}
