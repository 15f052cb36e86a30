package dev.sallyport.toolkit.redact;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Looks for any of up to five bytes, eight positions at a time. Immutable. */
final class Needles {

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
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

    /** The bytes with which escapes of these kinds begin. */
    static Needles of(List<Escaping> escapings) {
        byte[] bytes = new byte[MOST];
        int count = 0;
        for (Escaping escaping : escapings) {
            for (byte begin : new byte[] {escaping.first(), escaping.second()}) {
                if (!contains(bytes, count, begin)) {
                    bytes[count++] = begin;
                }
            }
        }
        for (int i = count; i < MOST; i++) {
            bytes[i] = bytes[0];
        }
        return new Needles(bytes);
    }

    private static boolean contains(byte[] bytes, int count, byte wanted) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] == wanted) {
                return true;
            }
        }
        return false;
    }

    /** The first index of one of the bytes, or -1. */
    int indexIn(ByteBuffer data, int from, int to) {
        int at = from;
        for (int last = to - Long.BYTES; at <= last; at += Long.BYTES) {
            long word = (long) LONGS.get(data, at);
            long hits = zeros(word ^ first)
                    | zeros(word ^ second)
                    | zeros(word ^ third)
                    | zeros(word ^ fourth)
                    | zeros(word ^ fifth);
            if (hits != 0) {
                return at + Long.numberOfTrailingZeros(hits) / Byte.SIZE;
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

    /** The high bit of the lowest byte that is zero, and maybe of bytes above it. */
    private static long zeros(long word) {
        return (word - ONES) & ~word & HIGHS;
    }
}
