package dev.sallyport.core.net.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http1.ChunkWriter;
import dev.sallyport.core.http1.UnsendableMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;

/**
 * Writes to the client at once, and flushes once for all that one turn of the loop, or one batch of reads, brings. A
 * single write is flushed at once.
 */
final class CoalescingWriter {

    private final ChannelHandlerContext ctx;
    private final ClientHttp1Decoder decoder;
    private final ChunkWriter chunks = new ChunkWriter();
    private boolean dirty;
    private boolean scheduled;
    private long written;

    CoalescingWriter(ChannelHandlerContext ctx, ClientHttp1Decoder decoder) {
        this.ctx = ctx;
        this.decoder = decoder;
    }

    void write(ByteBuf data) {
        put(data);
        dirty = true;
        if (!decoder.inBatch() && !scheduled) {
            scheduled = true;
            ctx.executor().execute(this::turnEnded);
        }
    }

    /** Writes a non-empty chunk of a body. Takes ownership of the buffer. */
    void chunk(ByteBuf data) {
        write(chunks.begin(allocator(), data.readableBytes()));
        write(data);
    }

    /**
     * Writes the end of a chunked body.
     *
     * @throws UnsendableMessageException when the trailers would be read as something else
     */
    void endOfChunks(HeaderBlock trailers) {
        write(chunks.end(allocator(), trailers));
    }

    private void put(ByteBuf data) {
        written += data.readableBytes();
        ctx.write(data, ctx.voidPromise());
    }

    /** Flushes. */
    void flush() {
        if (dirty) {
            ByteBuf chunkEnd = chunks.complete();
            if (chunkEnd != null) {
                put(chunkEnd);
            }
            dirty = false;
            ctx.flush();
        }
    }

    /** Whether something waits for a flush. */
    boolean isDirty() {
        return dirty;
    }

    /** The number of bytes written so far. */
    long written() {
        return written;
    }

    private void turnEnded() {
        scheduled = false;
        flush();
    }

    boolean isWritable() {
        return ctx.channel().isWritable();
    }

    ByteBufAllocator allocator() {
        return ctx.alloc();
    }
}
