package dev.sallyport.compare.origin;

import dev.sallyport.compare.net.Authority;
import dev.sallyport.compare.net.Loops;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** The server behind every proxy: HTTP/1.1 and HTTP/2, with and without TLS, on one thread of this JVM. */
public final class Origin implements AutoCloseable {

    private static final int BACKLOG = 4096;
    private static final int WINDOW = 1 << 20;

    private final EventLoopGroup loop = Loops.one("origin");
    private final Bodies bodies = new Bodies();
    private final Channel plain;
    private final Channel secure;
    private final Channel modern;

    public Origin(Authority.Identity identity) throws SSLException {
        plain = bind(new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new Http1Origin(bodies));
            }
        });
        secure = bind(overTls(identity, ApplicationProtocolNames.HTTP_1_1));
        modern = bind(overTls(identity, ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1));
    }

    private ChannelInitializer<SocketChannel> overTls(Authority.Identity identity, String... protocols)
            throws SSLException {
        SslContext tls = SslContextBuilder.forServer(identity.key(), identity.chain())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        protocols))
                .build();
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(tls.newHandler(channel.alloc()), new ByProtocol());
            }
        };
    }

    private final class ByProtocol extends ApplicationProtocolNegotiationHandler {

        ByProtocol() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                ctx.pipeline()
                        .addLast(
                                Http2FrameCodecBuilder.forServer()
                                        .initialSettings(Http2Settings.defaultSettings()
                                                .maxConcurrentStreams(1000)
                                                .initialWindowSize(WINDOW))
                                        .build(),
                                new Http2Origin(bodies));
            } else {
                ctx.pipeline().addLast(new Http1Origin(bodies));
            }
        }

        @Override
        protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    private Channel bind(ChannelInitializer<SocketChannel> pipeline) {
        return new ServerBootstrap()
                .group(loop)
                .channel(Loops.serverSocket())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(pipeline)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    public int plainPort() {
        return ((InetSocketAddress) plain.localAddress()).getPort();
    }

    /** TLS for HTTP/1.1 alone. */
    public int securePort() {
        return ((InetSocketAddress) secure.localAddress()).getPort();
    }

    /** TLS for HTTP/2, and HTTP/1.1 where that is not asked for. */
    public int modernPort() {
        return ((InetSocketAddress) modern.localAddress()).getPort();
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        bodies.close();
    }
}
