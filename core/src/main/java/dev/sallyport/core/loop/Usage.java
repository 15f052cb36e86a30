package dev.sallyport.core.loop;

import java.util.concurrent.TimeUnit;

/** How much of a loop somebody used lately. Confined to the loop. */
final class Usage {

    /** Who used less than this lately goes before the others. */
    private static final long LIGHT_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** What was used counts half after 2^26 ns, which are 67 ms. */
    private static final int HALF_LIFE = 26;

    private long used;
    private long usedAt;

    void add(long nanos, long now) {
        used = recently(now) + nanos;
        usedAt = now;
    }

    boolean isLight(long now) {
        return recently(now) < LIGHT_NANOS;
    }

    private long recently(long now) {
        return used >> Math.min(63, (now - usedAt) >> HALF_LIFE);
    }
}
