package dev.sallyport.core.net;

import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionProgress;
import dev.sallyport.core.net.connection.PreludeHandler;
import dev.sallyport.core.net.tunnel.Socks5Handler;
import dev.sallyport.core.net.tunnel.TcpPassthroughHandler;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Detects the protocol from the first bytes, then hands over to its handler. */
public final class ProtocolSniffingHandler extends PreludeHandler {

    private static final String LATE = "the first bytes of a request did not arrive in time";

    private boolean begun;
    private boolean decided;

    /** Where TCP is relayed in which neither HTTP nor TLS is spoken; null for nowhere. */
    private @Nullable Destination relayed;

    private final Deadline deadline;

    public ProtocolSniffingHandler(ClientConnection connection) {
        super(connection);
        this.deadline = new Deadline(connection.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        Destination named = connection.ingress().named();
        if (named != null && connection.relays(named)) {
            relayed = named;
            halves(!connection.ingress().proxyTls()); // a client may end its half at once
        }
        deadline.in(
                connection.ingress().opensTunnels()
                        ? connection.limits().clientIdleTimeout()
                        : connection.limits().firstBytesTimeout());
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
        SniffedProtocol kind = SniffedProtocol.of(in);
        boolean opensTunnels = connection.ingress().opensTunnels();
        switch (kind) {
            case MORE -> {
                if (!begun && in.isReadable()) {
                    begun = true;
                    connection.reached(ConnectionProgress.Phase.BEGUN);
                    if (opensTunnels) {
                        deadline.in(connection.limits().headerReadTimeout());
                    }
                }
            }
            case HTTP -> PipelineConfigurator.http(ctx.pipeline(), this, connection);
            case HTTP2 -> {
                wholes();
                PipelineConfigurator.http2(ctx.pipeline(), this, connection);
            }
            case TLS -> {
                wholes();
                if (opensTunnels && !connection.takesProxyTls()) {
                    refuse(in, "TLS on a listener that takes CONNECT and absolute-form requests");
                } else {
                    ctx.pipeline().replace(this, PipelineConfigurator.HELLO, new ClientHelloHandler(connection));
                }
            }
            case SOCKS5 -> {
                if (opensTunnels) {
                    ctx.pipeline().replace(this, PipelineConfigurator.SOCKS, new Socks5Handler(connection));
                } else {
                    other(ctx, in, "neither TLS nor HTTP");
                }
            }
            case UNKNOWN -> other(ctx, in, opensTunnels ? "neither HTTP nor SOCKS5" : "neither TLS nor HTTP");
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (!decided && in.isReadable()) {
            refuse(in, "ended within its first bytes");
        } else if (!decided) {
            connection.channel().close();
        }
    }

    private void late() {
        boolean inTunnel = !connection.ingress().opensTunnels();
        if (begun || inTunnel) {
            connection.ended(EarlyTermination.refused(Refusal.timeout(
                    inTunnel ? "nothing came through the tunnel that says what is spoken in it" : LATE)));
        }
        connection.channel().close();
    }

    /** Passes it through where the policy says so, with the bytes that are held. */
    private void other(ChannelHandlerContext ctx, ByteBuf in, String detail) {
        Destination to = relayed;
        if (to != null) {
            ctx.pipeline().replace(this, PipelineConfigurator.PASSTHROUGH, new TcpPassthroughHandler(connection, to));
        } else {
            refuse(in, detail);
        }
    }

    private void halves(boolean allowed) {
        connection.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, allowed);
    }

    /** What follows ends as a whole, as where nothing is relayed: only an alert closes a half of it, or no half is closed. */
    private void wholes() {
        if (relayed != null) {
            halves(false);
            if (connection.channel() instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
                duplex.close();
            }
        }
    }

    private void refuse(ByteBuf in, String detail) {
        decided = true;
        in.skipBytes(in.readableBytes());
        connection.reject("unknown_protocol", detail);
    }
}
