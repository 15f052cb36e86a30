package dev.sallyport.core.body;

import java.util.concurrent.Executor;

/** Measures for how long a body is held back, in ticks. Confined to the loop. */
final class HoldTicks {

    /** A body that comes without a pause is held for so many ticks. */
    static final int MOST = 4;

    private final Executor after;
    private final Receiver receiver;
    private boolean ticking;
    private boolean heard;
    private int ticks;

    /** Told of each tick. */
    @FunctionalInterface
    interface Receiver {

        /** @param patient whether the body may be held still */
        void tick(boolean patient);
    }

    /** @param after runs a task after a tick */
    HoldTicks(Executor after, Receiver receiver) {
        this.after = after;
        this.receiver = receiver;
    }

    /** There was input. */
    void heard() {
        heard = true;
    }

    /** Starts a tick, unless one is under way. */
    void await() {
        if (!ticking) {
            ticking = true;
            heard = false;
            after.execute(this::over);
        }
    }

    private void over() {
        ticking = false;
        ticks++;
        receiver.tick(heard && ticks < MOST);
    }
}
