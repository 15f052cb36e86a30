package dev.sallyport.core.resolve;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.TooLongFrameException;

/**
 * Stands before the decoder of answers over TCP, of which each connection gets one, and ends it when the answer is longer
 * than the addresses of any name. A whole answer is decoded in one turn of the loop, and names that are chains of
 * pointers (RFC 1035, 4.1.4) take time by the square of its length.
 */
final class AnswerLimit extends ChannelInboundHandlerAdapter {

    /** The longest answer, in bytes: some 500 addresses. */
    static final int MAX_BYTES = 8192;

    private static final int LENGTH_FIELD = 2;

    private int read;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        read += in.readableBytes();
        if (read > LENGTH_FIELD + MAX_BYTES) {
            in.release();
            ctx.fireExceptionCaught(
                    new TooLongFrameException("an answer of DNS with more than " + MAX_BYTES + " bytes"));
            ctx.close();
        } else {
            ctx.fireChannelRead(in);
        }
    }
}
