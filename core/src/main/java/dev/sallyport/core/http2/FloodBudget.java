package dev.sallyport.core.http2;

import java.util.concurrent.TimeUnit;

/**
 * A bound on what a peer may send that is part of no message: a burst, restored by time or by progress. Exceeding it
 * ends the connection with ENHANCE_YOUR_CALM (RFC 9113, 10.5). Confined to the connection's loop.
 */
public final class FloodBudget {

    private static final long NEVER = Long.MAX_VALUE;

    private final int burst;
    private final long nanosEach;
    private final String excess;
    private int left;
    private long filled;

    private FloodBudget(int burst, long nanosEach, String excess) {
        this.burst = burst;
        this.nanosEach = nanosEach;
        this.excess = excess;
        this.left = burst;
        this.filled = System.nanoTime();
    }

    /**
     * A budget that time restores. The clock is read only when the burst is spent.
     *
     * @param excess the message for a peer that exceeds the budget
     */
    public static FloodBudget perSecond(int burst, int perSecond, String excess) {
        return new FloodBudget(burst, TimeUnit.SECONDS.toNanos(1) / perSecond, excess);
    }

    /**
     * A budget that only {@link #restore} restores.
     *
     * @param excess the message for a peer that exceeds the budget
     */
    public static FloodBudget inARow(int burst, String excess) {
        return new FloodBudget(burst, NEVER, excess);
    }

    /** Charges a frame; throws when the budget is exceeded. */
    public void spend(int cost) throws ConnectionErrorException {
        if (left < cost && nanosEach != NEVER) {
            refill();
        }
        left -= cost;
        if (left < 0) {
            throw ConnectionErrorException.flood(excess);
        }
    }

    /** Restores the whole budget: part of a message was sent or received. */
    public void restore() {
        left = burst;
    }

    private void refill() {
        long now = System.nanoTime();
        long gained = (now - filled) / nanosEach;
        left = (int) Math.min(burst, left + gained);
        filled += gained * nanosEach;
    }
}
