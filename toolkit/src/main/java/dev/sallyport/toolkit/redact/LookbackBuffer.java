package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.ByteFinder;
import java.nio.ByteBuffer;

/**
 * The visible part of a stream: the bytes that were held back, and the new piece. Positions count from the beginning of
 * the stream.
 */
final class LookbackBuffer {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final byte[] NONE = {};

    private final ByteFinder escapeStarts;
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

    /** A copy of the new piece if something can: reading it byte by byte is far cheaper than reading the buffer. */
    private byte[] copy = NONE;

    /** @param escapeStarts all bytes with which escapes begin */
    LookbackBuffer(ByteFinder escapeStarts) {
        this.escapeStarts = escapeStarts;
    }

    /** Appends a piece to the bytes that were held back. */
    void open(ByteBuffer piece) {
        in = piece;
        inFrom = piece.position();
        inLength = piece.remaining();
        quiet = escapeStarts.indexIn(in, inFrom, inFrom + inLength) < 0;
        if (!quiet) {
            copy = new byte[inLength];
            in.get(inFrom, copy);
        }
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
        copy = NONE;
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
        if (index < heldLength) {
            return heldBytes[heldFrom + index];
        }
        return quiet ? in.get(inFrom + index - heldLength) : copy[index - heldLength];
    }

    /** The first position from {@code from} on at which an escape may begin, or -1. */
    long find(Escaping escaping, ByteFinder own, long from) {
        long position = from;
        for (long piece = origin + heldLength; position < piece; position++) {
            if (mayBegin(escaping, position)) {
                return position;
            }
        }
        if (quiet) {
            return -1;
        }
        long first = origin + heldLength;
        int at = (int) (position - first);
        while (at < inLength) {
            if (!escaping.begins(copy[at])) {
                at = own.indexIn(copy, at, inLength);
                if (at < 0) {
                    return -1;
                }
            }
            if (at + 1 == inLength || escaping.mayGoOn(copy[at], copy[at + 1])) {
                return first + at;
            }
            at++;
        }
        return -1;
    }

    private boolean mayBegin(Escaping escaping, long position) {
        byte first = at(position);
        return escaping.begins(first) && (position + 1 == end() || escaping.mayGoOn(first, at(position + 1)));
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
