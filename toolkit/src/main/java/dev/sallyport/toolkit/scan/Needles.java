package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Looks for any of up to five bytes, eight positions at a time. Immutable and thread-safe. */
public final class Needles {

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final int MOST = 5;

    private final long first;
    private final long second;
    private final long third;
    private final long fourth;
    private final long fifth;

    private Needles(byte[] bytes) {
        first = (bytes[0] & 0xff) * ONES;
        second = (bytes[1] & 0xff) * ONES;
        third = (bytes[2] & 0xff) * ONES;
        fourth = (bytes[3] & 0xff) * ONES;
        fifth = (bytes[4] & 0xff) * ONES;
    }

    /**
     * The same byte may be there more than once.
     *
     * @throws IllegalArgumentException when there is none, or there are more than five different ones
     */
    public static Needles of(byte... bytes) {
        byte[] different = new byte[MOST];
        int count = 0;
        for (byte value : bytes) {
            if (!contains(different, count, value)) {
                if (count == MOST) {
                    throw new IllegalArgumentException("bytes: too many (expected: at most 5 different ones)");
                }
                different[count++] = value;
            }
        }
        if (count == 0) {
            throw new IllegalArgumentException("bytes: none (expected: at least one)");
        }
        Arrays.fill(different, count, MOST, different[0]);
        return new Needles(different);
    }

    private static boolean contains(byte[] bytes, int count, byte wanted) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] == wanted) {
                return true;
            }
        }
        return false;
    }

    /** The first absolute index of one of the bytes, or -1. The buffer's position is neither used nor changed. */
    public int indexIn(ByteBuffer data, int from, int to) {
        int at = from;
        for (int last = to - Long.BYTES; at <= last; at += Long.BYTES) {
            // In whatever order: all that counts is whether there is one.
            long word = data.getLong(at);
            long hits = zeros(word ^ first)
                    | zeros(word ^ second)
                    | zeros(word ^ third)
                    | zeros(word ^ fourth)
                    | zeros(word ^ fifth);
            if (hits != 0) {
                break;
            }
        }
        for (; at < to; at++) {
            byte value = data.get(at);
            if (value == (byte) first
                    || value == (byte) second
                    || value == (byte) third
                    || value == (byte) fourth
                    || value == (byte) fifth) {
                return at;
            }
        }
        return -1;
    }

    /** Not zero when a byte is zero. */
    private static long zeros(long word) {
        return (word - ONES) & ~word & HIGHS;
    }
}
