package dev.sallyport.compare.load;

import dev.sallyport.compare.net.HttpScanner;
import dev.sallyport.compare.net.Loops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * Opens connections: TCP, CONNECT where the route asks for it, and TLS with a full handshake each. Verifies no certificate:
 * the client is not what is measured, and {@link Probe} looks at whose certificates a proxy shows.
 */
public final class Dialler implements AutoCloseable {

    private static final int CONNECT_MILLIS = 10_000;
    private static final int HANDSHAKE_MILLIS = 30_000;

    private final EventLoopGroup loop = Loops.one("load");
    private final Map<List<String>, SslContext> contexts = new HashMap<>();

    /** The loop of everything that was dialled. */
    public EventLoopGroup loop() {
        return loop;
    }

    /**
     * Opens a connection. The future completes on the loop, when the application can speak.
     *
     * @param protocols what ALPN offers; empty for none
     */
    public Future<Channel> dial(Route route, List<String> protocols) {
        Promise<Channel> ready = loop.next().newPromise();
        SslContext tls = route.tls() ? context(protocols) : null;
        ChannelFuture connected = new Bootstrap()
                .group(loop)
                .channel(Loops.socket())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(route.first());
        connected.addListener((ChannelFuture future) -> {
            if (!future.isSuccess()) {
                ready.tryFailure(future.cause());
                return;
            }
            Channel channel = future.channel();
            channel.closeFuture()
                    .addListener(closed -> ready.tryFailure(new IOException("closed before it could be used")));
            if (tls == null) {
                ready.trySuccess(channel);
            } else if (route.proxied()) {
                channel.pipeline().addLast(new Connect(() -> secure(channel, route, tls, ready), ready));
                ChannelHandlerContext last = channel.pipeline().lastContext();
                channel.writeAndFlush(HttpScanner.ascii(
                        last, "CONNECT " + route.authority() + " HTTP/1.1\r\nHost: " + route.authority() + "\r\n\r\n"));
            } else {
                secure(channel, route, tls, ready);
            }
        });
        return ready;
    }

    private static void secure(Channel channel, Route route, SslContext tls, Promise<Channel> ready) {
        SslHandler handler = tls.newHandler(channel.alloc());
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
        SSLParameters parameters = handler.engine().getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(route.host())));
        handler.engine().setSSLParameters(parameters);
        channel.pipeline().addLast(handler, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                ctx.close();
            }
        });
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                ready.trySuccess(channel);
            } else {
                ready.tryFailure(done.cause());
                channel.close();
            }
        });
    }

    private synchronized SslContext context(List<String> protocols) {
        return contexts.computeIfAbsent(protocols, offered -> {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .endpointIdentificationAlgorithm(null);
            if (!offered.isEmpty()) {
                builder.applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        offered));
            }
            try {
                return builder.build();
            } catch (SSLException e) {
                throw new IllegalStateException("no TLS for clients", e);
            }
        });
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Waits for the answer to CONNECT (RFC 9110, section 9.3.6). */
    private static final class Connect extends HttpScanner {

        private final Runnable established;
        private final Promise<Channel> ready;

        Connect(Runnable established, Promise<Channel> ready) {
            this.established = established;
            this.ready = ready;
        }

        @Override
        protected boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end) {
            int status = status(in, start);
            if (status / 100 == 2) {
                established.run();
            } else {
                ready.tryFailure(new IOException("CONNECT was answered with " + status));
                ctx.close();
            }
            ctx.pipeline().remove(this);
            return false;
        }

        @Override
        protected Unframed unframed() {
            return Unframed.NO_BODY;
        }

        @Override
        protected void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes) {
            throw new IllegalStateException("a body after CONNECT");
        }

        @Override
        protected void end(ChannelHandlerContext ctx) {
            throw new IllegalStateException("an end after CONNECT");
        }
    }
}
