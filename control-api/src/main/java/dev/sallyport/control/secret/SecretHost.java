package dev.sallyport.control.secret;

import dev.sallyport.toolkit.match.HostGlob;
import dev.sallyport.toolkit.match.InvalidPatternException;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of hosts to which a secret may go: {@code *}, one host, or {@code *.example.com}, which is one label below
 * {@code example.com}, no more and no less.
 */
public final class SecretHost {

    private static final String BELOW = "*.";
    private static final String EXPECTED = " (expected: a host such as api.example.com, *.example.com, or *)";

    private SecretHost() {}

    /** What is wrong with a pattern, or null. */
    static @Nullable String problem(String pattern) {
        if (pattern.codePointCount(0, pattern.length()) > SecretFields.LONGEST_HOST) {
            return "out of range (expected: at most " + SecretFields.LONGEST_HOST + " characters)";
        }
        if (pattern.equals("*")) {
            return null;
        }
        String host = pattern.startsWith(BELOW) ? pattern.substring(BELOW.length()) : pattern;
        if (host.indexOf('*') >= 0 || host.indexOf('?') >= 0) {
            return "a wildcard that is not the first label" + EXPECTED;
        }
        try {
            HostGlob.parse(host);
            HostGlob.parse(rule(pattern));
            return null;
        } catch (InvalidPatternException e) {
            return e.reason() + EXPECTED;
        }
    }

    /** The same as the host of a rule of the engine, whose {@code *.} is any depth and the apex. */
    public static String rule(String pattern) {
        return pattern.startsWith(BELOW) ? "?" + pattern : pattern;
    }
}
