package dev.sallyport.core.net.connection;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ways in which a connection ends. */
public final class ChannelClosing {

    private ChannelClosing() {}

    /** Whether a connection's failure is the proxy's fault, and not caused by the network or by TLS. */
    public static boolean isFault(Throwable cause) {
        return !(cause instanceof IOException)
                && !(cause instanceof DecoderException && cause.getCause() instanceof IOException);
    }

    /** Closes when everything has been written. */
    public static void closeAfterWrites(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /** Ends the output when everything has been written, and leaves the input open. */
    public static void endOutput(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> shutdownOutput(ctx));
    }

    /**
     * Ends this side when everything has been written, and from then on reads and drops what the client still sends:
     * closing while it sends would reset the connection and could destroy the response (RFC 9112, 9.6).
     *
     * @param ended run when everything has been written
     */
    public static void linger(ChannelHandlerContext ctx, Runnable ended) {
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            ended.run();
            if (ctx.channel().isActive()) {
                ctx.pipeline().addFirst(new LingeringClose());
            }
            shutdownOutput(ctx);
        });
    }

    private static void shutdownOutput(ChannelHandlerContext ctx) {
        SslHandler tls = innermost(ctx);
        if (tls == null) {
            shutdown(ctx.channel());
        } else {
            tls.closeOutbound().addListener(closed -> shutdown(ctx.channel()));
        }
    }

    /** There may be TLS with the proxy itself around TLS with an origin. */
    public static @Nullable SslHandler innermost(ChannelHandlerContext ctx) {
        SslHandler found = null;
        for (Map.Entry<String, ChannelHandler> stage : ctx.pipeline()) {
            if (stage.getValue() instanceof SslHandler tls) {
                found = tls;
            }
        }
        return found;
    }

    private static void shutdown(Channel channel) {
        if (channel instanceof DuplexChannel duplex && channel.isActive()) {
            duplex.shutdownOutput();
        }
    }
}
