package dev.sallyport.core.net.connection;

import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stage of a connection before it speaks HTTP: closes the connection when it drains or fails. On the connection's
 * loop.
 */
public abstract class PreludeHandler extends ByteToMessageDecoder {

    private final Logger log = LoggerFactory.getLogger(getClass());
    protected final ClientConnection connection;

    protected PreludeHandler(ClientConnection connection) {
        this.connection = connection;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof ConnectionDrain) {
            ctx.close();
        } else if (event instanceof ChannelInputShutdownEvent) {
            super.userEventTriggered(ctx, event); // the last bytes have come
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        log.debug("connection of {} failed: {}", connection.peer(), cause.toString());
        ctx.close();
    }
}
