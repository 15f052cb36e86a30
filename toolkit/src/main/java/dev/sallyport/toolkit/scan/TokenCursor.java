package dev.sallyport.toolkit.scan;

import java.nio.ByteBuffer;

/**
 * A search of a {@link TokenMatcher} through bytes that come in pieces, for those who keep the bytes themselves. Positions
 * count from an origin that the caller chooses and may move. Of all matches that begin leftmost it finds the longest. Not
 * thread-safe.
 */
public final class TokenCursor {

    private final TokenMatcher matcher;
    private final Match match = new Match();

    /** Begins at position 0. */
    public TokenCursor(TokenMatcher matcher) {
        this.matcher = matcher;
        match.begin(0);
    }

    /** Starts anew: nothing before this position counts. */
    public void begin(int from) {
        match.begin(from);
    }

    /**
     * Reads on, up to a position or to the next match that is certain: no longer one, and none that begins earlier, can
     * follow.
     *
     * @param data holds the bytes from the present position on
     * @param shift what has to be taken from a position to get an index of {@code data}
     * @param first the first position that {@code data} holds
     * @return whether there is such a match; {@link #begin} goes on behind it
     */
    public boolean run(ByteBuffer data, int shift, int first, int to) {
        return match.position < to && matcher.run(match, data, shift, first, to);
    }

    /** Whether there is a match that a longer one may still replace; at the end of all bytes it counts. */
    public boolean isPending() {
        return match.isPending();
    }

    /** Nothing follows: whether there is a match. */
    public boolean finish() {
        return matcher.finish(match);
    }

    /** Where the bytes begin that may still become a match. */
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
