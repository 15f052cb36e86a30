package dev.sallyport.feed;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Waits between attempts to connect: full jitter, up to a bound that doubles. For one thread. */
final class Backoff {

    private static final long FIRST_MILLIS = 500;
    private static final long LAST_MILLIS = 30_000;

    private final RandomGenerator random;
    private long bound = FIRST_MILLIS;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** The next wait. */
    Duration next() {
        long wait = random.nextLong(bound + 1);
        bound = Math.min(LAST_MILLIS, bound * 2);
        return Duration.ofMillis(wait);
    }

    /** An attempt has succeeded. */
    void reset() {
        bound = FIRST_MILLIS;
    }
}
