package dev.sallyport.core.upstream;

import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Looks at the field lines of an origin's head before they are decoded. It unfolds them (RFC 9112, 5.2), and finds those
 * that end in LF alone, and those that are to be left out, because every client leaves them out: lines without a colon or
 * with a bad name, and the same length once more (RFC 9110, 8.6). What has another control character in it, or is folded
 * behind the status line, is left for the decoder to refuse. Not thread-safe.
 */
final class OriginFieldLines {

    private static final String CONTENT_LENGTH = "content-length";
    private static final int MOST_DIGITS = 18;
    private static final long NO_LENGTH = -1;

    private final int maxBytes;
    private final Consumer<String> tolerated;

    /** What is to be done with the line at the reader index. */
    enum Here {
        /** It is to be decoded, up to where {@link #find} said. */
        DECODE,
        /** It is to be {@linkplain #leaveOut left out}. */
        LEAVE_OUT,
        /** It ends in LF alone, and is to be decoded by itself. */
        END_WELL,
        /** Whether it goes on in the next line is not known yet. */
        WAIT
    }

    private Here here = Here.DECODE;
    private boolean beginsBlank;
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
        beginsBlank = false;
        leftOut = 0;
        length = NO_LENGTH;
    }

    /**
     * Up to where the buffer may be decoded now: the beginning of the first line that needs something else, or its end.
     * The reader index stands at the beginning of a line. Where nothing may be decoded, {@link #here} says what to do.
     */
    int find(ByteBuf buffer) {
        int end = buffer.writerIndex();
        int line = buffer.readerIndex();
        here = Here.DECODE;
        while (line < end) {
            int lineFeed = unfold(buffer, line);
            if (lineFeed < 0) {
                return end; // incomplete: it may be too long
            }
            boolean ended = lineFeed > line && buffer.getByte(lineFeed - 1) == '\r';
            int to = ended ? lineFeed - 1 : lineFeed;
            if (ended && to == line) {
                return end; // the end of the head
            }
            beginsBlank |= isBlank(buffer.getByte(line));
            here = look(buffer, line, to, ended);
            if (here != Here.DECODE) {
                return line;
            }
            line = lineFeed + 1;
        }
        return end;
    }

    /** @param to the end of the line without what ends it */
    private Here look(ByteBuf buffer, int line, int to, boolean ended) {
        boolean empty = to == line;
        if (!empty && to + (ended ? 2 : 1) == buffer.writerIndex()) {
            return Here.WAIT;
        }
        if (!ended && line > buffer.readerIndex()) {
            return Here.END_WELL; // it is looked at once it is the first
        }
        if (!empty && isLeftOut(buffer, line, to)) {
            return Here.LEAVE_OUT;
        }
        return ended ? Here.DECODE : Here.END_WELL;
    }

    /** Whether a line that was found continues none: the first, behind the status line. */
    boolean beginsBlank() {
        return beginsBlank;
    }

    /** What to do where {@link #find} answered the reader index. */
    Here here() {
        return here;
    }

    /** Writes blanks over ends of lines behind which blanks follow; returns where the line ends then, or -1. */
    private int unfold(ByteBuf buffer, int line) {
        int end = buffer.writerIndex();
        int lineFeed = buffer.indexOf(line, end, (byte) '\n');
        while (lineFeed > line
                && lineFeed + 1 < end
                && isBlank(buffer.getByte(lineFeed + 1))
                && !isEmpty(buffer, line, lineFeed)) {
            buffer.setByte(lineFeed, ' ');
            if (buffer.getByte(lineFeed - 1) == '\r') {
                buffer.setByte(lineFeed - 1, ' ');
            }
            tolerated.accept("folded_field");
            lineFeed = buffer.indexOf(lineFeed + 1, end, (byte) '\n');
        }
        return lineFeed;
    }

    private static boolean isEmpty(ByteBuf buffer, int line, int lineFeed) {
        return lineFeed == line + 1 && buffer.getByte(line) == '\r';
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
            return false; // a folded first line, or too much
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
