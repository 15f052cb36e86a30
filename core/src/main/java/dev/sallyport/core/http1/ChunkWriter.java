package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one connection's bodies on their way out (RFC 9112, 7.1). What ends a chunk goes with what follows it: a
 * buffer less for each chunk, and for each body, that follow another before they are sent.
 *
 * <p>Nothing may be sent that ends within a chunk: there are readers that hand on a chunk only when they have seen its
 * end, and they would be one chunk late. So whoever sends first writes what {@link #complete} returns.
 */
public final class ChunkWriter {

    private static final ByteBuf CHUNK_END = HeadWriter.constant("\r\n");
    private static final ByteBuf BODY_END = HeadWriter.constant("0\r\n\r\n");
    private static final ByteBuf CHUNK_AND_BODY_END = HeadWriter.constant("\r\n0\r\n\r\n");

    /** The last chunk lacks its end. */
    private boolean open;

    /** What goes before the bytes of a chunk, which are not none: that would be the end of the body. */
    public ByteBuf begin(ByteBufAllocator allocator, int length) {
        HeadWriter out = next();
        open = true;
        return out.hexadecimal(length).endOfLine().toBuffer(allocator);
    }

    /** What is to be written before what has been written is sent, or null for nothing. */
    public @Nullable ByteBuf complete() {
        if (!open) {
            return null;
        }
        open = false;
        return CHUNK_END.duplicate();
    }

    /**
     * What ends the body.
     *
     * @throws UnsendableMessageException when the trailers would be read as something else
     */
    public ByteBuf end(ByteBufAllocator allocator, HeaderBlock trailers) {
        if (trailers.isEmpty()) {
            ByteBuf end = open ? CHUNK_AND_BODY_END : BODY_END;
            open = false;
            return end.duplicate();
        }
        UnsendableMessageException.throwIf(MessageFaults.find(trailers));
        HeadWriter out = next();
        open = false;
        return out.character('0').endOfLine().trailers(trailers).endOfLine().toBuffer(allocator);
    }

    private HeadWriter next() {
        HeadWriter out = HeadWriter.begin();
        return open ? out.endOfLine() : out;
    }
}
