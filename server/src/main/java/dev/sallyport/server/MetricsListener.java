package dev.sallyport.server;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.server.metrics.Telemetry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
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
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import jakarta.inject.Inject;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code metrics.listen} answers: {@code GET /metrics} what the proxy has counted, {@code GET /healthz} that the
 * process lives, everything else is 404. On a thread of its own, so that it answers while the proxy's loops are busy.
 */
final class MetricsListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MetricsListener.class);
    private static final int MAX_BODY = 1024;
    private static final int IDLE_SECONDS = 30;

    private @Nullable EventLoopGroup loop;
    private @Nullable InetSocketAddress address;

    private final Telemetry telemetry;

    @Inject
    MetricsListener(Telemetry telemetry) {
        this.telemetry = telemetry;
    }

    /** Binds; blocks. */
    void start(ListenAddress listen) throws Failure {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("sallyport-metrics", true), NioIoHandler.newFactory());
        loop = group;
        Answers answers = new Answers(telemetry);
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new ReadTimeoutHandler(IDLE_SECONDS))
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(MAX_BODY, true))
                                .addLast(answers);
                    }
                })
                .bind(listen.toSocketAddress())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new Failure("metrics.listen " + listen + ": " + reason(bound.cause()));
        }
        Channel channel = bound.channel();
        address = (InetSocketAddress) channel.localAddress();
        LOG.info("listening on {} (metrics.listen)", address);
    }

    private static String reason(Throwable cause) {
        String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return message.contains("in use") ? "the port is taken" : message;
    }

    /** Its event loop, once started. */
    Executor loop() {
        return Objects.requireNonNull(loop, "not started").next();
    }

    /** Where it is bound, or null. */
    @Nullable InetSocketAddress address() {
        return address;
    }

    /** Idempotent; blocks. */
    @Override
    public void close() {
        EventLoopGroup group = loop;
        if (group != null) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
        }
    }

    @Sharable
    private static final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {

        private static final String PLAIN = "text/plain";

        private final Telemetry telemetry;

        Answers(Telemetry telemetry) {
            this.telemetry = telemetry;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            FullHttpResponse response = answer(request);
            boolean stays = HttpUtil.isKeepAlive(request);
            HttpUtil.setKeepAlive(response, stays);
            ChannelFuture written = ctx.writeAndFlush(response);
            if (!stays) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        private FullHttpResponse answer(FullHttpRequest request) {
            boolean reads =
                    request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
            boolean asked = request.decoderResult().isSuccess() && reads;
            return switch (asked ? request.uri() : "") {
                case "/metrics" -> metrics(request.headers().get(HttpHeaderNames.ACCEPT, ""));
                case "/healthz" -> text(HttpResponseStatus.OK, "OK");
                default -> text(HttpResponseStatus.NOT_FOUND, "not found");
            };
        }

        private FullHttpResponse metrics(String accept) {
            Telemetry.Exposition exposition = telemetry.collect(accept);
            return answer(HttpResponseStatus.OK, exposition.contentType(), exposition.text());
        }

        private static FullHttpResponse text(HttpResponseStatus status, String text) {
            return answer(status, PLAIN, text.getBytes(StandardCharsets.US_ASCII));
        }

        private static FullHttpResponse answer(HttpResponseStatus status, String type, byte[] content) {
            FullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(content));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .setInt(HttpHeaderNames.CONTENT_LENGTH, content.length);
            return response;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            LOG.debug("a client of metrics.listen: {}", cause.toString());
            ctx.close();
        }
    }
}
