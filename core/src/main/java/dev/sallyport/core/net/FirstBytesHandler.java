package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.meter.Exhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides by the first bytes what a tunnel connection speaks, or what is spoken inside a tunnel, and makes way. */
final class FirstBytesHandler extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(FirstBytesHandler.class);

    private static final String LATE = "the first bytes of a request did not arrive in time";

    private final Entry entry;
    private final Deadline deadline;
    private boolean begun;
    private boolean decided;

    FirstBytesHandler(Entry entry) {
        this.entry = entry;
        this.deadline = new Deadline(entry.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(
                entry.entrance().opensTunnels()
                        ? entry.limits().idleTimeout()
                        : entry.limits().firstBytesTimeout());
        ctx.read();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (decided) {
            in.skipBytes(in.readableBytes());
            return;
        }
        FirstBytes kind = FirstBytes.of(in);
        boolean opensTunnels = entry.entrance().opensTunnels();
        switch (kind) {
            case MORE -> {
                if (!begun && in.isReadable()) {
                    begun = true;
                    entry.reached(Beginning.Stage.BEGUN);
                    if (opensTunnels) {
                        deadline.in(entry.limits().headerReadTimeout());
                    }
                }
            }
            case HTTP -> Stages.http(ctx.pipeline(), this, entry);
            case HTTP2 -> Stages.http2(ctx.pipeline(), this, entry);
            case TLS -> {
                if (opensTunnels) {
                    refuse(in, "TLS on a listener that takes CONNECT and absolute-form requests");
                } else {
                    ctx.pipeline().replace(this, Stages.HELLO, new HelloHandler(entry));
                }
            }
            case SOCKS5 -> {
                if (opensTunnels) {
                    ctx.pipeline().replace(this, Stages.SOCKS, new Socks5Handler(entry));
                } else {
                    refuse(in, "neither TLS nor HTTP");
                }
            }
            case UNKNOWN -> refuse(in, opensTunnels ? "neither HTTP nor SOCKS5" : "neither TLS nor HTTP");
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (!decided && in.isReadable()) {
            refuse(in, "ended within its first bytes");
        }
    }

    private void late() {
        boolean inTunnel = !entry.entrance().opensTunnels();
        if (begun || inTunnel) {
            entry.ended(Ended.refused(Refusal.timeout(
                    inTunnel ? "nothing came through the tunnel that says what is spoken in it" : LATE)));
        }
        entry.channel().close();
    }

    private void refuse(ByteBuf in, String detail) {
        decided = true;
        in.skipBytes(in.readableBytes());
        entry.reject("unknown_protocol", detail);
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
