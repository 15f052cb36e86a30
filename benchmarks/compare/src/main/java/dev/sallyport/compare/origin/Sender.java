package dev.sallyport.compare.origin;

import io.netty.channel.ChannelHandlerContext;

/** Sends a long body as fast as the other side takes it. */
final class Sender {

    private final Bodies bodies;
    private long left;

    Sender(Bodies bodies, long bytes) {
        this.bodies = bodies;
        left = bytes;
    }

    void go(ChannelHandlerContext ctx) {
        boolean any = false;
        while (left > 0 && ctx.channel().isWritable()) {
            var piece = bodies.piece(left);
            left -= piece.readableBytes();
            ctx.write(piece, ctx.voidPromise());
            any = true;
        }
        if (any) {
            ctx.flush();
        }
    }
}
