package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.ByteFinder;
import dev.sallyport.toolkit.scan.TokenCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The search in the bytes that escapes stand for. The plain search handles text without escapes, so this one sleeps
 * until an escape comes, and then starts as many bytes before it as a token may have. It sleeps again when no candidate
 * for a match contains an escape.
 */
final class EscapedSearch extends Search {

    private static final int BLOCK = 64;

    private final LookbackBuffer window;
    private final Escaping escaping;
    private final ByteFinder escapeStarts;
    private final Patterns patterns;
    private final TokenCursor cursor;
    private final DecodedEscape escape = new DecodedEscape();

    /** The next byte of the stream to read; never in the middle of an escape. */
    private long next;
    /** After this position there is no relevant escape that has not been decoded. */
    private long plainFrom;

    private boolean awake;
    private byte[] bytes = {};
    private ByteBuffer decoded = ByteBuffer.wrap(bytes);
    /** For each decoded byte, the start of it or of its escape. */
    private long[] starts = {};

    private int length;
    /** The last byte that an escape stands for, or -1. */
    private int lastEscaped = -1;

    /**
     * Begins with the new piece; there was no escape before it.
     *
     * @param plainFrom text before this position is not read any more
     */
    EscapedSearch(LookbackBuffer window, Escaping escaping, Patterns patterns, long plainFrom) {
        this.window = window;
        this.escaping = escaping;
        this.escapeStarts = patterns.escapeStarts(escaping);
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

    /** Finds the next escape that a token may contain; returns false when there is none. */
    private boolean wake(boolean last) {
        long end = window.end();
        while (next < end) {
            long at = window.find(escaping, escapeStarts, next);
            if (at < 0) {
                next = end;
                return false;
            }
            int size = escaping.read(window, at, end, escape);
            if (size == Escaping.NONE || (size == Escaping.MORE && last)) {
                next = at + 1;
            } else if (size != Escaping.MORE && !patterns.mayContain(escape)) {
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

    /** Decodes more bytes; returns false when there are no more. */
    private boolean decode(boolean last) {
        long end = window.end();
        for (int limit = length + BLOCK; length < limit; ) {
            if (next >= end) {
                return false;
            }
            byte value = window.at(next);
            int size = escaping.begins(value) ? escaping.read(window, next, end, escape) : Escaping.NONE;
            if (size == Escaping.MORE && !last) {
                return false;
            }
            if (size <= Escaping.NONE) {
                append(value, next++);
            } else {
                for (int i = 0; i < escape.count; i++) {
                    append(escape.bytes[i], next);
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
    int undecidedLength() {
        return awake ? length - cursor.undecidedFrom() : 0;
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

    /** Whether an escape may lie across this position; the text after it must then be read again. */
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
        // Positions in the stream do not change.
    }
}
