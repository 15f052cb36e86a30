package dev.sallyport.core.dns;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * A token bucket for each source address, in memory of a fixed size: forged addresses evict those that have asked
 * least, so a source over its limit stays over it. Each bucket is one number, the time at which it will be full again.
 * Confined to the loop.
 */
final class SourceRateLimiter {

    private static final int SETS = 4096;
    private static final int WAYS = 8;
    private static final long SECOND = 1_000_000_000L;

    /** Two seconds' worth may come at once. */
    private static final long BURST = 2 * SECOND;

    private final long seed = new SecureRandom().nextLong();
    private final long[] keys = new long[SETS * WAYS];
    private final long[] fullAt = new long[SETS * WAYS];
    private final LongSupplier clock;
    private final long start;

    /** @param clock nanoseconds, as {@link System#nanoTime} counts them */
    SourceRateLimiter(LongSupplier clock) {
        this.clock = clock;
        this.start = clock.getAsLong();
    }

    /** Takes a token; returns false when there is none. A rate of 0 is unlimited. */
    boolean tryAcquire(InetAddress source, int perSecond) {
        if (perSecond == 0) {
            return true;
        }
        long now = clock.getAsLong() - start + 1;
        long key = key(source);
        int slot = slot(key);
        long interval = SECOND / perSecond;
        long next = Math.max(fullAt[slot], now) + interval;
        if (keys[slot] != key) {
            keys[slot] = key;
            next = now + interval;
        } else if (next - now > Math.max(BURST, interval)) {
            return false;
        }
        fullAt[slot] = next;
        return true;
    }

    /** The bucket of this key, or the fullest of its set. */
    private int slot(long key) {
        int first = (int) (key >>> 52) * WAYS;
        int fullest = first;
        for (int i = first; i < first + WAYS; i++) {
            if (keys[i] == key) {
                return i;
            }
            if (fullAt[i] < fullAt[fullest]) {
                fullest = i;
            }
        }
        return fullest;
    }

    /** IPv4 addresses cannot collide; nobody outside can tell which IPv6 addresses do. */
    private long key(InetAddress source) {
        byte[] address = source.getAddress();
        if (address.length == 4) {
            return mix(ByteBuffer.wrap(address).getInt() ^ seed);
        }
        ByteBuffer halves = ByteBuffer.wrap(address);
        return mix(mix(halves.getLong() ^ seed) + halves.getLong());
    }

    /** The finalizer of SplitMix64: every bit of the input moves every bit of the output, and none is lost. */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
