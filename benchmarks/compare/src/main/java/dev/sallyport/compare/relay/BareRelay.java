package dev.sallyport.compare.relay;

import dev.sallyport.compare.net.HttpScanner;
import dev.sallyport.compare.net.Loops;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A proxy without any policy: it answers CONNECT, terminates TLS with a ready certificate, opens TLS to the origin and passes
 * on what comes. What Netty and BoringSSL need is what it needs, so nothing that is built on them can need less. With
 * {@code http} it decodes and encodes messages in between, as every proxy that looks at requests must.
 */
public final class BareRelay {

    private static final int BACKLOG = 4096;

    private final SslContext server;
    private final File originCa;
    private final boolean codec;

    private BareRelay(String certificate, String key, String originCa, boolean codec) throws SSLException {
        this.originCa = new File(originCa);
        this.codec = codec;
        server = SslContextBuilder.forServer(new File(certificate), new File(key))
                .applicationProtocolConfig(codec ? alpn("http/1.1") : alpn("h2", "http/1.1"))
                .build();
    }

    private static ApplicationProtocolConfig alpn(String... protocols) {
        return new ApplicationProtocolConfig(
                ApplicationProtocolConfig.Protocol.ALPN,
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                protocols);
    }

    /** Runs until the process is ended: {@code PORT CERTIFICATE KEY ORIGIN_CA [http]}. */
    public static void main(String... arguments) throws SSLException, InterruptedException {
        BareRelay relay = new BareRelay(
                arguments[1], arguments[2], arguments[3], arguments.length > 4 && arguments[4].equals("http"));
        relay.serve(Integer.parseInt(arguments[0])).closeFuture().sync();
    }

    private Channel serve(int port) {
        var loops = Loops.many("relay", Runtime.getRuntime().availableProcessors());
        return new ServerBootstrap()
                .group(loops)
                .channel(Loops.serverSocket())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new FirstHead());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .syncUninterruptibly()
                .channel();
    }

    /** Reads where to go from the first head: CONNECT, or a target in absolute form, which goes on as it is. */
    private final class FirstHead extends ByteToMessageDecoder {

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            int lf = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
            if (lf < 0) {
                return;
            }
            String[] line = in.toString(
                            in.readerIndex(), lf - in.readerIndex(), java.nio.charset.StandardCharsets.US_ASCII)
                    .split(" ", -1);
            boolean tunnel = line[0].equals("CONNECT");
            String[] authority = (tunnel ? line[1] : line[1].split("/", -1)[2]).split(":", -1);
            InetSocketAddress target = new InetSocketAddress(authority[0], Integer.parseInt(authority[1]));
            ctx.channel().config().setAutoRead(false);
            if (tunnel) {
                in.skipBytes(in.readableBytes());
                ctx.writeAndFlush(HttpScanner.ascii(ctx, "HTTP/1.1 200 OK\r\n\r\n"));
                SslHandler tls = server.newHandler(ctx.alloc());
                ctx.channel().config().setAutoRead(true);
                ctx.pipeline().addLast(tls);
                tls.handshakeFuture().addListener(done -> {
                    if (done.isSuccess()) {
                        ctx.channel().config().setAutoRead(false);
                        dial(ctx.channel(), target, authority[0], tls.applicationProtocol());
                    } else {
                        ctx.close();
                    }
                });
            } else {
                dial(ctx.channel(), target, null, null);
            }
            ctx.pipeline().remove(this);
        }
    }

    /** @param host the name to ask for in TLS; null for plain HTTP */
    private void dial(Channel client, InetSocketAddress target, @Nullable String host, @Nullable String protocol) {
        Held held = new Held();
        client.pipeline().addLast(held);
        new Bootstrap()
                .group(client.eventLoop())
                .channel(Loops.socket())
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(target)
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        client.close();
                        return;
                    }
                    Channel origin = connected.channel();
                    if (host == null) {
                        couple(client, origin, held);
                        return;
                    }
                    SslHandler tls = context(protocol).newHandler(origin.alloc(), host, target.getPort());
                    origin.pipeline().addLast(tls);
                    tls.handshakeFuture().addListener(done -> {
                        if (done.isSuccess()) {
                            couple(client, origin, held);
                        } else {
                            client.close();
                            origin.close();
                        }
                    });
                });
    }

    private @Nullable SslContext lastContext;
    private @Nullable String lastProtocol;

    /** Verifies the origin as every proxy must. */
    private synchronized SslContext context(@Nullable String protocol) throws SSLException {
        SslContext context = lastContext;
        if (context == null || !java.util.Objects.equals(protocol, lastProtocol)) {
            SslContextBuilder builder = SslContextBuilder.forClient().trustManager(originCa);
            if (protocol != null) {
                builder.applicationProtocolConfig(alpn(protocol));
            }
            context = builder.build();
            lastContext = context;
            lastProtocol = protocol;
        }
        return context;
    }

    private void couple(Channel client, Channel origin, Held held) {
        if (codec) {
            client.pipeline().addBefore(client.pipeline().context(held).name(), "codec", new HttpServerCodec());
            origin.pipeline().addLast(new HttpClientCodec());
        }
        origin.pipeline().addLast(new Pass(client));
        client.pipeline().replace(held, "pass", new Pass(origin));
        held.release(client.pipeline());
        client.config().setAutoRead(true);
        client.read();
    }

    /** Keeps what comes before the other side is there. */
    private static final class Held extends ChannelInboundHandlerAdapter {

        private ByteBuf bytes = Unpooled.EMPTY_BUFFER;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf more = (ByteBuf) message;
            bytes = bytes.isReadable() ? Unpooled.wrappedBuffer(bytes, more) : more;
        }

        void release(io.netty.channel.ChannelPipeline pipeline) {
            if (!bytes.isReadable()) {
                return;
            }
            ChannelHandlerContext codec = pipeline.context("codec");
            ChannelHandler first = codec == null ? pipeline.get("pass") : codec.handler();
            ChannelHandlerContext at = pipeline.context(first);
            try {
                ((io.netty.channel.ChannelInboundHandler) first).channelRead(at, bytes);
                ((io.netty.channel.ChannelInboundHandler) first).channelReadComplete(at);
            } catch (Exception e) {
                at.fireExceptionCaught(e);
            }
        }
    }

    /** Passes on what comes, and stops reading while the other side does not keep up. */
    private static final class Pass extends ChannelInboundHandlerAdapter {

        private final Channel other;

        Pass(Channel other) {
            this.other = other;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            other.write(message, other.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
            if (!other.isWritable()) {
                ctx.channel().config().setAutoRead(false);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
            other.config().setAutoRead(ctx.channel().isWritable());
            super.channelWritabilityChanged(ctx);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
