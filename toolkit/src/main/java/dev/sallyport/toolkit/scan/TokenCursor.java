package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;

/**
 * A search of a {@link TokenMatcher} through bytes that come in pieces and that the caller keeps. Positions count from
 * an origin that the caller chooses and may move. Finds the leftmost match, then the longest. Not thread-safe.
 */
public final class TokenCursor {

    private final TokenMatcher matcher;
    private final Match match = new Match();

    /** Begins at position 0. */
    public TokenCursor(TokenMatcher matcher) {
        this.matcher = matcher;
        match.begin(0);
    }

    /** Restarts the search at this position. */
    public void begin(int from) {
        match.begin(from);
    }

    /**
     * Reads up to a position or to the next certain match, after which no longer or earlier one is possible.
     *
     * @param data contains the bytes from the present position on
     * @param shift the difference between a position and its index in {@code data}
     * @param first the first position in {@code data}
     * @return whether there is such a match; {@link #begin} continues after it
     */
    public boolean run(ByteBuffer data, int shift, int first, int to) {
        return match.position < to && matcher.run(match, data, shift, first, to);
    }

    /** Whether there is a match that a longer one may still replace; at the end of all bytes it counts. */
    public boolean isPending() {
        return match.isPending();
    }

    /** Ends the input; returns whether there is a match. */
    public boolean finish() {
        return matcher.finish(match);
    }

    /** The start of the bytes that may still become a match. */
    public int undecidedFrom() {
        return matcher.undecidedFrom(match);
    }

    /** The index of the token found. */
    public int token() {
        return match.token();
    }

    /** Where it begins. */
    public int start() {
        return match.start();
    }

    /** Where it ends, exclusive. */
    public int end() {
        return match.end();
    }

    /** Moves the origin forward. */
    public void rebase(int bytes) {
        match.rebase(bytes);
    }
}
