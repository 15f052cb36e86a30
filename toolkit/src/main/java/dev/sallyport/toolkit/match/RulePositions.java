package dev.sallyport.toolkit.match;

/** The rules at the end of a pattern, of which the lowest position counts. */
interface RulePositions {

    /** No rule; greater than the position of any. */
    int NONE = Integer.MAX_VALUE;

    /** The lowest position of these rules, or {@link #NONE}. */
    int min();
}
