package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Writes the chunks of one connection's bodies (RFC 9112, 7.1). The end of a chunk is written with what follows it,
 * which saves a buffer for each chunk, and for each body, that follows another before they are sent.
 *
 * <p>Nothing may be sent that ends within a chunk: some readers pass a chunk on only when they have seen its end, and
 * would be one chunk late. Before a flush, therefore, the caller writes what {@link #complete} returns.
 */
public final class ChunkWriter {

    private static final ByteBuf CHUNK_END = HeadWriter.constant("\r\n");
    private static final ByteBuf BODY_END = HeadWriter.constant("0\r\n\r\n");
    private static final ByteBuf CHUNK_AND_BODY_END = HeadWriter.constant("\r\n0\r\n\r\n");

    /** The end of the last chunk is still to be written. */
    private boolean open;

    /** What precedes the bytes of a chunk, of which there is at least one: an empty chunk would end the body. */
    public ByteBuf begin(ByteBufAllocator allocator, int length) {
        HeadWriter out = next();
        open = true;
        return out.hexadecimal(length).endOfLine().toBuffer(allocator);
    }

    /** What must be written before the next flush, or null for nothing. */
    public @Nullable ByteBuf complete() {
        if (!open) {
            return null;
        }
        open = false;
        return CHUNK_END.duplicate();
    }

    /**
     * The end of the body.
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
