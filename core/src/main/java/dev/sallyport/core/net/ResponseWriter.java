package dev.sallyport.core.net;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Writes heads and chunk framing of HTTP/1.1: fields in the order and casing they have (RFC 9112, 4 to 7). */
final class ResponseWriter {

    private static final ByteBuf CRLF = constant("\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");
    private static final ByteBuf ESTABLISHED = constant("HTTP/1.1 200 Connection Established\r\n\r\n");
    private static final byte[] VERSION = ascii("HTTP/1.1 ");
    private static final byte[] SEPARATOR = ascii(": ");
    private static final byte[] END_OF_LINE = ascii("\r\n");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] LENGTH = ascii("Content-Length: ");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] UPGRADE = ascii("Connection: Upgrade\r\n");
    private static final int LINE_ESTIMATE = 48;
    private static final int CHUNK_LINE = 10;

    private ResponseWriter() {}

    /** What the connection says about itself in a head. */
    enum Persistence {
        UNSAID,
        CLOSE,
        KEEP_ALIVE
    }

    /** The line that opens a tunnel. */
    static ByteBuf established() {
        return ESTABLISHED.duplicate();
    }

    /** An interim head. */
    static ByteBuf interim(ByteBufAllocator allocator, ResponseMessage head) {
        ByteBuf out = begin(allocator, head);
        fields(out, head.headers(), false);
        return out.writeBytes(END_OF_LINE);
    }

    /** The head of a switch to another protocol (RFC 9110, 7.8). */
    static ByteBuf switching(ByteBufAllocator allocator, ResponseMessage head, String upgrade) {
        ByteBuf out = begin(allocator, head);
        fields(out, head.headers(), false);
        out.writeBytes(UPGRADE);
        line(out, "Upgrade", upgrade);
        return out.writeBytes(END_OF_LINE);
    }

    /**
     * A final head.
     *
     * @param keepLength whether its {@code Content-Length} is written
     * @param length a length to add, or -1
     */
    static ByteBuf head(
            ByteBufAllocator allocator,
            ResponseMessage head,
            boolean keepLength,
            long length,
            boolean chunked,
            Persistence persistence) {
        ByteBuf out = begin(allocator, head);
        fields(out, head.headers(), keepLength);
        if (length >= 0) {
            out.writeBytes(LENGTH);
            out.writeCharSequence(Long.toString(length), StandardCharsets.ISO_8859_1);
            out.writeBytes(END_OF_LINE);
        }
        if (chunked) {
            out.writeBytes(CHUNKED);
        }
        switch (persistence) {
            case CLOSE -> out.writeBytes(CLOSE);
            case KEEP_ALIVE -> out.writeBytes(KEEP_ALIVE);
            case UNSAID -> {}
        }
        return out.writeBytes(END_OF_LINE);
    }

    /** The line before a chunk. */
    static ByteBuf chunkLine(ByteBufAllocator allocator, int size) {
        ByteBuf out = allocator.buffer(CHUNK_LINE);
        out.writeCharSequence(Integer.toHexString(size), StandardCharsets.ISO_8859_1);
        return out.writeBytes(END_OF_LINE);
    }

    /** The end of a chunk. */
    static ByteBuf chunkEnd() {
        return CRLF.duplicate();
    }

    /** The end of a chunked message; the trailer fields may be empty. */
    static ByteBuf lastChunk(ByteBufAllocator allocator, HeaderBlock trailers) {
        if (trailers.isEmpty()) {
            return LAST_CHUNK.duplicate();
        }
        ByteBuf out = allocator.buffer(LINE_ESTIMATE * (trailers.size() + 1));
        out.writeByte('0').writeBytes(END_OF_LINE);
        fields(out, trailers, false);
        return out.writeBytes(END_OF_LINE);
    }

    private static ByteBuf begin(ByteBufAllocator allocator, ResponseMessage head) {
        requireSafe(head);
        ByteBuf out = allocator.buffer(LINE_ESTIMATE * (head.headers().size() + 3));
        out.writeBytes(VERSION);
        out.writeCharSequence(Integer.toString(head.status()), StandardCharsets.ISO_8859_1);
        out.writeByte(' ');
        out.writeCharSequence(head.reason(), StandardCharsets.ISO_8859_1);
        return out.writeBytes(END_OF_LINE);
    }

    private static void fields(ByteBuf out, HeaderBlock headers, boolean keepLength) {
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!isFraming(name, keepLength)) {
                line(out, name, headers.value(i));
            }
        }
    }

    private static void line(ByteBuf out, String name, String value) {
        out.writeCharSequence(name, StandardCharsets.ISO_8859_1);
        out.writeBytes(SEPARATOR);
        out.writeCharSequence(value, StandardCharsets.ISO_8859_1);
        out.writeBytes(END_OF_LINE);
    }

    /** Fields that only this class writes: a second opinion about framing would be somebody else's message. */
    private static boolean isFraming(String name, boolean keepLength) {
        return switch (name.length()) {
            case 7 -> name.equalsIgnoreCase("Upgrade");
            case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
            case 14 -> !keepLength && name.equalsIgnoreCase("Content-Length");
            case 16 -> name.equalsIgnoreCase("Proxy-Connection");
            case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
            default -> false;
        };
    }

    private static void requireSafe(ResponseMessage head) {
        requireLine(head.reason());
        requireSafe(head.headers());
    }

    /** Fields that would end their line early are a fault of whoever made them. */
    static void requireSafe(HeaderBlock headers) {
        for (int i = 0; i < headers.size(); i++) {
            requireLine(headers.name(i));
            requireLine(headers.value(i));
        }
    }

    private static void requireLine(String text) {
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("a header field or reason phrase has a line break (expected: one line)");
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static ByteBuf constant(String text) {
        byte[] bytes = ascii(text);
        return Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
    }
}
