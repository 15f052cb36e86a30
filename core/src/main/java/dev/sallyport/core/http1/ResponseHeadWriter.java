package dev.sallyport.core.http1;

import dev.sallyport.core.http.MessageFaults;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes the heads of responses to a client (RFC 9112, 4 and 5). Fields keep their order and casing; fields that
 * concern the connection are added here alone.
 */
public final class ResponseHeadWriter {

    private static final ByteBuf ESTABLISHED = HeadWriter.constant("HTTP/1.1 200 Connection Established\r\n\r\n");

    private ResponseHeadWriter() {}

    /** What a head says about the connection's persistence. */
    public enum Persistence {
        UNSAID,
        CLOSE,
        KEEP_ALIVE
    }

    /** The line that opens a tunnel. */
    public static ByteBuf established() {
        return ESTABLISHED.duplicate();
    }

    /**
     * An interim head.
     *
     * @throws UnsendableMessageException when it would be read as something else
     */
    public static ByteBuf interim(ByteBufAllocator allocator, ResponseMessage head) {
        return begin(head, false).endOfLine().toBuffer(allocator);
    }

    /**
     * The head of a switch to another protocol (RFC 9110, 7.8).
     *
     * @throws UnsendableMessageException when it would be read as something else
     */
    public static ByteBuf switching(ByteBufAllocator allocator, ResponseMessage head, String upgrade) {
        return begin(head, false)
                .field("Connection", "Upgrade")
                .field("Upgrade", upgrade)
                .endOfLine()
                .toBuffer(allocator);
    }

    /**
     * A final head.
     *
     * @param keepLength whether its {@code Content-Length} is written
     * @param length a length to add, or -1
     * @throws UnsendableMessageException when it would be read as something else
     */
    public static ByteBuf head(
            ByteBufAllocator allocator,
            ResponseMessage head,
            boolean keepLength,
            long length,
            boolean chunked,
            Persistence persistence) {
        HeadWriter out = begin(head, keepLength);
        if (length >= 0) {
            out.contentLength(length);
        }
        if (chunked) {
            out.chunked();
        }
        switch (persistence) {
            case CLOSE -> out.field("Connection", "close");
            case KEEP_ALIVE -> out.field("Connection", "keep-alive");
            case UNSAID -> {}
        }
        return out.endOfLine().toBuffer(allocator);
    }

    private static HeadWriter begin(ResponseMessage head, boolean keepLength) {
        UnsendableMessageException.throwIf(MessageFaults.find(head));
        return HeadWriter.begin()
                .text("HTTP/1.1 ")
                .text(Integer.toString(head.status()))
                .character(' ')
                .text(head.reason())
                .endOfLine()
                .messageFields(head.headers(), keepLength);
    }
}
