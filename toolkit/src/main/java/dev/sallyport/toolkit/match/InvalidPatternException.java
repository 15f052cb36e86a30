package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Problems;

/** A pattern or range of the configuration that is malformed: a configuration error, never a silent non-match. */
public final class InvalidPatternException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String reason;
    private final String expected;

    /**
     * A problem.
     *
     * @param reason what is wrong
     * @param expected what was expected
     */
    public InvalidPatternException(String reason, String expected) {
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

    /** Reports this problem at {@code pointer}. */
    public void addTo(Problems problems, String pointer) {
        problems.add(pointer, reason, expected);
    }
}
