package dev.sallyport.core.loop;

/**
 * Somebody's turns on an event loop: {@link #begin}, some work, {@link #over} after each piece of it, {@link #end}; and
 * {@link #later} when there is more to do. Confined to the loop.
 */
public final class Turn {

    private final Turns turns;
    private final Runnable rest;
    private boolean waiting;
    private boolean cancelled;
    private long began;
    private long bytes;

    private Usage usage;

    Turn(Turns turns, Usage usage, Runnable rest) {
        this.turns = turns;
        this.usage = usage;
        this.rest = rest;
    }

    /** From now on the turns are on behalf of this client: what it uses of the loop counts together, whoever's turns. */
    public void onBehalfOf(Object client) {
        usage = turns.usage(client);
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

    /** Ends the turn, and returns how long it took, in nanoseconds. */
    public long end() {
        long now = turns.now();
        long took = now - began;
        if (turns.end(this, took)) {
            usage.add(took, now);
        }
        return took;
    }

    boolean isLight() {
        return usage.isLight(turns.now());
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
