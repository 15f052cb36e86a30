package dev.sallyport.core.net;

import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.PreludeHandler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.List;

/**
 * Tells HTTP/2 with prior knowledge (RFC 9113, 3.3) from HTTP/1.1, and removes itself. Anything else, or a late
 * preface, is handled as HTTP/1.1.
 */
final class Http2PrefaceHandler extends PreludeHandler {

    private boolean begun;
    private final Deadline deadline;

    Http2PrefaceHandler(ClientConnection connection) {
        super(connection);
        this.deadline = new Deadline(connection.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(connection.limits().clientIdleTimeout());
        if (ctx.channel().isActive()) {
            ctx.read();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        switch (SniffedProtocol.preface(in)) {
            case HTTP2 -> PipelineConfigurator.http2(ctx.pipeline(), this, connection);
            case MORE -> {
                if (!begun) {
                    begun = true;
                    deadline.in(connection.limits().headerReadTimeout());
                }
            }
            default -> PipelineConfigurator.http(ctx.pipeline(), this, connection);
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.isReadable()) {
            in.skipBytes(in.readableBytes());
            connection.reject("unknown_protocol", "ended within the preface of HTTP/2");
        }
    }

    private void late() {
        if (begun) {
            PipelineConfigurator.http(connection.channel().pipeline(), this, connection);
        } else {
            connection.channel().close();
        }
    }
}
