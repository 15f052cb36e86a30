package dev.sallyport.core.body;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Measures for how long a body is held back, in ticks. Confined to the loop. */
final class HoldTicks {

    /** A body that comes without a pause is held for so many ticks. */
    static final int MOST = 4;

    private final Executor after;
    private final Runnable over = this::over;
    private @Nullable Receiver receiver;
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
            after.execute(over);
        }
    }

    private void over() {
        ticking = false;
        ticks++;
        Receiver told = receiver;
        if (told != null) {
            told.tick(heard && ticks < MOST);
        }
    }

    /** Nobody is held back any more: a tick that is under way keeps nothing of the body in memory. */
    void end() {
        receiver = null;
    }
}
