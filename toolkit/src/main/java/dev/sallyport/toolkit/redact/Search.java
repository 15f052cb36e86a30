package dev.sallyport.toolkit.redact;

/**
 * A search for tokens in one reading of a stream. It stops at the first match that is certain: the longest of those that
 * begin leftmost. Positions are those of the stream.
 */
abstract sealed class Search permits PlainSearch, EscapedSearch {

    private boolean found;
    private long start;
    private long end;
    private int token;
    private boolean plain;

    /**
     * Reads on, unless there is a match, as far as the window reaches.
     *
     * @param last whether nothing follows
     */
    abstract void advance(boolean last);

    /** Where the bytes begin that may still become a match; the match's start when there is one. */
    abstract long undecidedFrom();

    /**
     * Forgets matches that begin before this position.
     *
     * @param own whether it is the end of this search's own match
     */
    abstract void restart(long floor, boolean own);

    /** The window's origin is about to move. */
    abstract void slide(int bytes);

    final void found(int newToken, long from, long to, boolean withoutEscape) {
        found = true;
        token = newToken;
        start = from;
        end = to;
        plain = withoutEscape;
    }

    final void forget() {
        found = false;
    }

    final boolean found() {
        return found;
    }

    final int token() {
        return token;
    }

    final long start() {
        return start;
    }

    final long end() {
        return end;
    }

    /** Whether this match is to be taken rather than another one: leftmost, then longest, then the one with escapes. */
    final boolean precedes(Search other) {
        if (start != other.start) {
            return start < other.start;
        }
        return end == other.end ? !plain && other.plain : end > other.end;
    }
}
