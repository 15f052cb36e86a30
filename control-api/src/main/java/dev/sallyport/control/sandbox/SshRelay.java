package dev.sallyport.control.sandbox;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;

/**
 * One direction of a connection that is relayed as it is: what this channel reads, the other one writes. It reads no more
 * than the other side takes. The end of this direction is passed on, and leaves the other one open.
 */
final class SshRelay extends ChannelInboundHandlerAdapter {

    private final SocketChannel peer;

    /** @param peer a channel of the same event loop, whose own handler has this one's channel as its peer */
    SshRelay(SocketChannel peer) {
        this.peer = peer;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        peer.write(message).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        if (!peer.isWritable()) {
            ctx.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        peer.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            peer.config().setAutoRead(true);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            // Netty drops what is still to be written when an output ends.
            peer.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> endOutput(ctx));
        }
    }

    private void endOutput(ChannelHandlerContext ctx) {
        peer.shutdownOutput().addListener(done -> {
            if (!done.isSuccess() || peer.isInputShutdown()) {
                peer.close();
                ctx.close();
            }
        });
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        endAfterFlush(peer);
    }

    /** A reset by one side is a reset for the other. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        peer.config().setSoLinger(0);
        peer.close();
        ctx.close();
    }

    private static void endAfterFlush(Channel channel) {
        if (channel.isActive()) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
