package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Writes heads and chunk framing of HTTP/1.1: fields in the order and casing they have (RFC 9112, 4 to 7). */
public final class ResponseHeadWriter {

    private static final ByteBuf CRLF = constant("\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");
    private static final ByteBuf ESTABLISHED = constant("HTTP/1.1 200 Connection Established\r\n\r\n");
    private static final byte[] VERSION = ascii("HTTP/1.1 ");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] UPGRADE = ascii("Connection: Upgrade\r\n");

    private ResponseHeadWriter() {}

    /** What the connection says about itself in a head. */
    public enum Persistence {
        UNSAID,
        CLOSE,
        KEEP_ALIVE
    }

    /** The line that opens a tunnel. */
    public static ByteBuf established() {
        return ESTABLISHED.duplicate();
    }

    /** An interim head. */
    public static ByteBuf interim(ByteBufAllocator allocator, ResponseMessage head) {
        return begin(head, false).endOfLine().toBuffer(allocator);
    }

    /** The head of a switch to another protocol (RFC 9110, 7.8). */
    public static ByteBuf switching(ByteBufAllocator allocator, ResponseMessage head, String upgrade) {
        return begin(head, false)
                .raw(UPGRADE)
                .field("Upgrade", upgrade)
                .endOfLine()
                .toBuffer(allocator);
    }

    /**
     * A final head.
     *
     * @param keepLength whether its {@code Content-Length} is written
     * @param length a length to add, or -1
     */
    public static ByteBuf head(
            ByteBufAllocator allocator,
            ResponseMessage head,
            boolean keepLength,
            long length,
            boolean chunked,
            Persistence persistence) {
        HeadBuffer out = begin(head, keepLength);
        if (length >= 0) {
            out.field("Content-Length", Long.toString(length));
        }
        if (chunked) {
            out.raw(CHUNKED);
        }
        switch (persistence) {
            case CLOSE -> out.raw(CLOSE);
            case KEEP_ALIVE -> out.raw(KEEP_ALIVE);
            case UNSAID -> {}
        }
        return out.endOfLine().toBuffer(allocator);
    }

    /** The line before a chunk. */
    public static ByteBuf chunkLine(ByteBufAllocator allocator, int size) {
        return HeadBuffer.begin().text(Integer.toHexString(size)).endOfLine().toBuffer(allocator);
    }

    /** The end of a chunk. */
    public static ByteBuf chunkEnd() {
        return CRLF.duplicate();
    }

    /** The end of a chunked message; the trailer fields may be empty. */
    public static ByteBuf lastChunk(ByteBufAllocator allocator, HeaderBlock trailers) {
        if (trailers.isEmpty()) {
            return LAST_CHUNK.duplicate();
        }
        HeadBuffer out = HeadBuffer.begin().raw('0').endOfLine();
        fields(out, trailers, false);
        return out.endOfLine().toBuffer(allocator);
    }

    private static HeadBuffer begin(ResponseMessage head, boolean keepLength) {
        requireLine(head.reason());
        requireSafe(head.headers());
        HeadBuffer out = HeadBuffer.begin()
                .raw(VERSION)
                .text(Integer.toString(head.status()))
                .raw(' ')
                .text(head.reason())
                .endOfLine();
        fields(out, head.headers(), keepLength);
        return out;
    }

    private static void fields(HeadBuffer out, HeaderBlock headers, boolean keepLength) {
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!isFraming(name, keepLength)) {
                out.field(name, headers.value(i));
            }
        }
    }

    /** Fields that only this class writes: a second framing field would let another reader find a different message. */
    private static boolean isFraming(String name, boolean keepLength) {
        return ReservedFields.isConnectionSpecific(name) || (!keepLength && name.equalsIgnoreCase("Content-Length"));
    }

    /** Fields that would end their line early, or lose half of a character, are a fault of whoever made them. */
    public static void requireSafe(HeaderBlock headers) {
        for (int i = 0; i < headers.size(); i++) {
            requireLine(headers.name(i));
            requireLine(headers.value(i));
        }
    }

    private static void requireLine(String text) {
        if (!FieldSyntax.isTransmissible(text)) {
            throw new IllegalArgumentException("a header field or reason phrase has a line break, NUL or a wide"
                    + " character (expected: one line of ISO 8859-1)");
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
