package dev.sallyport.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose client lets the server wait: 30 seconds for a request, 10 for the whole of it once it has
 * begun. While the server works on an answer nothing is closed. On the channel's loop.
 */
public final class RequestTimer extends ChannelInboundHandlerAdapter {

    private static final long IDLE_SECONDS = 30;
    private static final long REQUEST_SECONDS = 10;

    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> timer;
    private boolean serving;
    private boolean reading;

    /** The timer of a channel. */
    public static RequestTimer of(Channel channel) {
        return Objects.requireNonNull(channel.pipeline().get(RequestTimer.class), "no timer");
    }

    /** A request is complete: it is the server's turn. */
    public void complete() {
        serving = true;
        reading = false;
        stop();
    }

    /** The answer has been written: it is the client's turn. */
    public void answered() {
        serving = false;
        start(IDLE_SECONDS);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        start(IDLE_SECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!serving && !reading) {
            reading = true;
            start(REQUEST_SECONDS);
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stop();
        ctx.fireChannelInactive();
    }

    private void start(long seconds) {
        stop();
        ChannelHandlerContext ctx = context;
        if (ctx != null && ctx.channel().isActive()) {
            timer = ctx.executor().schedule(() -> ctx.close(), seconds, TimeUnit.SECONDS);
        }
    }

    private void stop() {
        Future<?> running = timer;
        timer = null;
        if (running != null) {
            running.cancel(false);
        }
    }
}
