package dev.sallyport.core.config;

import java.util.Comparator;

/**
 * One problem of a configuration. Contains no secret.
 *
 * @param at the place
 * @param pointer JSON pointer (RFC 6901) of the faulty value; empty for the whole
 * @param message what is wrong
 * @param expected what was expected; empty when the message says so
 */
public record ConfigProblem(Location at, String pointer, String message, String expected)
        implements Comparable<ConfigProblem> {

    private static final Comparator<ConfigProblem> ORDER = Comparator.comparing(ConfigProblem::at)
            .thenComparing(ConfigProblem::pointer)
            .thenComparing(ConfigProblem::message)
            .thenComparing(ConfigProblem::expected);

    /** In the order of the places. */
    @Override
    public int compareTo(ConfigProblem other) {
        return ORDER.compare(this, other);
    }

    /** {@code file:line:column: pointer: message (expected: ...)}, on one line. */
    @Override
    public String toString() {
        String where = pointer.isEmpty() ? at + ": " : at + ": " + pointer + ": ";
        return MessageText.onOneLine(where + message + (expected.isEmpty() ? "" : " (expected: " + expected + ")"));
    }
}
