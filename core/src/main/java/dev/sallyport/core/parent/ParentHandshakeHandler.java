package dev.sallyport.core.parent;

import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.Consumer;

/**
 * Performs a handshake on a channel connected with a parent, then leaves the pipeline. Bytes after the handshake go to
 * the handlers that {@code done} has added. A failure closes the channel. On the channel's loop.
 */
public final class ParentHandshakeHandler extends ChannelInboundHandlerAdapter {

    private final ParentHandshake handshake;
    private final Consumer<Channel> done;
    private final Consumer<ParentException> failed;
    private final ByteBuf received = Unpooled.buffer();
    private boolean over;

    /** Creates a handler that calls exactly one of the two callbacks, once. */
    public ParentHandshakeHandler(ParentHandshake handshake, Consumer<Channel> done, Consumer<ParentException> failed) {
        this.handshake = handshake;
        this.done = done;
        this.failed = failed;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        send(context, handshake.begin());
        context.read();
    }

    private static void send(ChannelHandlerContext context, byte[] bytes) {
        if (bytes.length > 0) {
            context.writeAndFlush(Unpooled.wrappedBuffer(bytes));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (over || !(message instanceof ByteBuf data)) {
            context.fireChannelRead(message);
            return;
        }
        received.writeBytes(data);
        data.release();
        try {
            int before;
            do {
                before = received.readableBytes();
                send(context, handshake.receive(received));
            } while (!handshake.isDone() && received.isReadable() && received.readableBytes() < before);
        } catch (ParentException e) {
            fail(context, e);
            return;
        }
        if (handshake.isDone()) {
            over = true;
            done.accept(context.channel());
            context.pipeline().remove(this);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (over) {
            context.fireChannelReadComplete();
        } else {
            context.read();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (received.isReadable() && handshake.isDone()) {
            context.fireChannelRead(received);
        } else {
            received.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(context, ParentException.closed());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        HeapExhaustion.note(cause);
        fail(context, ParentException.closed());
    }

    private void fail(ChannelHandlerContext context, ParentException why) {
        if (!over) {
            over = true;
            context.close();
            failed.accept(why);
        }
    }
}
