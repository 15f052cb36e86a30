package dev.sallyport.core.parent;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;

/**
 * Separates TLS with a parent from the protocol inside. A close_notify of the parent is not an end that the origin
 * intended: it closes the connection, and no handler behind this one sees it.
 */
public final class ParentTlsEnd extends ChannelInboundHandlerAdapter {

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslCloseCompletionEvent) {
            context.close();
        } else {
            context.fireUserEventTriggered(event);
        }
    }
}
