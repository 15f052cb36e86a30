package dev.sallyport.transforms.secrets.e2e;

import dev.sallyport.testsupport.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketClientCompressionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An origin that sends every message back, with the compression that it is asked for, and clients of it. */
final class WebSocketPeers implements AutoCloseable {

    static final int PATIENCE_SECONDS = Patience.SECONDS;

    private static final int LONGEST = 1 << 20;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
    private final Channel server;

    WebSocketPeers() {
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/")
                .checkStartsWith(true)
                .allowExtensions(true)
                .maxFramePayloadLength(LONGEST)
                .build();
        server = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection
                                .pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpObjectAggregator(LONGEST),
                                        new WebSocketServerCompressionHandler(LONGEST),
                                        new WebSocketServerProtocolHandler(config),
                                        new WebSocketFrameAggregator(LONGEST),
                                        new Echo());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /** The message that arrived next, or null when none does. */
    String arrived() throws InterruptedException {
        return arrived.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    boolean nothingMoreArrived() {
        return arrived.isEmpty();
    }

    /** Opens a connection to this origin through a proxy, and waits until it is open. */
    Client open(InetSocketAddress proxy, String host, boolean compressed) throws Exception {
        Client client = new Client();
        WebSocketClientProtocolConfig config = WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(URI.create("ws://" + host + ":" + port() + "/"))
                .allowExtensions(compressed)
                .customHeaders(new DefaultHttpHeaders())
                .maxFramePayloadLength(LONGEST)
                .build();
        client.channel = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(LONGEST));
                        if (compressed) {
                            connection.pipeline().addLast(new WebSocketClientCompressionHandler(LONGEST));
                        }
                        connection
                                .pipeline()
                                .addLast(
                                        new WebSocketClientProtocolHandler(config),
                                        new WebSocketFrameAggregator(LONGEST),
                                        client);
                    }
                })
                .connect(proxy)
                .syncUninterruptibly()
                .channel();
        client.open.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return client;
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private final class Echo extends SimpleChannelInboundHandler<WebSocketFrame> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            if (frame instanceof TextWebSocketFrame text) {
                arrived.add(text.text());
            } else if (frame instanceof BinaryWebSocketFrame) {
                arrived.add("binary " + frame.content().toString(StandardCharsets.UTF_8));
            }
            context.writeAndFlush(frame.retain());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** One connection. */
    static final class Client extends SimpleChannelInboundHandler<WebSocketFrame> implements AutoCloseable {

        private final CompletableFuture<Void> open = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final BlockingQueue<String> echoes = new LinkedBlockingQueue<>();
        private Channel channel;

        void send(WebSocketFrame... frames) {
            for (WebSocketFrame frame : frames) {
                channel.writeAndFlush(frame);
            }
        }

        /** Whether compression was agreed upon. */
        boolean compresses() {
            return channel.pipeline().names().stream().anyMatch(name -> name.contains("PerMessageDeflate"));
        }

        String echo() throws InterruptedException {
            return echoes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }

        /** Waits until the other side has ended the connection. */
        void awaitEnd() throws Exception {
            ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            if (frame instanceof TextWebSocketFrame text) {
                echoes.add(text.text());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                open.complete(null);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.complete(null);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            open.completeExceptionally(cause);
            context.close();
        }

        @Override
        public void close() {
            channel.close().syncUninterruptibly();
        }
    }
}
