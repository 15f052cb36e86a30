package dev.sallyport.toolkit.scan;

/** Where a {@link TokenMatcher} found a token. Reusable, so that searching allocates nothing. Not thread-safe. */
public final class Match {

    private int token = -1;
    private int start;
    private int end;

    /** The next position to be read. */
    int position;

    /** The automaton's state, which stands for the bytes before the position. */
    int state;

    /** The automaton has yet to rule out tokens that begin at or before this position. */
    int hot;

    /** Whether no bytes follow those that are searched. */
    boolean whole;

    /** Makes a cursor without a match. */
    public Match() {}

    /** The index of the token found last, or -1. */
    public int token() {
        return token;
    }

    /** Where it begins. */
    public int start() {
        return start;
    }

    /** Where it ends, exclusive. */
    public int end() {
        return end;
    }

    /** Starts a search. */
    void begin(int from) {
        token = -1;
        resumeAt(from, from - 1);
    }

    /** Goes on from another position with nothing pending. */
    void resumeAt(int from, int hotUntil) {
        position = from;
        state = Automaton.ROOT;
        hot = hotUntil;
    }

    boolean isPending() {
        return token >= 0;
    }

    void found(int foundToken, int from, int to) {
        if (token < 0 || from <= start) {
            token = foundToken;
            start = from;
            end = to;
        }
    }

    /** As {@link #found}, for a token that was cut off. */
    void begun(int begunToken, int from, int to) {
        if (token < 0 || from < start || (from == start && to > end)) {
            token = begunToken;
            start = from;
            end = to;
        }
    }

    /** Forgets the first bytes. */
    void rebase(int bytes) {
        position -= bytes;
        hot -= bytes;
        start -= bytes;
        end -= bytes;
    }
}
