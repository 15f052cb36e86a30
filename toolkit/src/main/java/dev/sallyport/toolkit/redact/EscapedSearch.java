package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.Needles;
import dev.sallyport.toolkit.scan.TokenCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The search in the bytes that escapes stand for. What has no escape in it is left to the plain search, so this one sleeps
 * until an escape comes, and wakes with as many bytes before it as a token may have. It sleeps again when what may still
 * become a match has no escape in it.
 */
final class EscapedSearch extends Search {

    private static final int BLOCK = 64;

    private final LookbackBuffer window;
    private final Escaping escaping;
    private final Needles needles;
    private final Patterns patterns;
    private final TokenCursor cursor;
    private final Unit unit = new Unit();

    /** The next byte of the stream to be looked at; it is not in the middle of an escape. */
    private long next;
    /** No escape that counts is in what follows this position and has not been decoded. */
    private long plainFrom;

    private boolean awake;
    private byte[] bytes = {};
    private ByteBuffer decoded = ByteBuffer.wrap(bytes);
    /** For each decoded byte: where it, or its escape, begins. */
    private long[] starts = {};

    private int length;
    /** The last byte that an escape stands for, or -1. */
    private int lastEscaped = -1;

    /**
     * Begins with the piece that has just come: before it, no escape has.
     *
     * @param plainFrom what lies before this position is not looked at any more
     */
    EscapedSearch(LookbackBuffer window, Escaping escaping, Patterns patterns, long plainFrom) {
        this.window = window;
        this.escaping = escaping;
        this.needles = patterns.needles(escaping);
        this.patterns = patterns;
        this.cursor = new TokenCursor(patterns.matcher());
        this.next = window.pieceFrom();
        this.plainFrom = plainFrom;
    }

    @Override
    void advance(boolean last) {
        while (!found() && (awake || wake(last))) {
            boolean more = decode(last);
            if (cursor.run(decoded, 0, 0, length) || (last && !more && cursor.finish())) {
                take();
            } else if (cursor.undecidedFrom() > lastEscaped && (more || next == window.end())) {
                sleep();
            } else if (more) {
                dropDecided();
            } else {
                return;
            }
        }
    }

    /** Looks for the next escape that a token may have in it; false when there is none. */
    private boolean wake(boolean last) {
        long end = window.end();
        while (next < end) {
            long at = window.find(escaping, needles, next);
            if (at < 0) {
                next = end;
                return false;
            }
            int size = escaping.read(window, at, end, unit);
            if (size == Escaping.NONE || (size == Escaping.MORE && last)) {
                next = at + 1;
            } else if (size != Escaping.MORE && !patterns.mayContain(unit)) {
                next = at + size;
                plainFrom = next;
            } else {
                begin(at);
                return true;
            }
        }
        return false;
    }

    private void begin(long at) {
        awake = true;
        long from = Math.max(at - (patterns.matcher().maxLength() - 1), Math.max(plainFrom, window.origin()));
        for (next = from; next < at; next++) {
            append(window.at(next), next);
        }
        cursor.begin(0);
    }

    private void sleep() {
        awake = false;
        length = 0;
        lastEscaped = -1;
    }

    /** Decodes some more; false when that was all there is. */
    private boolean decode(boolean last) {
        long end = window.end();
        for (int limit = length + BLOCK; length < limit; ) {
            if (next >= end) {
                return false;
            }
            byte value = window.at(next);
            int size = escaping.begins(value) ? escaping.read(window, next, end, unit) : Escaping.NONE;
            if (size == Escaping.MORE && !last) {
                return false;
            }
            if (size <= Escaping.NONE) {
                append(value, next++);
            } else {
                for (int i = 0; i < unit.count; i++) {
                    append(unit.bytes[i], next);
                }
                next += size;
                lastEscaped = length - 1;
                plainFrom = next;
            }
        }
        return true;
    }

    private void append(byte value, long position) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(4 * BLOCK, 2 * length));
            starts = Arrays.copyOf(starts, bytes.length);
            decoded = ByteBuffer.wrap(bytes);
        }
        bytes[length] = value;
        starts[length++] = position;
    }

    private void dropDecided() {
        int decided = cursor.undecidedFrom();
        if (decided >= length - decided) {
            System.arraycopy(bytes, decided, bytes, 0, length - decided);
            System.arraycopy(starts, decided, starts, 0, length - decided);
            length -= decided;
            lastEscaped -= decided;
            cursor.rebase(decided);
        }
    }

    private void take() {
        int last = cursor.end();
        while (last < length && starts[last] == starts[last - 1]) {
            last++;
        }
        long from = starts[cursor.start()];
        long to = last < length ? starts[last] : next;
        found(cursor.token(), from, to, isPlain(from, to));
    }

    private boolean isPlain(long from, long to) {
        int first = cursor.start();
        if (to - from != cursor.end() - first) {
            return false;
        }
        for (int i = first; i < cursor.end(); i++) {
            if (bytes[i] != window.at(from + i - first)) {
                return false;
            }
        }
        return true;
    }

    @Override
    long undecidedFrom() {
        if (found()) {
            return start();
        } else if (!awake) {
            return next;
        }
        int undecided = cursor.undecidedFrom();
        return undecided < length ? starts[undecided] : next;
    }

    @Override
    void restart(long floor, boolean own) {
        if (next <= floor || (!own && mayCross(floor))) {
            forget();
            sleep();
            next = floor;
            plainFrom = floor;
            return;
        }
        plainFrom = Math.max(plainFrom, floor);
        if (awake && undecidedFrom() < floor) {
            int first = found() ? cursor.start() : cursor.undecidedFrom();
            forget();
            while (first < length && starts[first] < floor) {
                first++;
            }
            if (first > lastEscaped) {
                sleep();
            } else {
                cursor.begin(first);
            }
        }
    }

    /** Whether an escape may lie across this position: what is behind it is then to be read anew. */
    private boolean mayCross(long floor) {
        long from = floor - (escaping.maxLength() - 1);
        if (from < window.origin() && window.origin() > 0) {
            return true;
        }
        for (long at = Math.max(from, 0); at < floor; at++) {
            if (escaping.begins(window.at(at))) {
                return true;
            }
        }
        return false;
    }

    @Override
    void slide(int bytesGone) {
        // Positions in the stream stay as they are.
    }
}
