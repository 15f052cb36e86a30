package dev.sallyport.control.feed;

import java.util.HashMap;
import java.util.Map;

/**
 * How much of secrets is on its way to proxies. Each proxy gets its own text, so that the large secrets of an organization
 * with many proxies would fill the memory at once. An organization takes as much as it leaves for others, and each may take
 * a little even when others have taken all: proxies that acknowledge nothing keep nobody from their secrets. Thread-safe.
 */
final class SealedInFlight {

    /** For all together, in bytes, but for {@link #MOST_OF_THE_LEAST}. */
    static final long MOST = 128L << 20;

    /** For an organization: more than all its secrets for one proxy. */
    static final long MOST_OF_ONE = 32L << 20;

    /** What an organization may take, whatever others have taken. */
    static final long LEAST_OF_ONE = 256L << 10;

    /** What all together may take beyond {@link #MOST}, each no more than its least. */
    static final long MOST_OF_THE_LEAST = 32L << 20;

    private final Map<String, Long> taken = new HashMap<>();
    private long total;

    /** Takes room, and returns whether there is enough. */
    synchronized boolean take(String organization, long bytes) {
        long before = taken.getOrDefault(organization, 0L);
        if (!isAllowed(before + bytes, total - before)) {
            return false;
        }
        taken.put(organization, before + bytes);
        total += bytes;
        return true;
    }

    private static boolean isAllowed(long own, long others) {
        return own <= LEAST_OF_ONE
                ? own + others <= MOST + MOST_OF_THE_LEAST
                : own <= Math.min(MOST_OF_ONE, (MOST - others) / 2);
    }

    /** Gives back what was taken. */
    synchronized void give(String organization, long bytes) {
        total -= bytes;
        taken.computeIfPresent(organization, (same, own) -> own > bytes ? own - bytes : null);
    }
}
