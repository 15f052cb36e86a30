package dev.sallyport.core.audit;

import org.jspecify.annotations.Nullable;

/**
 * Room for one record: returned exactly once, unused or when its record has been written; a second time is an error.
 * Belongs to its exchange until it is offered with a record, and then to the writer.
 */
public final class AuditSlot {

    private enum State {
        HELD,
        OFFERED,
        RETURNED
    }

    /**
     * A waiting record takes one more slot for each of this many bytes, so that the number of slots bounds the memory.
     */
    private static final int BYTES = 2048;

    private final AuditGate gate;
    private final @Nullable ClientShare share;
    private final boolean unbegun;
    private State state = State.HELD;
    private int more;

    /** @param unbegun whether it is for a record of what ended before it began, and counts beside the share */
    AuditSlot(AuditGate gate, @Nullable ClientShare share, boolean unbegun) {
        this.gate = gate;
        this.share = share;
        this.unbegun = unbegun;
    }

    /** Returns the slot unused. */
    public void giveBack() {
        move(State.HELD, State.RETURNED);
        gate.returned(share, unbegun);
    }

    /**
     * The slot is offered with a record.
     *
     * @param bytes how many bytes of the record a client has chosen
     */
    void offered(int bytes) {
        move(State.HELD, State.OFFERED);
        more = bytes / BYTES;
        if (more > 0) {
            gate.weigh(share, unbegun, more);
        }
    }

    /** The record has been written. */
    void written() {
        move(State.OFFERED, State.RETURNED);
        if (more > 0) {
            gate.unweigh(share, unbegun, more);
        }
        gate.returned(share, unbegun);
    }

    private void move(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("an audit slot is " + state + " (expected: " + from + ")");
        }
        state = to;
    }
}
