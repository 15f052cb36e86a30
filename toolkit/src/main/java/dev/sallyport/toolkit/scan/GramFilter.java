package dev.sallyport.toolkit.scan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Skips text that cannot contain a token. Each token has a window of rare bytes, of one width for all. A token in the
 * text has its window there, whole, so that one of any {@code stride} consecutive positions is the start of one of the
 * window's q-grams: looking at every {@code stride}-th position of the text is enough. Immutable.
 */
final class GramFilter {

    /** Shorter tokens leave no room to skip. */
    static final int MIN_TOKEN_LENGTH = 4;

    private static final int MAX_WINDOW = 32;
    private static final int MAX_OFFSET = 64;
    private static final int MAX_BITS_LOG = 22;
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final int window;
    private final int gramLength;
    private final int stride;
    private final int drop;
    /** How far before a sampled position a token may begin that earlier samples have not ruled out. */
    private final int reach;

    /** A Bloom filter: two bits for each gram, both in one word. */
    private final long[] bits;

    private final int wordShift;
    /** A hash set; zero is an empty slot. */
    private final long[] grams;

    private boolean zeroGram;

    GramFilter(List<byte[]> tokens, int minLength) {
        window = Math.min(minLength, MAX_WINDOW);
        gramLength = window < 8 ? window - 1 : Math.min(8, window / 2);
        stride = window - gramLength + 1;
        drop = 64 - 8 * gramLength;
        long entries = (long) tokens.size() * stride;
        int bitsLog = Math.clamp(64 - Long.numberOfLeadingZeros(entries * 16 - 1), 12, MAX_BITS_LOG);
        bits = new long[1 << (bitsLog - 6)];
        wordShift = 64 - (bitsLog - 6);
        int capacity = Integer.highestOneBit((int) Math.min(entries * 4 - 1, 1 << 29));
        grams = new long[capacity];
        RareWindow windows = new RareWindow(tokens, window, gramLength, MAX_OFFSET);
        int furthest = 0;
        for (byte[] token : tokens) {
            int offset = windows.choose(token);
            furthest = Math.max(furthest, offset);
            for (int i = 0; i < stride; i++) {
                add(gram(token, offset + i, gramLength));
            }
        }
        reach = furthest + stride - 1;
    }

    /**
     * Moves the cursor, which must be in the root state with nothing pending, forward to where a token may begin:
     * before a gram of a token, to the last bytes, in which no whole window fits, or to the end when nothing follows
     * them.
     *
     * @param shift what has to be taken from a cursor position to get an index of {@code data}
     */
    void skip(Match cursor, ByteBuffer data, int shift, int to) {
        int last = to - shift - Long.BYTES;
        int at = cursor.position - shift;
        for (; at <= last; at += stride) {
            long gram = (long) LONGS.get(data, at) << drop;
            if (mayContain(gram) && contains(gram)) {
                cursor.resumeAt(Math.max(cursor.position, at + shift - reach), at + shift);
                return;
            }
        }
        if (cursor.whole) {
            skipToEnd(cursor, data, shift, at, to);
        } else {
            cursor.resumeAt(Math.max(cursor.position, at + shift - reach), to - 1);
        }
    }

    private void skipToEnd(Match cursor, ByteBuffer data, int shift, int from, int to) {
        int end = to - shift;
        for (int at = from; at <= end - gramLength; at += stride) {
            long gram = lastGram(data, at, end);
            if (mayContain(gram) && contains(gram)) {
                cursor.resumeAt(Math.max(cursor.position, at + shift - reach), at + shift);
                return;
            }
        }
        cursor.resumeAt(to, to - 1);
    }

    /** The gram at a position less than eight bytes before the end. */
    private long lastGram(ByteBuffer data, int at, int end) {
        int first = end - Long.BYTES;
        if (first >= 0) {
            return (long) LONGS.get(data, first) >>> ((at - first) * Byte.SIZE) << drop;
        }
        long gram = 0;
        for (int i = gramLength - 1; i >= 0; i--) {
            gram = (gram << 8) | (data.get(at + i) & 0xff);
        }
        return gram << drop;
    }

    /** The bytes in the upper part of a long, the last one uppermost. */
    static long gram(byte[] bytes, int offset, int length) {
        long gram = 0;
        for (int i = length - 1; i >= 0; i--) {
            gram = (gram << 8) | (bytes[offset + i] & 0xff);
        }
        return gram << (64 - 8 * length);
    }

    private boolean mayContain(long gram) {
        long hash = gram * MIX;
        long word = bits[(int) (hash >>> wordShift)];
        return ((word >>> (hash >>> (wordShift - 6))) & (word >>> (hash >>> (wordShift - 12))) & 1) != 0;
    }

    private boolean contains(long gram) {
        if (gram == 0) {
            return zeroGram;
        }
        int slot = slot(gram);
        while (grams[slot] != 0 && grams[slot] != gram) {
            slot = (slot + 1) & (grams.length - 1);
        }
        return grams[slot] == gram;
    }

    private void add(long gram) {
        long hash = gram * MIX;
        bits[(int) (hash >>> wordShift)] |= (1L << (hash >>> (wordShift - 6))) | (1L << (hash >>> (wordShift - 12)));
        if (gram == 0) {
            zeroGram = true;
            return;
        }
        int slot = slot(gram);
        while (grams[slot] != 0 && grams[slot] != gram) {
            slot = (slot + 1) & (grams.length - 1);
        }
        grams[slot] = gram;
    }

    private int slot(long gram) {
        return (int) ((gram * MIX) >>> 32) & (grams.length - 1);
    }
}
