package dev.sallyport.core.upstream;

import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Looks at the field lines of an origin's head before they are decoded, and finds those that are to be left out, because
 * every client leaves them out: lines without a colon or with a bad name, and the same length once more (RFC 9110, 8.6).
 * What has a control character in it is left for the decoder to refuse. Not thread-safe.
 */
final class OriginFieldLines {

    private static final String CONTENT_LENGTH = "content-length";
    private static final int MOST_DIGITS = 18;
    private static final long NO_LENGTH = -1;

    private final int maxBytes;
    private final Consumer<String> tolerated;

    private int leftOut;
    private long length = NO_LENGTH;
    private String reason = "";

    /**
     * @param maxBytes the most bytes that are left out of a head; the lines behind them are decoded
     * @param tolerated receives the codes of docs/spec/decisions.md, section 20
     */
    OriginFieldLines(int maxBytes, Consumer<String> tolerated) {
        this.maxBytes = maxBytes;
        this.tolerated = tolerated;
    }

    /** The field lines of another head follow, or trailers. */
    void begin() {
        leftOut = 0;
        length = NO_LENGTH;
    }

    /**
     * Where the first line begins that is to be {@linkplain #leaveOut left out}; the end of the buffer if there is none yet,
     * or none in this head. The reader index stands at the beginning of a line; each line is to be decoded or left out
     * before the next call.
     */
    int find(ByteBuf buffer) {
        int end = buffer.writerIndex();
        int line = buffer.readerIndex();
        while (line < end) {
            int lineFeed = buffer.indexOf(line, end, (byte) '\n');
            if (lineFeed <= line || buffer.getByte(lineFeed - 1) != '\r' || lineFeed - 1 == line) {
                return end; // incomplete, or not ended well, or the end of the head
            }
            if (isLeftOut(buffer, line, lineFeed - 1)) {
                return line;
            }
            line = lineFeed + 1;
        }
        return end;
    }

    /** Leaves out the line at the reader index, which was {@linkplain #find found} there. */
    void leaveOut(ByteBuf buffer) {
        int size = buffer.bytesBefore((byte) '\n') + 1;
        leftOut += size;
        buffer.skipBytes(size);
        tolerated.accept(reason);
    }

    private boolean isLeftOut(ByteBuf line, int from, int to) {
        if (isBlank(line.getByte(from)) || leftOut + to - from > maxBytes) {
            return false; // a folded line, or too much
        }
        int at = from;
        while (at < to && FieldSyntax.isTokenCharacter((char) (line.getByte(at) & 0xff))) {
            at++;
        }
        int nameEnd = at;
        while (at < to && isBlank(line.getByte(at))) {
            at++;
        }
        if (nameEnd == from || at == to || line.getByte(at) != ':') {
            reason = "field_line";
            return hasNoControls(line, from, to);
        }
        reason = "length_repeated";
        return isContentLength(line, from, nameEnd) && repeatsLength(line, at + 1, to);
    }

    private static boolean isContentLength(ByteBuf line, int from, int to) {
        if (to - from != CONTENT_LENGTH.length()) {
            return false;
        }
        for (int i = 0; i < CONTENT_LENGTH.length(); i++) {
            byte c = line.getByte(from + i);
            if (c != CONTENT_LENGTH.charAt(i) && (c | 0x20) != CONTENT_LENGTH.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether this is the length that an earlier line had; the first line may be a list of equal lengths. */
    private boolean repeatsLength(ByteBuf line, int from, int to) {
        long known = length;
        long first = NO_LENGTH;
        int at = from;
        while (at <= to) {
            int comma = line.indexOf(at, to, (byte) ',');
            int end = comma < 0 ? to : comma;
            long value = length(line, at, end);
            if (value == NO_LENGTH || (first != NO_LENGTH && first != value)) {
                return false; // the decoder refuses it
            }
            if (first != NO_LENGTH) {
                tolerated.accept("length_repeated");
            }
            first = value;
            at = end + 1;
        }
        if (known == NO_LENGTH) {
            length = first;
        }
        return known == first;
    }

    private static long length(ByteBuf line, int from, int to) {
        int start = from;
        int end = to;
        while (start < end && isBlank(line.getByte(start))) {
            start++;
        }
        while (end > start && isBlank(line.getByte(end - 1))) {
            end--;
        }
        if (start == end || end - start > MOST_DIGITS) {
            return NO_LENGTH;
        }
        long value = 0;
        for (int i = start; i < end; i++) {
            byte digit = line.getByte(i);
            if (digit < '0' || digit > '9') {
                return NO_LENGTH;
            }
            value = value * 10 + (digit - '0');
        }
        return value;
    }

    private static boolean hasNoControls(ByteBuf line, int from, int to) {
        for (int i = from; i < to; i++) {
            int c = line.getByte(i) & 0xff;
            if ((c < ' ' && c != '\t') || c == 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBlank(byte c) {
        return c == ' ' || c == '\t';
    }
}
