package dev.sallyport.control.api;

/** A token bucket. Thread-safe. */
final class TokenBucket {

    private final RateLimits.Rate rate;
    private double tokens;
    private long at;

    /**
     * A full one.
     *
     * @param now as {@link System#nanoTime} tells it
     */
    TokenBucket(RateLimits.Rate rate, long now) {
        this.rate = rate;
        this.tokens = rate.burst();
        this.at = now;
    }

    /** Takes a token; returns what is left, or a negative number of those that are missing. */
    synchronized double take(long now) {
        fill(now);
        if (tokens < 1) {
            return tokens - 1;
        }
        tokens -= 1;
        return tokens;
    }

    /**
     * Takes so many, also when fewer are there: whoever comes next waits for those that are owed.
     *
     * @param many negative for those that are given back
     */
    synchronized void charge(int many, long now) {
        fill(now);
        tokens = Math.min(rate.burst(), tokens - many);
    }

    /** How many are there; negative for what is owed. */
    synchronized double level(long now) {
        fill(now);
        return tokens;
    }

    private void fill(long now) {
        tokens = Math.min(rate.burst(), tokens + (now - at) / 1e9 * rate.perSecond());
        at = now;
    }
}
