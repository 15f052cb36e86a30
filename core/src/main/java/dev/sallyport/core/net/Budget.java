package dev.sallyport.core.net;

import java.util.concurrent.TimeUnit;

/** Something that may be done so often at once, and so often in each second. Looks at the clock only when it is spent. */
final class Budget {

    private final int burst;
    private final int perSecond;
    private int left;
    private long filled;

    Budget(int burst, int perSecond) {
        this.burst = burst;
        this.perSecond = perSecond;
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
        long millis = TimeUnit.NANOSECONDS.toMillis(now - filled);
        left = (int) Math.min(burst, left + millis * perSecond / 1000);
        filled = now;
    }
}
