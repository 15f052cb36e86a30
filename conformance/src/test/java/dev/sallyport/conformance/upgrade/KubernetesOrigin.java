package dev.sallyport.conformance.upgrade;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * As much of an API server as {@code kubectl exec} asks for. The command repeats its input until that ends, then says how
 * long it was, and exits with 7.
 */
final class KubernetesOrigin implements AutoCloseable {

    static final int EXIT_CODE = 7;

    /** What a client asks to find out what pods are, and the pod. */
    private static final Map<String, String> PAGES =
            Map.of("/api", """
            {"kind": "APIVersions", "versions": ["v1"]}""", "/apis", """
            {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}""", "/api/v1", """
            {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
              {"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": ["get"]}]}""", "/api/v1/namespaces/default/pods/box", """
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "box", "namespace": "default"},
             "spec": {"containers": [{"name": "main", "image": "none"}]}, "status": {"phase": "Running"}}""");

    private static final String NOT_FOUND = """
            {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}""";
    private static final String EXIT = """
            {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode",
             "details": {"causes": [{"reason": "ExitCode", "message": "%d"}]}}""".formatted(EXIT_CODE);

    private static final String SPDY_PROTOCOL = "v4.channel.k8s.io";
    private static final String WEBSOCKET_PROTOCOL = "v5.channel.k8s.io";
    private static final int MOST = 1 << 20;

    /** The method of each request, its path, its protocol to switch to and its credential. */
    final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final boolean webSockets;
    private final Channel listener;

    /** @param webSockets whether it speaks these too, of which newer clients ask first */
    KubernetesOrigin(SSLContext tls, boolean webSockets) {
        this.webSockets = webSockets;
        listener = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        SSLEngine engine = tls.createSSLEngine();
                        engine.setUseClientMode(false);
                        channel.pipeline()
                                .addLast(
                                        new SslHandler(engine),
                                        new HttpServerCodec(),
                                        new HttpObjectAggregator(MOST),
                                        new Api());
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

    /** What the command says at the end of its input. */
    static String end(long length) {
        return "the input ended after " + length + " bytes\n";
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private final class Api extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            String path = new QueryStringDecoder(request.uri()).path();
            String upgrade = request.headers().get(HttpHeaderNames.UPGRADE, "");
            seen.add(request.method() + " " + path + " [" + upgrade + "] "
                    + request.headers().get(HttpHeaderNames.AUTHORIZATION));
            String page = PAGES.get(path);
            if (page != null) {
                answer(context, HttpResponseStatus.OK, page);
            } else if (!path.endsWith("/pods/box/exec")) {
                answer(context, HttpResponseStatus.NOT_FOUND, NOT_FOUND);
            } else if (upgrade.equals("websocket") && webSockets) {
                webSocket(context, request);
            } else if (upgrade.equals("SPDY/3.1")) {
                spdy(context);
            } else {
                answer(context, HttpResponseStatus.BAD_REQUEST, NOT_FOUND);
            }
        }

        private void answer(ChannelHandlerContext context, HttpResponseStatus status, String body) {
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, text(body));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                    .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            context.writeAndFlush(response);
        }

        private void webSocket(ChannelHandlerContext context, FullHttpRequest request) {
            WebSocketServerHandshaker handshaker = new WebSocketServerHandshakerFactory(
                            "wss://kube.test/", WEBSOCKET_PROTOCOL, false, MOST)
                    .newHandshaker(request);
            context.pipeline().replace(this, null, new Messages());
            Objects.requireNonNull(handshaker, "a version of the protocol that is known")
                    .handshake(context.channel(), request);
        }

        private void spdy(ChannelHandlerContext context) {
            FullHttpResponse agreement = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
            agreement
                    .headers()
                    .set(HttpHeaderNames.CONNECTION, "Upgrade")
                    .set(HttpHeaderNames.UPGRADE, "SPDY/3.1")
                    .set("X-Stream-Protocol-Version", SPDY_PROTOCOL);
            context.writeAndFlush(agreement);
            context.pipeline().remove(HttpObjectAggregator.class);
            context.pipeline().addLast(new SpdyFrameCodec(SpdyVersion.SPDY_3_1), new Streams());
            context.pipeline().remove(this);
            context.pipeline().remove(HttpServerCodec.class);
        }
    }

    /** Streams of SPDY, one for each of the command; nobody counts windows there. */
    private static final class Streams extends SimpleChannelInboundHandler<Object> {

        private final Map<String, Integer> streams = new HashMap<>();
        private long length;

        @Override
        protected void channelRead0(ChannelHandlerContext context, Object frame) {
            switch (frame) {
                case SpdySynStreamFrame begun -> {
                    streams.put(begun.headers().getAsString("streamtype"), begun.streamId());
                    SpdySynReplyFrame reply = new DefaultSpdySynReplyFrame(begun.streamId());
                    reply.headers().set("accepted", "yes"); // clients cannot read a block without any
                    context.writeAndFlush(reply);
                }
                case SpdyDataFrame input -> {
                    length += input.content().readableBytes();
                    context.write(data("stdout", input.content().retain()));
                    if (input.isLast()) {
                        context.write(data("stdout", Unpooled.EMPTY_BUFFER).setLast(true));
                        context.write(data("stderr", text(end(length))).setLast(true));
                        context.write(data("error", text(EXIT)).setLast(true));
                    }
                    context.flush();
                }
                case SpdyPingFrame ping -> context.writeAndFlush(ping);
                default -> {
                    // Settings, windows and farewells.
                }
            }
        }

        private SpdyDataFrame data(String stream, ByteBuf bytes) {
            return new DefaultSpdyDataFrame(Objects.requireNonNull(streams.get(stream), stream), bytes);
        }
    }

    /** Messages of WebSocket, each of which begins with the number of its stream. */
    private static final class Messages extends SimpleChannelInboundHandler<WebSocketFrame> {

        private static final int INPUT = 0;
        private static final int OUTPUT = 1;
        private static final int ERRORS = 2;
        private static final int STATUS = 3;
        private static final int END = 255;

        private long length;

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            switch (frame) {
                case BinaryWebSocketFrame message -> message(context, message.content());
                case PingWebSocketFrame ping ->
                    context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
                case CloseWebSocketFrame close -> context.close();
                default -> {
                    // Answers to pings.
                }
            }
        }

        private void message(ChannelHandlerContext context, ByteBuf message) {
            int stream = message.readUnsignedByte();
            if (stream == INPUT) {
                length += message.readableBytes();
                context.writeAndFlush(on(OUTPUT, message.retain()));
            } else if (stream == END && message.readUnsignedByte() == INPUT) {
                context.write(on(ERRORS, text(end(length))));
                context.write(on(STATUS, text(EXIT)));
                context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
            }
        }

        private static WebSocketFrame on(int stream, ByteBuf bytes) {
            return new BinaryWebSocketFrame(
                    Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(new byte[] {(byte) stream}), bytes));
        }
    }
}
