package dev.sallyport.toolkit.coding;

/**
 * How far coded data may expand. Decoders never hold more than a window, so these limits protect the processor and the
 * receiver of the output, not the decoder's memory. In a chain of codings the output of every stage is compared with
 * the input of the first.
 *
 * @param maxRatio decoded bytes allowed for each coded byte, once {@code grace} is used up
 * @param grace decoded bytes that are always allowed, whatever the ratio
 * @param maxBytes decoded bytes allowed in all
 */
public record DecodeLimits(long maxRatio, long grace, long maxBytes) {

    /** 250 to 1 beyond the first MiB, no absolute limit. */
    public static final DecodeLimits DEFAULT = new DecodeLimits(250, 1 << 20, Long.MAX_VALUE);

    /** Checks that no limit is negative, and that the ratio is positive. */
    public DecodeLimits {
        if (maxRatio < 1 || grace < 0 || maxBytes < 0) {
            throw new IllegalArgumentException(
                    "decode limits: negative or zero (expected: maxRatio >= 1, grace >= 0, maxBytes >= 0)");
        }
    }

    /** Whether this many decoded bytes are allowed for this many coded ones. */
    boolean allow(long coded, long decoded) {
        return decoded <= maxBytes && (decoded <= grace || (decoded - grace - 1) / maxRatio < coded);
    }
}
