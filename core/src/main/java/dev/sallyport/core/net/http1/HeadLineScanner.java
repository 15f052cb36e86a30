package dev.sallyport.core.net.http1;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks the lines of a head, before the decoder sees them, for faults that the decoder accepts: empty lines that are
 * not CR LF, white space other than two single spaces in the request line, versions other than 1.0 and 1.1, folded
 * field lines (RFC 9112, 2.2, 3 and 5.2). Looks at each byte once, however it arrives. Remembers the Host of a head
 * that arrives in parts, because the decoder does not reveal the line that it has read last.
 */
final class HeadLineScanner {

    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final int HOST_LENGTH = "Host:".length();
    private static final int VERSION_LENGTH = "HTTP/1.1".length();

    private enum At {
        START,
        REQUEST_LINE,
        FIELD_LINE,
        FIELD_START,
        END
    }

    private At at = At.START;

    /** Bytes after the reader index that have been checked. */
    private int scanned;

    /** Bytes and lines of the head, or of the trailers, so far; and what has been charged for them. */
    private int bytes;

    private int lines;
    private int charged;

    /** Where the line being checked begins, after the reader index; the decoder consumes whole lines. */
    private int lineStart;

    private @Nullable String host;

    /** Begins a head. */
    void beginHead() {
        begin(At.START);
    }

    /** Begins trailer fields. */
    void beginTrailers() {
        begin(At.FIELD_START);
    }

    private void begin(At where) {
        at = where;
        scanned = 0;
        bytes = 0;
        lines = 0;
        charged = 0;
        lineStart = 0;
        host = null;
    }

    /** The value of the last Host line, if one was in a part of the head before the last. */
    @Nullable String host() {
        return host;
    }

    /** The number of bytes of the head so far. */
    int bytes() {
        return bytes;
    }

    /** The number of lines of the head that have ended. */
    int lines() {
        return lines;
    }

    /** What has been charged to the budget for them. */
    int charged() {
        return charged;
    }

    /** Adds to what has been charged. */
    void charged(int more) {
        charged += more;
    }

    /** Whether a head has begun and has not ended. */
    boolean inHead() {
        return at != At.START && at != At.END;
    }

    /** Whether nothing of a head has arrived yet. */
    boolean atStart() {
        return at == At.START;
    }

    /** The decoder has consumed bytes. */
    void consumed(int bytes) {
        scanned = Math.max(0, scanned - bytes);
        lineStart = Math.max(0, lineStart - bytes);
    }

    /**
     * Checks what has arrived; skips empty lines before a head.
     *
     * @return the fault, or null
     */
    @Nullable String scan(ByteBuf in) {
        if (at == At.START) {
            String fault = skipEmptyLines(in);
            if (fault != null || at == At.START) {
                return fault;
            }
        }
        int end = in.writerIndex();
        int i = in.readerIndex() + scanned;
        int hostStart = -1;
        int hostEnd = 0;
        while (i < end && at != At.END) {
            if (at == At.FIELD_START) {
                byte first = in.getByte(i);
                if (first == ' ' || first == '\t') {
                    return "a header field is folded or begins with white space";
                }
                at = first == CR ? At.END : At.FIELD_LINE;
                lineStart = i - in.readerIndex();
                continue;
            }
            int lineFeed = in.indexOf(i, end, LF);
            if (lineFeed < 0) {
                i = end;
                break;
            }
            if (at == At.REQUEST_LINE) {
                String fault = requestLine(in, in.readerIndex(), lineFeed);
                if (fault != null) {
                    return fault;
                }
            } else if (isHost(in, in.readerIndex() + lineStart)) {
                hostStart = in.readerIndex() + lineStart + HOST_LENGTH;
                hostEnd = lineFeed;
            }
            at = At.FIELD_START;
            lines++;
            i = lineFeed + 1;
        }
        bytes += i - in.readerIndex() - scanned;
        scanned = i - in.readerIndex();
        if (hostStart >= 0 && at != At.END) {
            host = in.toString(hostStart, hostEnd - hostStart, StandardCharsets.ISO_8859_1)
                    .strip();
        }
        return null;
    }

    /** Whether the complete line that begins here is a Host line. */
    private static boolean isHost(ByteBuf in, int start) {
        return (in.getByte(start) | 0x20) == 'h'
                && (in.getByte(start + 1) | 0x20) == 'o'
                && (in.getByte(start + 2) | 0x20) == 's'
                && (in.getByte(start + 3) | 0x20) == 't'
                && in.getByte(start + 4) == ':';
    }

    private @Nullable String skipEmptyLines(ByteBuf in) {
        while (in.isReadable()) {
            byte first = in.getByte(in.readerIndex());
            if (first == CR) {
                if (in.readableBytes() == 1) {
                    return null;
                }
                if (in.getByte(in.readerIndex() + 1) != LF) {
                    return "a CR without LF before the request line";
                }
                in.skipBytes(2);
            } else if (first <= ' ' || first == 0x7F) {
                return "the request does not begin with a method";
            } else {
                at = At.REQUEST_LINE;
                return null;
            }
        }
        return null;
    }

    /** Three parts of visible ASCII, the second also of octets over 0x7F, separated by one space each, then CR LF. */
    private static @Nullable String requestLine(ByteBuf in, int start, int lineFeed) {
        int end = lineFeed - 1;
        if (end <= start || in.getByte(end) != CR) {
            return "the request line does not end in CR LF";
        }
        int spaces = 0;
        int lastSpace = -1;
        for (int i = start; i < end; i++) {
            byte c = in.getByte(i);
            if (c == ' ') {
                if (i == lastSpace + 1 && spaces > 0) {
                    return "the request line has more than one space in a row";
                }
                spaces++;
                lastSpace = i;
            } else if (c == 0x7F || (c < ' ' && (c >= 0 || spaces != 1))) {
                return "the request line has a character that is not visible ASCII";
            }
        }
        if (spaces != 2) {
            return "the request line is not method, target and version";
        }
        return version(in, lastSpace + 1, end);
    }

    private static @Nullable String version(ByteBuf in, int start, int end) {
        boolean known = end - start == VERSION_LENGTH
                && in.getByte(start) == 'H'
                && in.getByte(start + 1) == 'T'
                && in.getByte(start + 2) == 'T'
                && in.getByte(start + 3) == 'P'
                && in.getByte(start + 4) == '/'
                && in.getByte(start + 5) == '1'
                && in.getByte(start + 6) == '.'
                && (in.getByte(start + 7) == '1' || in.getByte(start + 7) == '0');
        return known ? null : "the version of the request is neither HTTP/1.1 nor HTTP/1.0";
    }
}
