package dev.sallyport.toolkit.scan;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Replaces tokens in a body as it streams, however the body is cut into pieces. Bytes that may still become a token are
 * held back: at most one less than the longest token has. Text between tokens is forwarded without a copy. One instance
 * serves one body, on one thread at a time.
 */
public final class ReplacingRewriter implements BodyRewriter {

    private final TokenMatcher matcher;
    private final Replacer replacer;
    private final boolean keepsLength;
    private final Match cursor = new Match();
    private byte[] heldBytes = {};
    private ByteBuffer held = ByteBuffer.wrap(heldBytes);
    private int heldLength;
    private boolean changed;

    /** Supplies the replacement of a token. */
    @FunctionalInterface
    public interface Replacer {

        /**
         * Called once for each match, in order, so it may record the match.
         *
         * @return the bytes to write instead, or null to leave the match as it is
         */
        byte @Nullable [] replacement(int token);
    }

    /** A rewriter whose output may have another length than its input. */
    public ReplacingRewriter(TokenMatcher matcher, Replacer replacer) {
        this(matcher, replacer, false);
    }

    /**
     * A rewriter.
     *
     * @param keepsLength the caller's promise that every replacement has its token's length, which keeps a declared
     *     {@code Content-Length}
     */
    public ReplacingRewriter(TokenMatcher matcher, Replacer replacer, boolean keepsLength) {
        this.matcher = matcher;
        this.replacer = replacer;
        this.keepsLength = keepsLength;
        cursor.begin(0);
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        return keepsLength || matcher.isEmpty() ? in : OptionalLong.empty();
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        int shift = heldLength - in.position();
        int end = heldLength + in.remaining();
        int done = 0;
        while (findHeld() || matcher.run(cursor, in, shift, heldLength, end)) {
            done = replace(shift, done, out);
        }
        int undecided = matcher.undecidedFrom(cursor);
        emit(shift, done, undecided, out);
        hold(in, shift, undecided, end);
        cursor.rebase(undecided);
        in.position(in.limit());
    }

    @Override
    public void end(Sink out) {
        int done = 0;
        while (findHeld() || cursor.isPending()) {
            done = replace(0, done, out);
        }
        emit(0, done, heldLength, out);
        heldLength = 0;
        cursor.begin(0);
    }

    /** Whether anything was replaced so far. */
    @Override
    public boolean changed() {
        return changed;
    }

    /** How many bytes are held back. */
    int heldBack() {
        return heldLength;
    }

    private boolean findHeld() {
        return cursor.position < heldLength && matcher.run(cursor, held.clear(), 0, Integer.MAX_VALUE, heldLength);
    }

    /**
     * Writes the text before the match, and its replacement; returns the position up to which everything is written.
     */
    private int replace(int shift, int done, Sink out) {
        int written = done;
        byte[] replacement = replacer.replacement(cursor.token());
        if (replacement != null) {
            if (keepsLength && replacement.length != matcher.length(cursor.token())) {
                throw new IllegalStateException("replacement: another length than its token (expected: the same)");
            }
            changed = true;
            emit(shift, done, cursor.start(), out);
            if (replacement.length > 0) {
                out.write(ByteBuffer.wrap(replacement).asReadOnlyBuffer());
            }
            written = cursor.end();
        }
        cursor.begin(cursor.end());
        return written;
    }

    private void emit(int shift, int from, int to, Sink out) {
        if (from < Math.min(to, heldLength)) {
            out.write(held.clear().position(from).limit(Math.min(to, heldLength)));
        }
        int first = Math.max(from, heldLength);
        if (first < to) {
            out.forward(first - shift, to - first);
        }
    }

    private void hold(ByteBuffer in, int shift, int from, int end) {
        int length = end - from;
        int kept = Math.max(0, heldLength - from);
        byte[] old = heldBytes;
        if (length > old.length) {
            heldBytes = new byte[Math.max(length, Math.min(matcher.maxLength() - 1, 2 * length))];
            held = ByteBuffer.wrap(heldBytes);
        }
        System.arraycopy(old, heldLength - kept, heldBytes, 0, kept);
        in.get(end - (length - kept) - shift, heldBytes, kept, length - kept);
        heldLength = length;
    }
}
