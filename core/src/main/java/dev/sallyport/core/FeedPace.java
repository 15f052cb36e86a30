package dev.sallyport.core;

import java.time.Duration;

/**
 * Leaves the processors to traffic while updates replace each other without an end: over a longer time, applying them takes
 * no more than an eighth of its thread. After a quiet time a second of work is free, so that an update that comes alone is
 * never held up. For one thread.
 */
final class FeedPace {

    /** How long a rest makes good a piece of work: so many times as long as that. */
    static final int RESTS = 7;

    /** What may be spent at once after a quiet time, in nanoseconds. */
    static final long MOST = Duration.ofSeconds(1).toNanos();

    /** The longest rest, in nanoseconds: what changes has to hold within two seconds. */
    static final long LONGEST = Duration.ofMillis(500).toNanos();

    private long allowance = MOST;
    private long spentUntil;
    private boolean begun;

    /**
     * Counts a piece of work.
     *
     * @param from when it began, by {@link System#nanoTime}
     * @param to when it ended
     * @return how long to rest after it, in nanoseconds; 0 for not at all
     */
    long rest(long from, long to) {
        if (begun) {
            allowance = Math.min(MOST, allowance + (from - spentUntil) / RESTS);
        }
        begun = true;
        spentUntil = to;
        allowance = Math.max(allowance - (to - from), -LONGEST / RESTS);
        return allowance < 0 ? -allowance * RESTS : 0;
    }
}
