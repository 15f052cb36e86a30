package dev.sallyport.spi;

/**
 * A compiled list of rules. Thread-safe; look-ups allocate nothing and their cost does not grow with the number of
 * rules that cannot match. Made by {@link BuildContext#rules}.
 */
public interface RuleSet {

    /** The result of a look-up when nothing matches. */
    int NO_MATCH = -1;

    /**
     * The position of the first rule that matches, or {@link #NO_MATCH}. With an empty method (host-only visibility)
     * rules that name methods or paths do not match.
     *
     * @param decodedPath see {@link RequestHead#decodedPath()}
     */
    int match(Destination destination, String method, String decodedPath);

    /** {@link #match(Destination, String, String)} for the request of a context. */
    default int match(RequestContext context) {
        return match(
                context.destination(), context.head().method(), context.head().decodedPath());
    }

    /** Whether some request to this destination could match: only host, address, port and scheme are compared. */
    boolean reaches(Destination destination);

    /**
     * Whether some request through a tunnel to this target could match. As {@link #reaches}, but whatever the scheme,
     * and for an address literal any rule with a host counts, because scheme and name are not yet known.
     */
    boolean reachesThrough(Destination tunnelTarget);

    /** Whether the list has no rules. */
    boolean isEmpty();
}
