package dev.sallyport.core.loop;

import java.util.concurrent.TimeUnit;

/**
 * Somebody's turns on an event loop: {@link #begin}, some work, {@link #over} after each piece of it, {@link #end}; and
 * {@link #later} when there is more to do. Confined to the loop.
 */
public final class Turn {

    /** Who used less than this lately goes before the others. */
    private static final long LIGHT_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** What was used counts half after 2^26 ns, which are 67 ms. */
    private static final int HALF_LIFE = 26;

    private final Turns turns;
    private final Runnable rest;
    private boolean waiting;
    private boolean cancelled;
    private long began;
    private long bytes;

    /** The time used lately. */
    private long used;

    private long usedAt;

    Turn(Turns turns, Runnable rest) {
        this.turns = turns;
        this.rest = rest;
    }

    /** Begins a turn, unless it must wait: then {@link #later} is to be called. */
    public boolean begin() {
        if (waiting || !turns.begin(this)) {
            return false;
        }
        began = turns.now();
        bytes = 0;
        return true;
    }

    /** Counts work of this turn, in bytes. */
    public void made(int more) {
        bytes += more;
    }

    /** Whether the turn has taken long enough. */
    public boolean over() {
        return bytes >= Turns.MAX_BYTES || turns.now() - began >= Turns.TURN_NANOS;
    }

    /** The nanoseconds of this turn so far. */
    long elapsed() {
        return turns.now() - began;
    }

    /** Ends the turn. */
    public void end() {
        long now = turns.now();
        if (turns.end(this, now - began)) {
            used = recently(now) + now - began;
            usedAt = now;
        }
    }

    private long recently(long now) {
        return used >> Math.min(63, (now - usedAt) >> HALF_LIFE);
    }

    boolean isLight() {
        return recently(turns.now()) < LIGHT_NANOS;
    }

    /** Lets the rest be done after what others have to do. Idempotent until then. */
    public void later() {
        if (!waiting && !cancelled) {
            waiting = true;
            turns.later(this);
        }
    }

    /** Whether the rest waits. */
    public boolean waiting() {
        return waiting;
    }

    /** There is no rest any more, for good. */
    public void cancel() {
        cancelled = true;
    }

    void resume() {
        waiting = false;
        if (!cancelled) {
            rest.run();
        }
    }
}
