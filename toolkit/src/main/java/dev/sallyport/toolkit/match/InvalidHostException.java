package dev.sallyport.toolkit.match;

/**
 * An invalid host or authority. The message says what is wrong and what was expected; it never repeats the text, which
 * came from a peer.
 */
public final class InvalidHostException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String reason;
    private final String expected;

    InvalidHostException(String reason, String expected) {
        super(reason + " (expected: " + expected + ")");
        this.reason = reason;
        this.expected = expected;
    }

    /** What is wrong. */
    public String reason() {
        return reason;
    }

    /** What was expected. */
    public String expected() {
        return expected;
    }
}
