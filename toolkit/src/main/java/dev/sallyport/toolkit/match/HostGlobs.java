package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Problems;
import java.util.List;

/**
 * Many host patterns with a single look-up, such as a list of names that are passed through. Immutable and thread-safe.
 * A look-up allocates nothing, and its cost does not grow with the number of patterns that cannot match.
 */
public final class HostGlobs {

    private final HostIndex hosts;
    private final boolean empty;

    private HostGlobs(HostIndex hosts, boolean empty) {
        this.hosts = hosts;
        this.empty = empty;
    }

    /**
     * Compiles patterns and reports all problems.
     *
     * @param pointer the list's place, such as {@code /passthrough}; problems are reported below it
     * @return the set of the well-formed ones; not to be used when a problem was reported
     */
    public static HostGlobs compile(List<String> patterns, Problems problems, String pointer) {
        HostIndex.Builder builder = new HostIndex.Builder();
        for (int i = 0; i < patterns.size(); i++) {
            try {
                builder.at(HostGlob.parse(patterns.get(i))).add(i);
            } catch (InvalidPatternException e) {
                e.addTo(problems, pointer + "/" + i);
            }
        }
        return new HostGlobs(builder.build(), patterns.isEmpty());
    }

    /** Whether some pattern matches a canonical host. */
    public boolean matches(String canonicalHost) {
        return first(canonicalHost) >= 0;
    }

    /** The position of the first pattern that matches a canonical host, or -1. */
    public int first(String canonicalHost) {
        boolean literal = Hosts.isLiteral(canonicalHost);
        int first = hosts.first(canonicalHost, literal, RequestKnowledge.ANY, 0, MethodNames.UNKNOWN, "", null);
        return first == RulePositions.NONE ? -1 : first;
    }

    /** Whether there are no patterns. */
    public boolean isEmpty() {
        return empty;
    }
}
