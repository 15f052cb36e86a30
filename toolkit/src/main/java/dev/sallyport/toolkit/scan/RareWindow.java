package dev.sallyport.toolkit.scan;

import java.util.List;

/**
 * Chooses in each token the window whose grams are least shared with other tokens and whose bytes are least common in
 * texts. This avoids a common prefix of all tokens.
 */
final class RareWindow {

    private static final int COUNTERS_LOG = 18;
    private static final int SHARED_COST = 1_000;

    private final int window;
    private final int gramLength;
    private final int maxOffset;
    private final int[] counters = new int[1 << COUNTERS_LOG];

    RareWindow(List<byte[]> tokens, int window, int gramLength, int maxOffset) {
        this.window = window;
        this.gramLength = gramLength;
        this.maxOffset = maxOffset;
        for (byte[] token : tokens) {
            for (int i = 0; i <= lastOffset(token) + window - gramLength; i++) {
                counters[counter(token, i)]++;
            }
        }
    }

    /** The offset of the window in this token. */
    int choose(byte[] token) {
        long cost = 0;
        for (int i = 0; i <= window - gramLength; i++) {
            cost += sharing(token, i);
        }
        for (int i = 0; i < window; i++) {
            cost += commonness(token[i]);
        }
        int best = 0;
        long lowest = cost;
        for (int offset = 1; offset <= lastOffset(token); offset++) {
            cost += sharing(token, offset + window - gramLength) - sharing(token, offset - 1);
            cost += commonness(token[offset + window - 1]) - commonness(token[offset - 1]);
            if (cost < lowest) {
                lowest = cost;
                best = offset;
            }
        }
        return best;
    }

    private int lastOffset(byte[] token) {
        return Math.min(token.length - window, maxOffset);
    }

    private long sharing(byte[] token, int offset) {
        return (long) (counters[counter(token, offset)] - 1) * SHARED_COST;
    }

    private int counter(byte[] token, int offset) {
        return (int) ((GramFilter.gram(token, offset, gramLength) * 0x9E3779B97F4A7C15L) >>> (64 - COUNTERS_LOG));
    }

    private static int commonness(byte value) {
        if ((value >= 'a' && value <= 'z') || value == ' ' || value == 0) {
            return 4;
        }
        return (value >= 'A' && value <= 'Z') || (value >= '0' && value <= '9') ? 2 : 3;
    }
}
