package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.TokenCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The search in the bytes that escapes stand for. The plain search handles text without escapes, so this one sleeps
 * until an escape comes, and then starts as many bytes before it as a token may have. It sleeps again when no candidate
 * for a match contains an escape.
 */
final class EscapedSearch extends Search {

    /** How many bytes are decoded at a time at first, and at most, as more and more of them belong to escapes. */
    private static final int LEAST_BLOCK = 64;

    private static final int LARGEST_BLOCK = 1024;

    /** In a text full of escapes, the next one is not further away: to sleep until it comes would take longer than to go on. */
    private static final int NEAR = 32;

    private static final byte[] NONE = {};
    private static final long[] NO_STARTS = {};

    private final LookbackBuffer window;
    private final Escaping escaping;
    private final int notation;
    private final Patterns patterns;
    private final boolean knowsNeighbours;
    private final TokenCursor cursor;

    /** The next byte of the stream to read; never in the middle of an escape. */
    private long next;
    /** After this position there is no relevant escape that has not been decoded. */
    private long plainFrom;

    private boolean awake;
    private int block = LEAST_BLOCK;
    private byte[] bytes = NONE;
    private ByteBuffer decoded = ByteBuffer.wrap(bytes);
    /** For each decoded byte, the start of it or of its escape. */
    private long[] starts = NO_STARTS;

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
        this.notation = escaping.bits();
        this.patterns = patterns;
        this.knowsNeighbours = patterns.matcher().minLength() >= Triples.MIN_TOKEN_LENGTH;
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
            } else if (more ? cursor.undecidedFrom() > lastEscaped + NEAR : isIdle()) {
                sleep();
            } else {
                dropDecided();
                if (!more) {
                    return;
                }
            }
        }
    }

    /** Whether all has been read, and no token that contains an escape may have begun. */
    private boolean isIdle() {
        return next == window.end() && cursor.undecidedFrom() > lastEscaped;
    }

    /** Finds the next escape that a token may contain; returns false when there is none. */
    private boolean wake(boolean last) {
        long end = window.end();
        if (next >= end || (window.isQuiet() && next >= window.pieceFrom())) {
            next = end;
            return false;
        }
        EscapeText text = window.text(next);
        long textFrom = window.textFrom();
        int length = text.length();
        int at = (int) (next - textFrom);
        while (at < length) {
            if (!text.isMarked(at, notation)) {
                at = text.find(notation, at);
                continue;
            }
            int escape = escaping.read(text.bytes(), at, length);
            if (escape == Escape.NONE || (escape == Escape.MORE && last)) {
                at++;
            } else if (escape != Escape.MORE && !patterns.mayContain(escape)) {
                at = patterns.skip(escaping, text.bytes(), at + Escape.length(escape), length);
                plainFrom = textFrom + at;
            } else if (escape != Escape.MORE && !fits(text, at, escape, textFrom)) {
                at += Escape.length(escape);
                plainFrom = textFrom + at;
            } else {
                begin(textFrom + at);
                return true;
            }
        }
        next = end;
        return false;
    }

    /** Whether an escape can be part of a token, as far as the bytes beside it tell without being decoded. */
    private boolean fits(EscapeText text, int at, int escape, long textFrom) {
        int after = at + Escape.length(escape);
        if (!knowsNeighbours
                || !Escape.isByte(escape)
                || after + 1 >= text.length()
                || text.isMarked(after, notation)
                || text.isMarked(after + 1, notation)) {
            return true;
        }
        byte[] near = text.bytes();
        byte value = Escape.toByte(escape);
        Triples triples = patterns.triples();
        if (triples.mayHave(value, near[after], near[after + 1])) {
            return true;
        }
        return textFrom + at - 2 >= plainFrom && at >= 2 && triples.mayHave(near[at - 2], near[at - 1], value);
    }

    private void begin(long at) {
        awake = true;
        block = LEAST_BLOCK;
        long from = Math.max(at - (patterns.matcher().maxLength() - 1), Math.max(plainFrom, window.origin()));
        makeRoom((int) (at - from));
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
        EscapeText text = window.text(next);
        long textFrom = window.textFrom();
        int end = text.length();
        int limit = length + block;
        makeRoom(block + Escape.MOST_BYTES);
        block = Math.min(2 * block, LARGEST_BLOCK);
        byte[] from = text.bytes();
        int at = (int) (next - textFrom);
        int count = length;
        boolean more = true;
        while (more && count < limit) {
            int found = text.isMarked(at, notation) ? at : text.find(notation, at);
            if (found > at) {
                int run = Math.min(found - at, limit - count);
                copy(from, at, count, run, textFrom);
                at += run;
                count += run;
                continue;
            }
            int escape = at < end ? escaping.read(from, at, end) : Escape.MORE;
            if (escape > Escape.NONE) {
                starts[count] = textFrom + at;
                at += Escape.length(escape);
                if (Escape.isByte(escape)) {
                    bytes[count++] = Escape.toByte(escape);
                } else {
                    count = writeCharacter(escape, count);
                }
                lastEscaped = count - 1;
                plainFrom = textFrom + at;
            } else if (escape == Escape.NONE || (last && at < end)) {
                bytes[count] = from[at];
                starts[count++] = textFrom + at++;
            } else {
                more = false;
            }
        }
        length = count;
        next = textFrom + at;
        return more;
    }

    private int writeCharacter(int escape, int at) {
        int end = at + Escape.write(escape, bytes, at);
        Arrays.fill(starts, at, end, starts[at]);
        return end;
    }

    private void copy(byte[] text, int at, int to, int run, long textFrom) {
        byte[] values = bytes;
        long[] positions = starts;
        long position = textFrom + at;
        for (int i = 0; i < run; i++) {
            values[to + i] = text[at + i];
            positions[to + i] = position + i;
        }
    }

    private void makeRoom(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * length));
            starts = Arrays.copyOf(starts, bytes.length);
            decoded = ByteBuffer.wrap(bytes);
        }
    }

    private void append(byte value, long position) {
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
        // Positions in the stream do not change. A body that waits for more should not hold much.
        if (!awake && bytes.length > 4 * LEAST_BLOCK) {
            bytes = NONE;
            starts = NO_STARTS;
            decoded = ByteBuffer.wrap(bytes);
        }
    }
}
