package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.DecodeLimits;

/**
 * The limits of one body.
 *
 * @param cap the most bytes that a reader may have buffered ({@code proxy.max_request_body_bytes},
 *     {@code proxy.max_response_body_bytes}); {@link Long#MAX_VALUE} for no limit
 * @param hold the most bytes that are held back so that the length is exact and an unchanged body is forwarded in its
 * original bytes
 * @param maxExpansion how many bytes one coded byte may decode to, beyond the first MiB
 */
public record BodyLimits(long cap, long hold, long maxExpansion) {

    /** Decoded bytes for each coded byte. */
    public static final long DEFAULT_EXPANSION = 250;

    private static final long RESPONSE_HOLD = 1 << 20;

    /** Checks that nothing is negative. */
    public BodyLimits {
        if (cap < 0 || hold < 0 || maxExpansion < 1) {
            throw new IllegalArgumentException("body limits: negative (expected: cap >= 0, hold >= 0, expansion >= 1)");
        }
    }

    /** For requests: origins prefer an exact length, so anything within the cap is held for it. */
    public static BodyLimits request(long cap) {
        return new BodyLimits(cap, cap, DEFAULT_EXPANSION);
    }

    /** For responses: clients prefer an early start, so at most 1 MiB is held. */
    public static BodyLimits response(long cap) {
        return new BodyLimits(cap, Math.min(cap, RESPONSE_HOLD), DEFAULT_EXPANSION);
    }

    /** For a body that is decoded as it streams. */
    DecodeLimits decoding() {
        return new DecodeLimits(maxExpansion, DecodeLimits.DEFAULT.grace(), DecodeLimits.DEFAULT.maxBytes());
    }

    /** For a message that is decoded whole. */
    DecodeLimits decodingWhole() {
        return new DecodeLimits(maxExpansion, DecodeLimits.DEFAULT.grace(), cap);
    }
}
