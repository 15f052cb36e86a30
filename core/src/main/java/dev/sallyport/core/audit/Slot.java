package dev.sallyport.core.audit;

import org.jspecify.annotations.Nullable;

/**
 * Room for one record: goes back exactly once, unused or when its record has been written; a second time is an error.
 * Belongs to its exchange until it is offered with a record, and then to the writer.
 */
public final class Slot {

    private enum State {
        HELD,
        OFFERED,
        RETURNED
    }

    private final AuditGate gate;
    private final @Nullable Share share;
    private State state = State.HELD;

    Slot(AuditGate gate, @Nullable Share share) {
        this.gate = gate;
        this.share = share;
    }

    /** Gives it back without a record. */
    public void giveBack() {
        move(State.HELD, State.RETURNED);
        gate.returned(share);
    }

    /** It goes its way with a record. */
    void offered() {
        move(State.HELD, State.OFFERED);
    }

    /** Its record has been written. */
    void written() {
        move(State.OFFERED, State.RETURNED);
        gate.returned(share);
    }

    private void move(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("an audit slot is " + state + " (expected: " + from + ")");
        }
        state = to;
    }
}
