package dev.sallyport.core.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslHandler;

/** Ends a connection so that the peer cannot mistake it for a regular end. */
public final class ConnectionReset {

    private ConnectionReset() {}

    /** Closes with RST and without close_notify (RFC 8446, 6.1). Has no effect on a closed connection. */
    public static void reset(Channel channel) {
        if (!channel.isOpen()) {
            return;
        }
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        ChannelHandlerContext ctx = tls == null ? null : channel.pipeline().context(tls);
        if (ctx == null) {
            channel.close();
        } else {
            // From here, TLS does not say goodbye.
            ctx.close();
        }
    }
}
