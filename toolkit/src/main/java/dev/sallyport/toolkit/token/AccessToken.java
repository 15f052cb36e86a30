package dev.sallyport.toolkit.token;

import java.time.Duration;

/** A token that has been minted. Immutable; prints as {@code ***}. */
public final class AccessToken {

    /** The lifetime of a token whose issuer states none. */
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
     * @param lifetime counted from the start of the mint; if it is not positive, only the callers that are waiting get
     *     the token
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

    /** How long it is valid, counted from the start of its mint. */
    public Duration lifetime() {
        return lifetime;
    }

    @Override
    public String toString() {
        return "***";
    }
}
