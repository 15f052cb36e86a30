package dev.sallyport.core.upstream;

import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;
import java.nio.channels.ClosedChannelException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the end of the handshake of the TLS handler before it, then leaves the pipeline or closes the channel. A
 * channel may have another TLS handler, for a parent proxy.
 */
final class OriginTlsHandshakeHandler extends ChannelInboundHandlerAdapter {

    /** The name of the TLS handler for the origin in the pipeline. */
    static final String TLS = "origin-tls";

    private static final AttributeKey<Boolean> ASKED_IN_VAIN =
            AttributeKey.valueOf(OriginTlsHandshakeHandler.class, "askedInVain");

    private final Consumer<Channel> done;
    private final Consumer<Throwable> failed;
    private boolean over;

    OriginTlsHandshakeHandler(Consumer<Channel> done, Consumer<Throwable> failed) {
        this.done = done;
        this.failed = failed;
    }

    /** The TLS handler for the origin; null when the origin is reached without TLS. */
    static @Nullable SslHandler tls(Channel channel) {
        return (SslHandler) channel.pipeline().get(TLS);
    }

    /** Remembers that the origin asked for a certificate in the handshake, and got none. */
    static void askedInVain(Channel channel) {
        channel.attr(ASKED_IN_VAIN).set(true);
    }

    /** Whether the origin asked for a certificate in the handshake, and got none. */
    static boolean hasAskedInVain(Channel channel) {
        return channel.hasAttr(ASKED_IN_VAIN);
    }

    /** Called before the TLS handler passes data on, so that the next handler misses none. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!over && event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                over = true;
                context.pipeline().remove(this);
                done.accept(context.channel());
            } else {
                fail(context, handshake.cause());
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(context, new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        HeapExhaustion.note(cause);
        fail(context, cause);
    }

    private void fail(ChannelHandlerContext context, Throwable cause) {
        if (!over) {
            over = true;
            context.close();
            failed.accept(cause);
        }
    }
}
