package dev.sallyport.core.net;

import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionProgress;
import dev.sallyport.core.net.connection.PreludeHandler;
import dev.sallyport.core.net.tunnel.EarlyOrigin;
import dev.sallyport.core.net.tunnel.Socks5Handler;
import dev.sallyport.core.net.tunnel.TcpPassthroughHandler;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Detects the protocol from the first bytes, then hands over to its handler. Where TCP is relayed in which neither HTTP nor TLS
 * is spoken, the origin of a client that stays silent is reached meanwhile: it may be for the server to speak first.
 */
public final class ProtocolSniffingHandler extends PreludeHandler {

    private static final String LATE = "the first bytes of a request did not arrive in time";

    /**
     * How long a client may be silent before its origin is reached. Clients of HTTP and TLS send their first bytes as soon as
     * they are connected, so within a round trip to the proxy, which is near; those that do not cost their origin an empty
     * connection. Longer would delay every connection of those who wait for their server.
     */
    private static final Duration SILENCE = Duration.ofMillis(300);

    private boolean begun;
    private boolean decided;

    /** Where TCP is relayed in which neither HTTP nor TLS is spoken; null for nowhere. */
    private @Nullable Destination relayed;

    /** The origin of a client that is silent. */
    private @Nullable EarlyOrigin early;

    /** Whether the time left is that of {@link #SILENCE}. */
    private boolean listening;

    private final Deadline deadline;

    public ProtocolSniffingHandler(ClientConnection connection) {
        super(connection);
        this.deadline = new Deadline(connection.loop(), this::due);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        Destination named = connection.ingress().named();
        if (named != null && connection.relays(named)) {
            relayed = named;
            halves(!connection.ingress().proxyTls()); // a client may end its half at once
        }
        listening = relayed != null && !connection.ingress().opensTunnels() && limit().compareTo(SILENCE) > 0;
        deadline.in(listening ? SILENCE : limit());
        ctx.read();
    }

    private Duration limit() {
        return connection.ingress().opensTunnels()
                ? connection.limits().clientIdleTimeout()
                : connection.limits().firstBytesTimeout();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
        forgo();
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
            case HTTP -> {
                forgo();
                PipelineConfigurator.http(ctx.pipeline(), this, connection);
            }
            case HTTP2 -> {
                forgo();
                wholes();
                PipelineConfigurator.http2(ctx.pipeline(), this, connection);
            }
            case TLS -> {
                forgo();
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
                    other(in, "neither TLS nor HTTP");
                }
            }
            case UNKNOWN -> other(in, opensTunnels ? "neither HTTP nor SOCKS5" : "neither TLS nor HTTP");
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (!decided && in.isReadable()) {
            refuse(in, "ended within its first bytes");
        } else if (!decided) {
            if (early != null) {
                early.gone();
            } else if (isMeantForAnother()) {
                connection.ended(EarlyTermination.refused(
                        ClientConnection.unreadable("unknown_protocol", "ended before anything was said")));
            }
            connection.channel().close();
        }
    }

    /** Whether the kernel has brought a connection to somebody else's address: whoever tries what is there is seen. */
    private boolean isMeantForAnother() {
        Destination original = connection.ingress().original();
        return original != null
                && connection.channel().localAddress() instanceof InetSocketAddress local
                && !original.host().equals(NetUtil.toAddressString(local.getAddress()));
    }

    private void due() {
        Destination to = relayed;
        if (!listening || to == null) {
            late();
            return;
        }
        listening = false;
        deadline.in(limit().minus(SILENCE));
        if (!begun && !decided) {
            early = new EarlyOrigin(connection, to, this::greeted);
            early.begin();
        }
    }

    private void late() {
        boolean inTunnel = !connection.ingress().opensTunnels();
        if (begun || inTunnel) {
            Refusal why =
                    Refusal.timeout(inTunnel ? "nothing came through the tunnel that says what is spoken in it" : LATE);
            if (early == null || !early.expired(why)) {
                connection.ended(EarlyTermination.refused(why));
            }
        }
        connection.channel().close();
    }

    /** The origin has spoken. Once the client has begun, it is for its bytes to say what is spoken. */
    private void greeted() {
        Destination to = relayed;
        if (to != null && !begun && !decided) {
            passThrough(to).greeted();
        }
    }

    /** Passes it through where the policy says so, with the bytes that are held. */
    private void other(ByteBuf in, String detail) {
        Destination to = relayed;
        if (to != null) {
            passThrough(to);
        } else {
            refuse(in, detail);
        }
    }

    private TcpPassthroughHandler passThrough(Destination to) {
        TcpPassthroughHandler next = new TcpPassthroughHandler(connection, to, early);
        early = null;
        connection.channel().pipeline().replace(this, PipelineConfigurator.PASSTHROUGH, next);
        return next;
    }

    /** What is spoken is judged by itself, and never sent over a connection that was made before. */
    private void forgo() {
        if (early != null) {
            early.revoke();
            early = null;
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
        forgo();
        decided = true;
        in.skipBytes(in.readableBytes());
        connection.reject("unknown_protocol", detail);
    }
}
