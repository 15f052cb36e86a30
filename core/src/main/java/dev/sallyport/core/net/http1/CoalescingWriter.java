package dev.sallyport.core.net.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;

/**
 * What goes to the client: written as it comes, flushed once for all that one turn of the loop, or one batch of reads,
 * brings. What comes alone goes out at once.
 */
final class CoalescingWriter {

    private final ChannelHandlerContext ctx;
    private final ClientHttp1Decoder decoder;
    private boolean dirty;
    private boolean scheduled;
    private long written;

    CoalescingWriter(ChannelHandlerContext ctx, ClientHttp1Decoder decoder) {
        this.ctx = ctx;
        this.decoder = decoder;
    }

    void write(ByteBuf data) {
        written += data.readableBytes();
        ctx.write(data, ctx.voidPromise());
        dirty = true;
        if (!decoder.inBatch() && !scheduled) {
            scheduled = true;
            ctx.executor().execute(this::turnEnded);
        }
    }

    /** Sends what has been written. */
    void flush() {
        if (dirty) {
            dirty = false;
            ctx.flush();
        }
    }

    /** How many bytes there were so far. */
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
