package dev.sallyport.toolkit.scan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Finds any of up to five bytes. If the first is far away, a branch-free loop, which the compiler vectorises, rules out
 * whole blocks of an array; copying a buffer's bytes into an array first costs far less than testing them in the
 * buffer. Immutable and thread-safe.
 */
public final class ByteFinder {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int BLOCK = 512;
    /** The bytes that are tested word by word first: most texts with one of the bytes have it near the beginning. */
    private static final int NEAR = 128;

    /** How many bytes are copied first: in a text full of such bytes one is near. */
    private static final int FIRST_COPIED = 64;

    /** How many are copied at a time after that: whole blocks, none of which is left to be tested word by word. */
    private static final int COPIED = NEAR + 8 * BLOCK;

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final int MOST = 5;

    private final long first;
    private final long second;
    private final long third;
    private final long fourth;
    private final long fifth;

    private ByteFinder(byte[] bytes) {
        first = (bytes[0] & 0xff) * ONES;
        second = (bytes[1] & 0xff) * ONES;
        third = (bytes[2] & 0xff) * ONES;
        fourth = (bytes[3] & 0xff) * ONES;
        fifth = (bytes[4] & 0xff) * ONES;
    }

    /**
     * Duplicate bytes are allowed.
     *
     * @throws IllegalArgumentException when there is none, or there are more than five different ones
     */
    public static ByteFinder of(byte... bytes) {
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
        return new ByteFinder(different);
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
        if (from >= to) {
            return -1;
        }
        if (isOne(data.get(from))) {
            return from;
        }
        SearchBuffer scratch = SearchBuffer.take();
        try {
            int most = FIRST_COPIED;
            for (int at = from; at < to; ) {
                int length = Math.min(most, to - at);
                byte[] copy = scratch.array(length);
                data.get(at, copy, 0, length);
                int index = indexIn(copy, 0, length);
                if (index >= 0) {
                    return at + index;
                }
                at += length;
                most = COPIED;
            }
            return -1;
        } finally {
            scratch.give();
        }
    }

    /** The first index of one of the bytes, or -1. */
    public int indexIn(byte[] bytes, int from, int to) {
        int at = indexOfWord(bytes, from, Math.min(to, from + NEAR));
        if (at == from + NEAR) {
            while (at <= to - BLOCK && !isIn(bytes, at, at + BLOCK)) {
                at += BLOCK;
            }
            at = indexOfWord(bytes, at, to);
        }
        for (; at < to; at++) {
            if (isOne(bytes[at])) {
                return at;
            }
        }
        return -1;
    }

    /** The first word that contains one of the bytes, or the end of the last whole word. */
    private int indexOfWord(byte[] bytes, int from, int to) {
        int at = from;
        while (at <= to - Long.BYTES && (hits((long) LONGS.get(bytes, at)) & HIGHS) == 0) {
            at += Long.BYTES;
        }
        return at;
    }

    private boolean isIn(byte[] bytes, int from, int to) {
        // Local copies: the compiler does not vectorise accesses to fields.
        long one = first;
        long two = second;
        long three = third;
        long four = fourth;
        long five = fifth;
        long hits = 0;
        for (int at = from; at < to; at += Long.BYTES) {
            long word = (long) LONGS.get(bytes, at);
            hits |= zeros(word ^ one)
                    | zeros(word ^ two)
                    | zeros(word ^ three)
                    | zeros(word ^ four)
                    | zeros(word ^ five);
        }
        return (hits & HIGHS) != 0;
    }

    private boolean isOne(byte value) {
        return value == (byte) first
                || value == (byte) second
                || value == (byte) third
                || value == (byte) fourth
                || value == (byte) fifth;
    }

    /** The high bit of some byte is set when the word has one of the bytes in it, and only then. */
    private long hits(long word) {
        return zeros(word ^ first)
                | zeros(word ^ second)
                | zeros(word ^ third)
                | zeros(word ^ fourth)
                | zeros(word ^ fifth);
    }

    /** The high bit of some byte is set when a byte is zero, and only then. */
    private static long zeros(long word) {
        return (word - ONES) & ~word;
    }
}
