package dev.sallyport.core.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslHandler;

/** Ends a connection so that nobody can take that for an end. */
public final class ConnectionReset {

    private ConnectionReset() {}

    /** Has the kernel send RST, and TLS not say goodbye before. A closed connection stays as it is. */
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
