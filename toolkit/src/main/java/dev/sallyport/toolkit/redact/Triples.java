package dev.sallyport.toolkit.redact;

import java.util.List;

/**
 * Which three bytes stand in a row in some token: a filter with one bit for each, so that false is certain and true is not.
 * Immutable and thread-safe.
 */
final class Triples {

    /** A token of this length has two bytes before or behind each of its bytes. */
    static final int MIN_TOKEN_LENGTH = 4;

    private static final int BITS_FOR_EACH = 8;
    private static final int LEAST_LOG = 10;
    private static final int MOST_LOG = 21;
    private static final int MIX = 0x9E3779B1;

    private final long[] bits;
    private final int shift;

    Triples(List<byte[]> tokens) {
        long entries = 0;
        for (byte[] token : tokens) {
            entries += token.length;
        }
        int log = Math.clamp(Long.SIZE - Long.numberOfLeadingZeros(entries * BITS_FOR_EACH), LEAST_LOG, MOST_LOG);
        bits = new long[1 << (log - 6)];
        shift = Integer.SIZE - log;
        for (byte[] token : tokens) {
            for (int i = 2; i < token.length; i++) {
                int bit = bit(token[i - 2], token[i - 1], token[i]);
                bits[bit >>> 6] |= 1L << bit;
            }
        }
    }

    private int bit(byte first, byte second, byte third) {
        return ((((first & 0xff) << 16) | ((second & 0xff) << 8) | (third & 0xff)) * MIX) >>> shift;
    }

    /** Whether they may stand in a token. */
    boolean mayHave(byte first, byte second, byte third) {
        int bit = bit(first, second, third);
        return (bits[bit >>> 6] >>> bit & 1) != 0;
    }
}
