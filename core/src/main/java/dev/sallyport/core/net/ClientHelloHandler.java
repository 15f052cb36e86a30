package dev.sallyport.core.net;

import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ClientTlsMode;
import dev.sallyport.core.net.connection.CloseNotifyHold;
import dev.sallyport.core.net.connection.ConnectionProgress;
import dev.sallyport.core.net.connection.PreludeHandler;
import dev.sallyport.core.net.request.DestinationResolver;
import dev.sallyport.core.net.tunnel.TlsPassthroughHandler;
import dev.sallyport.core.tls.ClientHello;
import dev.sallyport.core.tls.ClientHelloReader;
import dev.sallyport.core.tls.LeafCertificate;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the ClientHello, requests the matching leaf certificate, then starts the handshake. The ClientHello stays
 * whole: the handshake gets the same bytes.
 */
final class ClientHelloHandler extends PreludeHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHelloHandler.class);

    private static final int TLS_1_2 = 0x0303;

    private final ClientHelloReader reader;
    private boolean begun;

    /** Whether the received bytes look like TLS so far, so that the client understands an alert. */
    private boolean secure;

    private boolean done;
    private final Deadline deadline;

    ClientHelloHandler(ClientConnection connection) {
        super(connection);
        this.reader = new ClientHelloReader(
                connection.channel().alloc(),
                connection.limits().clientHelloBytes().toInt());
        this.deadline = new Deadline(connection.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(connection.limits().clientHelloTimeout());
        ctx.read();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
        reader.close();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (done) {
            return;
        }
        if (!begun) {
            begun = true;
            connection.reached(ConnectionProgress.Phase.HELLO);
        }
        secure = SniffedProtocol.of(in) == SniffedProtocol.TLS;
        ClientHello hello;
        try {
            hello = reader.read(in);
        } catch (ClientHello.MalformedException e) {
            refuse(e.getMessage());
            return;
        }
        if (hello == null) {
            return;
        }
        String name = hello.serverName();
        String sni = name == null ? null : DestinationResolver.canonicalOrNull(name);
        if (name != null && sni == null) {
            refuse("the server name of the ClientHello cannot be a host");
            return;
        }
        done = true;
        deadline.cancel();
        ClientTlsMode mode = connection.settings().tls();
        if (mode instanceof ClientTlsMode.Mitm own && connection.takesProxyTls()) {
            mint(ctx, own, sni);
        } else if (!(mode instanceof ClientTlsMode.Mitm mitm)
                || (sni != null && mitm.passed().test(sni))) {
            pass(ctx, hello, sni, mode);
        } else {
            mint(ctx, mitm, sni);
        }
    }

    /** Passes the held bytes on to the next handler. */
    private void pass(ChannelHandlerContext ctx, ClientHello hello, @Nullable String sni, ClientTlsMode mode) {
        ctx.pipeline()
                .replace(
                        this,
                        PipelineConfigurator.PASSTHROUGH,
                        new TlsPassthroughHandler(connection.withTls(sni), hello, mode.port()));
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (begun && !done) {
            done = true;
            connection.ended(ConnectionProgress.Phase.HELLO.silence());
        }
    }

    /** Asks for more only while the ClientHello is incomplete. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!done) {
            ctx.read();
        }
        ctx.fireChannelReadComplete();
    }

    private void mint(ChannelHandlerContext ctx, ClientTlsMode.Mitm mitm, @Nullable String sni) {
        String host = host(sni);
        ClientConnection within = connection.withTls(sni);
        within.reached(ConnectionProgress.Phase.HELD);
        LeafCertificate cached = mitm.leaves().cached(host);
        if (cached != null) {
            handshake(ctx, mitm, within, cached, host);
            return;
        }
        mitm.leaves()
                .leaf(host)
                .whenComplete((leaf, failure) -> connection.loop().execute(() -> {
                    if (ctx.isRemoved()) {
                        return;
                    }
                    if (leaf == null) {
                        LOG.error("no certificate could be made for a client of TLS", failure);
                        within.ended(EarlyTermination.tlsFailed("no certificate could be made for the client", ""));
                        ctx.close();
                    } else {
                        handshake(ctx, mitm, within, leaf, host);
                    }
                }));
    }

    /** Without a server name that is the tunnel's target or the original address. */
    private String host(@Nullable String sni) {
        if (sni != null) {
            return sni;
        }
        Destination tunnel = connection.ingress().tunnel();
        if (tunnel != null) {
            return tunnel.host();
        }
        Destination original = connection.ingress().original();
        if (original != null) {
            return original.host();
        }
        InetSocketAddress local = (InetSocketAddress) connection.channel().localAddress();
        return Destinations.ofAddress(local.getAddress(), local.getPort(), true).host();
    }

    private void handshake(
            ChannelHandlerContext ctx,
            ClientTlsMode.Mitm mitm,
            ClientConnection within,
            LeafCertificate leaf,
            String host) {
        ServerTls proxy = connection.takesProxyTls() ? mitm.proxy() : null;
        SslHandler tls = proxy != null
                ? proxy.newHandler(ctx.alloc(), leaf)
                : within.maySwitch(host)
                        ? mitm.server().newHandlerOfHalves(ctx.alloc(), leaf)
                        : mitm.server().newHandler(ctx.alloc(), leaf);
        tls.setHandshakeTimeout(connection.limits().handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
        within.reached(ConnectionProgress.Phase.HANDSHAKE);
        PlaintextAlertDetector clear = new PlaintextAlertDetector();
        ctx.pipeline().addBefore(ctx.name(), PipelineConfigurator.ALERT, clear);
        if (proxy == null) {
            ctx.pipeline().addBefore(ctx.name(), PipelineConfigurator.CLOSE_NOTIFY, new CloseNotifyHold());
        }
        ctx.pipeline()
                .addAfter(
                        ctx.name(),
                        PipelineConfigurator.FIRST,
                        new ClientTlsHandshakeHandler(within, proxy == null ? null : connection, clear));
        ctx.pipeline().replace(this, proxy == null ? PipelineConfigurator.TLS : PipelineConfigurator.PROXY_TLS, tls);
    }

    private void late() {
        if (begun) {
            refuse("no complete ClientHello in time");
        } else {
            connection.channel().close();
        }
    }

    private void refuse(@Nullable String detail) {
        done = true;
        if (secure) {
            ByteBufAllocator allocator = connection.channel().alloc();
            connection.channel().writeAndFlush(TlsAlert.DECODE_ERROR.record(allocator, TLS_1_2));
        }
        connection.reject(secure ? "malformed_hello" : "unknown_protocol", String.valueOf(detail));
    }
}
