package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The visible part of a stream: the bytes that were held back, and the new piece. Positions count from the beginning of
 * the stream.
 */
final class LookbackBuffer {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** So many of the bytes that were held back are copied with a new piece: an escape may have begun in them. */
    private static final int BEFORE_PIECE = 32;

    /** So many bytes before a position are there as well. */
    private static final int CONTEXT = 2;

    private final EscapeTable table;
    private byte[] heldBytes = {};
    private ByteBuffer held = ByteBuffer.wrap(heldBytes);
    private int heldFrom;
    private int heldLength;
    private long origin;
    private ByteBuffer in = NOTHING;
    private int inFrom;
    private int inLength;

    /** Whether nothing in the new piece can be an escape. */
    private boolean quiet = true;

    private @Nullable EscapeText text;

    /** The position at which that text begins. */
    private long textFrom;

    LookbackBuffer(EscapeTable table) {
        this.table = table;
    }

    /** Appends a piece to the bytes that were held back. */
    void open(ByteBuffer piece) {
        in = piece;
        inFrom = piece.position();
        inLength = piece.remaining();
        quiet = table.starts().indexIn(in, inFrom, inFrom + inLength) < 0;
    }

    /** Holds back the bytes after this position and forgets the rest. */
    void close(long keepFrom) {
        int drop = (int) (keepFrom - origin);
        int kept = Math.max(0, heldLength - drop);
        int fromPiece = Math.max(0, drop - heldLength);
        int added = inLength - fromPiece;
        heldFrom = kept == 0 ? 0 : heldFrom + drop;
        if (heldFrom + kept + added > heldBytes.length) {
            makeRoom(kept, kept + added);
        }
        in.get(inFrom + fromPiece, heldBytes, heldFrom + kept, added);
        heldLength = kept + added;
        origin = keepFrom;
        in = NOTHING;
        inFrom = 0;
        inLength = 0;
        quiet = true;
        if (text != null) {
            text.give();
            text = null;
        }
    }

    private void makeRoom(int kept, int length) {
        byte[] roomier = 2 * length > heldBytes.length ? new byte[2 * length] : heldBytes;
        System.arraycopy(heldBytes, heldFrom, roomier, 0, kept);
        heldFrom = 0;
        if (roomier.length != heldBytes.length) {
            heldBytes = roomier;
            held = ByteBuffer.wrap(roomier);
        }
    }

    /** The first visible position. */
    long origin() {
        return origin;
    }

    /** The end of the visible part. */
    long end() {
        return origin + heldLength + inLength;
    }

    /** The first position of the new piece. */
    long pieceFrom() {
        return origin + heldLength;
    }

    /** Whether nothing in that piece can be an escape. */
    boolean isQuiet() {
        return quiet;
    }

    byte at(long position) {
        int index = (int) (position - origin);
        return index < heldLength ? heldBytes[heldFrom + index] : in.get(inFrom + index - heldLength);
    }

    /**
     * The visible bytes from a position on, and the two before it if they are visible. Valid until the next call, or until
     * the window is closed.
     */
    EscapeText text(long from) {
        EscapeText present = text;
        if (present != null && textFrom <= Math.max(origin, from - CONTEXT)) {
            return present;
        }
        EscapeText made = present == null ? EscapeText.take() : present;
        text = made;
        textFrom = Math.max(origin, Math.min(from - CONTEXT, pieceFrom() - BEFORE_PIECE));
        int fromHeld = (int) (pieceFrom() - textFrom);
        byte[] bytes = made.make(fromHeld + inLength);
        System.arraycopy(heldBytes, heldFrom + heldLength - fromHeld, bytes, 0, fromHeld);
        in.get(inFrom, bytes, fromHeld, inLength);
        made.mark(table, quiet ? fromHeld : fromHeld + inLength);
        return made;
    }

    /** The position of the first byte of {@link #text}. */
    long textFrom() {
        return textFrom;
    }

    /** Writes from one position up to another, without copying the new piece. */
    void emit(long from, long to, BodyRewriter.Sink out) {
        int first = (int) (from - origin);
        int last = (int) (to - origin);
        int inHeld = Math.min(last, heldLength);
        if (first < inHeld) {
            out.write(
                    ByteBuffer.wrap(heldBytes, heldFrom + first, inHeld - first).asReadOnlyBuffer());
        }
        first = Math.max(first, heldLength);
        if (first < last) {
            out.forward(inFrom + first - heldLength, last - first);
        }
    }

    // The two parts, for searches with positions that count from the origin.

    ByteBuffer held() {
        return held;
    }

    /** The difference between a position and its index in {@link #held}. */
    int heldShift() {
        return -heldFrom;
    }

    int heldLength() {
        return heldLength;
    }

    ByteBuffer piece() {
        return in;
    }

    /** The difference between a position and its index in {@link #piece}. */
    int pieceShift() {
        return heldLength - inFrom;
    }
}
