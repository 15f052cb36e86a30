package dev.sallyport.server;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.server.http.HttpListener;
import dev.sallyport.server.http.RequestTimer;
import dev.sallyport.server.metrics.Telemetry;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import jakarta.inject.Inject;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code metrics.listen} answers: {@code GET /metrics} what the proxy has counted, {@code GET /healthz} that the
 * process lives, {@code GET /readyz} whether the proxy serves; everything else is 404.
 */
final class MetricsListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MetricsListener.class);
    private static final int MAX_BODY = 1024;

    private final HttpListener listener;
    private volatile BooleanSupplier ready = () -> false;

    @Inject
    MetricsListener(Telemetry telemetry) {
        listener = new HttpListener("metrics.listen", "sallyport-metrics", () -> handlers(telemetry));
    }

    private ChannelInitializer<SocketChannel> handlers(Telemetry telemetry) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline()
                        .addLast(new HttpObjectAggregator(MAX_BODY, true))
                        .addLast(new Answers(telemetry, ready));
            }
        };
    }

    /**
     * Binds; blocks.
     *
     * @param nowReady whether the proxy serves
     */
    void start(ListenAddress listen, BooleanSupplier nowReady) throws Failure {
        ready = nowReady;
        listener.start(listen);
    }

    /** Its event loop, once started. */
    Executor loop() {
        return listener.loop();
    }

    /** Where it is bound, or null. */
    @Nullable InetSocketAddress address() {
        return listener.address();
    }

    /** Idempotent; blocks. */
    @Override
    public void close() {
        listener.close();
    }

    private static final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {

        private static final String PLAIN = "text/plain";

        private final Telemetry telemetry;
        private final BooleanSupplier ready;

        Answers(Telemetry telemetry, BooleanSupplier ready) {
            this.telemetry = telemetry;
            this.ready = ready;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            RequestTimer timer = RequestTimer.of(ctx.channel());
            timer.complete();
            FullHttpResponse response = answer(request);
            boolean stays = HttpUtil.isKeepAlive(request);
            HttpUtil.setKeepAlive(response, stays);
            ChannelFuture written = ctx.writeAndFlush(response);
            timer.answered();
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
                case "/readyz" ->
                    ready.getAsBoolean()
                            ? text(HttpResponseStatus.OK, "OK")
                            : text(HttpResponseStatus.SERVICE_UNAVAILABLE, "not ready");
                default -> text(HttpResponseStatus.NOT_FOUND, "not found");
            };
        }

        private FullHttpResponse metrics(String accept) {
            Telemetry.Exposition exposition = telemetry.collect(accept);
            return answer(HttpResponseStatus.OK, exposition.contentType(), exposition.content());
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
