package dev.sallyport.compare.load;

import dev.sallyport.compare.net.HttpScanner;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A connection that sends one request after the other (HTTP/1.1, no pipelining). */
class HttpClient extends HttpScanner {

    private static final int OK = 200;

    private final Listener listener;
    private @Nullable ChannelHandlerContext context;
    private boolean waiting;
    private boolean begun;
    private int served;
    private int status;
    long since;

    /** Is told what becomes of requests. */
    interface Listener {

        /** The response is complete, and was a 200. */
        void done(HttpClient client);

        /**
         * The connection is gone.
         *
         * @param failure why the request that was under way failed; null if there was none, or if the connection had
         *     served others before and gave no byte of an answer to this one: then it was closed for being idle, and the
         *     request may be sent again (RFC 9112, section 9.3.1)
         */
        void lost(HttpClient client, @Nullable Throwable failure);

        default void bytes(int count) {}
    }

    HttpClient(Listener listener) {
        this.listener = listener;
    }

    /** @param began when the request was due, in nanoseconds */
    void send(ByteBuf request, long began) {
        since = began;
        waiting = true;
        begun = false;
        ChannelHandlerContext ctx = Objects.requireNonNull(context);
        ctx.writeAndFlush(request, ctx.voidPromise());
    }

    /** Whether a request found its connection closed; it cannot be known whether the peer saw the request. */
    boolean closedWhileIdle() {
        return waiting && !begun && served > 0;
    }

    ChannelHandlerContext context() {
        return Objects.requireNonNull(context);
    }

    void close() {
        context().close();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    protected boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end) {
        status = status(in, start);
        begun = true;
        return true;
    }

    @Override
    protected Unframed unframed() {
        return Unframed.UNTIL_CLOSE;
    }

    @Override
    protected void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes) {
        listener.bytes(bytes);
    }

    @Override
    protected void end(ChannelHandlerContext ctx) {
        if (status != OK) {
            ctx.close();
            return;
        }
        waiting = false;
        served++;
        if (closing()) {
            ctx.close();
        }
        listener.done(this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        super.channelInactive(ctx);
        String reason = status == OK || status == 0 ? "closed before the response was complete" : "status " + status;
        listener.lost(this, waiting && !closedWhileIdle() ? new IOException(reason) : null);
    }
}
