package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.meter.Exhaustion;
import dev.sallyport.core.tls.Leaf;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the ClientHello, has the leaf minted that the client asks for, and makes way for the handshake. The ClientHello
 * stays whole: the handshake gets the same bytes.
 */
final class HelloHandler extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(HelloHandler.class);

    private static final int TLS_1_2 = 0x0303;

    private final Entry entry;
    private final HelloReader reader;
    private final Deadline deadline;
    private boolean begun;

    /** Whether what has come is TLS as far as can be seen, so that an alert is understood. */
    private boolean secure;

    private boolean done;

    HelloHandler(Entry entry) {
        this.entry = entry;
        this.reader = new HelloReader(entry.channel().alloc(), entry.limits().clientHelloBytes());
        this.deadline = new Deadline(entry.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(entry.limits().clientHelloTimeout());
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
            entry.reached(Beginning.Stage.HELLO);
        }
        secure = FirstBytes.of(in) == FirstBytes.TLS;
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
        TlsMode mode = entry.wiring().tls();
        if (!(mode instanceof TlsMode.Mitm mitm)
                || (sni != null && mitm.passed().test(sni))) {
            pass(ctx, hello, sni, mode);
        } else {
            mint(ctx, mitm, sni);
        }
    }

    /** The bytes that this handler holds go on to the next. */
    private void pass(ChannelHandlerContext ctx, ClientHello hello, @Nullable String sni, TlsMode mode) {
        ctx.pipeline().replace(this, Stages.RELAY, new PassHandler(entry.withTls(sni), hello, mode.port()));
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (begun && !done) {
            done = true;
            entry.ended(Beginning.Stage.HELLO.silence());
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

    private void mint(ChannelHandlerContext ctx, TlsMode.Mitm mitm, @Nullable String sni) {
        String host = sni == null ? unnamed() : sni;
        Entry within = entry.withTls(sni);
        within.reached(Beginning.Stage.HELD);
        Leaf cached = mitm.leaves().cached(host);
        if (cached != null) {
            handshake(ctx, mitm, within, cached);
            return;
        }
        mitm.leaves()
                .leaf(host)
                .whenComplete((leaf, failure) -> entry.loop().execute(() -> {
                    if (ctx.isRemoved()) {
                        return;
                    }
                    if (leaf == null) {
                        LOG.error("no certificate could be made for a client of TLS", failure);
                        within.ended(Ended.tlsFailed("no certificate could be made for the client", ""));
                        ctx.close();
                    } else {
                        handshake(ctx, mitm, within, leaf);
                    }
                }));
    }

    /** Whom a client means that names nobody: the tunnel's target, or the address that it connects to. */
    private String unnamed() {
        Destination tunnel = entry.entrance().tunnel();
        if (tunnel != null) {
            return tunnel.host();
        }
        Destination original = entry.entrance().original();
        if (original != null) {
            return original.host();
        }
        InetSocketAddress local = (InetSocketAddress) entry.channel().localAddress();
        return Destinations.ofAddress(local.getAddress(), local.getPort(), true).host();
    }

    private void handshake(ChannelHandlerContext ctx, TlsMode.Mitm mitm, Entry within, Leaf leaf) {
        SslHandler tls = mitm.server().newHandler(ctx.alloc(), leaf);
        tls.setHandshakeTimeout(entry.limits().handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
        within.reached(Beginning.Stage.HANDSHAKE);
        ClearAlert clear = new ClearAlert();
        ctx.pipeline().addBefore(ctx.name(), Stages.ALERT, clear);
        ctx.pipeline().addAfter(ctx.name(), Stages.FIRST, new HandshakeHandler(within, clear));
        ctx.pipeline().replace(this, Stages.TLS, tls);
    }

    private void late() {
        if (begun) {
            refuse("no complete ClientHello in time");
        } else {
            entry.channel().close();
        }
    }

    private void refuse(@Nullable String detail) {
        done = true;
        if (secure) {
            ByteBufAllocator allocator = entry.channel().alloc();
            entry.channel().writeAndFlush(TlsAlert.DECODE_ERROR.record(allocator, TLS_1_2));
        }
        entry.reject(secure ? "malformed_hello" : "unknown_protocol", String.valueOf(detail));
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
