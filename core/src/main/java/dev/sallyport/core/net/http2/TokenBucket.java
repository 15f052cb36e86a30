package dev.sallyport.core.net.http2;

import java.util.concurrent.TimeUnit;

/** A token bucket: a burst, and a refill per second. Looks at the clock only when it is spent. */
final class TokenBucket {

    private final int burst;
    private final long each;
    private int left;
    private long filled;

    TokenBucket(int burst, int perSecond) {
        this.burst = burst;
        this.each = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.left = burst;
        this.filled = System.nanoTime();
    }

    /** Takes some of it; false when there is not enough. */
    boolean spend(int cost) {
        if (left < cost) {
            refill();
        }
        left -= cost;
        return left >= 0;
    }

    private void refill() {
        long now = System.nanoTime();
        long gained = (now - filled) / each;
        left = (int) Math.min(burst, left + gained);
        filled += gained * each;
    }
}
