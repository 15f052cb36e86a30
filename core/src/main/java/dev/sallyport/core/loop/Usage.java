package dev.sallyport.core.loop;

import java.util.concurrent.TimeUnit;

/** How much of a loop somebody used lately, beyond a share that is forgiven as time goes by. Confined to the loop. */
final class Usage {

    /** Who used less than this lately goes before the others. */
    private static final long LIGHT_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** So many parts has the time of a loop, of which everybody may use one for ever. */
    private static final int PARTS = 16;

    /** The most that counts of one turn: the loop's thread may have been without a processor meanwhile. */
    private static final long MOST_OF_TURN = 2 * Turns.TURN_NANOS;

    /** The most that is remembered: half a second later it is forgiven. */
    private static final long MOST = TimeUnit.MILLISECONDS.toNanos(32);

    private long used;
    private long usedAt;

    void add(long nanos, long now) {
        used = Math.min(MOST, recently(now) + Math.min(nanos, MOST_OF_TURN));
        usedAt = now;
    }

    boolean isLight(long now) {
        return recently(now) < LIGHT_NANOS;
    }

    private long recently(long now) {
        return Math.max(0, used - (now - usedAt) / PARTS);
    }
}
