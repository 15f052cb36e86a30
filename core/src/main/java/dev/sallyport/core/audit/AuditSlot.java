package dev.sallyport.core.audit;

import org.jspecify.annotations.Nullable;

/**
 * Room for one record: goes back exactly once, unused or when its record has been written; a second time is an error.
 * Belongs to its exchange until it is offered with a record, and then to the writer.
 */
public final class AuditSlot {

    private enum State {
        HELD,
        OFFERED,
        RETURNED
    }

    /** For each of so many bytes a waiting record takes one slot more: the number of slots bounds the memory. */
    private static final int BYTES = 2048;

    private final AuditGate gate;
    private final @Nullable ClientShare share;
    private State state = State.HELD;
    private int more;

    AuditSlot(AuditGate gate, @Nullable ClientShare share) {
        this.gate = gate;
        this.share = share;
    }

    /** Gives it back without a record. */
    public void giveBack() {
        move(State.HELD, State.RETURNED);
        gate.returned(share);
    }

    /**
     * It goes its way with a record.
     *
     * @param bytes how much the record holds that a client chose
     */
    void offered(int bytes) {
        move(State.HELD, State.OFFERED);
        more = bytes / BYTES;
        if (more > 0) {
            gate.weigh(share, more);
        }
    }

    /** Its record has been written. */
    void written() {
        move(State.OFFERED, State.RETURNED);
        if (more > 0) {
            gate.unweigh(share, more);
        }
        gate.returned(share);
    }

    private void move(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("an audit slot is " + state + " (expected: " + from + ")");
        }
        state = to;
    }
}
