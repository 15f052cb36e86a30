package dev.sallyport.core.net;

import dev.sallyport.core.meter.Exhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells HTTP/2 with prior knowledge (RFC 9113, 3.3) from HTTP/1.1, and makes way. Whatever is not the preface, or not in
 * time, is for HTTP/1.1 to judge.
 */
final class PrefaceHandler extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(PrefaceHandler.class);

    private final Entry entry;
    private final Deadline deadline;
    private boolean begun;

    PrefaceHandler(Entry entry) {
        this.entry = entry;
        this.deadline = new Deadline(entry.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(entry.limits().idleTimeout());
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
        switch (FirstBytes.preface(in)) {
            case HTTP2 -> Stages.http2(ctx.pipeline(), this, entry);
            case MORE -> {
                if (!begun) {
                    begun = true;
                    deadline.in(entry.limits().headerReadTimeout());
                }
            }
            default -> Stages.http(ctx.pipeline(), this, entry);
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.isReadable()) {
            in.skipBytes(in.readableBytes());
            entry.reject("unknown_protocol", "ended within the preface of HTTP/2");
        }
    }

    private void late() {
        if (begun) {
            Stages.http(entry.channel().pipeline(), this, entry);
        } else {
            entry.channel().close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Connections.Drain) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Exhaustion.note(cause);
        LOG.debug("connection of {} failed: {}", entry.peer(), cause.toString());
        ctx.close();
    }
}
