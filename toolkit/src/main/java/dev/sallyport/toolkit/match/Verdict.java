package dev.sallyport.toolkit.match;

/** What stands at the end of patterns: rules, of which the lowest position counts. */
interface Verdict {

    /** No rule; greater than the position of any. */
    int NONE = Integer.MAX_VALUE;

    /** The lowest position of a rule in here, or {@link #NONE}. */
    int min();
}
