package dev.sallyport.toolkit.redact;

/**
 * A search for tokens in one reading of a stream. It stops at the first match that is certain: the longest of those
 * that begin leftmost. Positions are those of the stream.
 */
abstract sealed class Search permits PlainSearch, EscapedSearch {

    private boolean found;
    private long start;
    private long end;
    private int token;
    private boolean plain;

    /**
     * Continues to the end of the window unless there is a match.
     *
     * @param last whether no bytes follow
     */
    abstract void advance(boolean last);

    /** The start of the bytes that may still become a match; the match's start when there is one. */
    abstract long undecidedFrom();

    /** How many bytes, escapes decoded, may still become a match. */
    abstract int undecidedLength();

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

    /** Whether this match takes precedence over another: leftmost, then longest, then the one with escapes. */
    final boolean precedes(Search other) {
        if (start != other.start) {
            return start < other.start;
        }
        return end == other.end ? !plain && other.plain : end > other.end;
    }
}
