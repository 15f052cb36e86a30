package dev.sallyport.toolkit.token;

import java.time.Duration;

/** A token that has been minted. Immutable; prints as {@code ***}. */
public final class AccessToken {

    /** How long a token counts whose lifetime nobody told. */
    public static final Duration USUAL_LIFETIME = Duration.ofMinutes(5);

    /** In characters. Headers of that size are refused nearly everywhere. */
    private static final int MAX_LENGTH = 32 << 10;

    private static final Duration LONGEST_LIFETIME = Duration.ofDays(365);

    private final String value;
    private final Duration lifetime;

    /**
     * A token.
     *
     * @param value printable ASCII (RFC 6749, A.12)
     * @param lifetime from the moment at which the mint began; one that is not positive makes a token for those who wait
     *     for it and nobody else
     * @throws IllegalArgumentException when the value is not {@linkplain #isUsable usable}
     */
    public AccessToken(String value, Duration lifetime) {
        if (!isUsable(value)) {
            throw new IllegalArgumentException("token: not usable (expected: 1 to 32768 printable ASCII characters)");
        }
        this.value = value;
        this.lifetime = lifetime.compareTo(LONGEST_LIFETIME) > 0 ? LONGEST_LIFETIME : lifetime;
    }

    /** Whether a text can be a token: printable ASCII (RFC 6749, A.12), not empty and not longer than 32 KiB. */
    public static boolean isUsable(String text) {
        return !text.isEmpty() && text.length() <= MAX_LENGTH && text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    /** The token itself. */
    public String value() {
        return value;
    }

    /** How long it is good for, from the moment at which its mint began. */
    public Duration lifetime() {
        return lifetime;
    }

    @Override
    public String toString() {
        return "***";
    }
}
