package dev.sallyport.conformance;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sends every frame of a WebSocket message back, and fails connections as RFC 6455 asks for, UTF-8 frame by frame. */
final class EchoServer implements AutoCloseable {

    private static final int MAX_FRAME = 32 << 20;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel listener;

    EchoServer() {
        listener = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpObjectAggregator(65_536),
                                        new Handshake(),
                                        new Utf8FrameValidator(true),
                                        new Echo());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        group.shutdownGracefully();
    }

    private static final class Handshake extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            WebSocketDecoderConfig config = WebSocketDecoderConfig.newBuilder()
                    .maxFramePayloadLength(MAX_FRAME)
                    .withUTF8Validator(false)
                    .build();
            @Nullable WebSocketServerHandshaker handshaker =
                    new WebSocketServerHandshakerFactory("ws://localhost/", null, config).newHandshaker(request);
            Objects.requireNonNull(handshaker, "a version of the protocol that is known")
                    .handshake(context.channel(), request);
        }
    }

    private static final class Echo extends SimpleChannelInboundHandler<WebSocketFrame> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            switch (frame) {
                case PingWebSocketFrame ping ->
                    context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
                case PongWebSocketFrame pong -> {
                    // Nobody was asked.
                }
                case CloseWebSocketFrame close ->
                    context.writeAndFlush(close.retain()).addListener(written -> context.close());
                default -> context.writeAndFlush(frame.retain());
            }
        }

        /** The decoder has sent the close frame that says what was wrong. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
