package dev.sallyport.server.management;

import dev.sallyport.server.http.RequestTimer;
import dev.sallyport.toolkit.headers.ReasonPhrases;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of the management API: reads requests, has their routes answer them one after the other, writes the
 * answers. Whether a request is answered at all is decided by its head, so that nobody without the key makes it keep a
 * body. On the channel's loop.
 */
final class ApiHandler extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);

    /** Requests of one connection that may wait for their turn. */
    private static final int MAX_WAITING = 64;

    private static final long LINGER_SECONDS = 2;

    private final RouteChooser routes;
    private final Channel channel;
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    private @Nullable RequestBody reading;
    private @Nullable EventStream events;
    private boolean busy;

    /** Whether the connection ends with what is being written: further input is dropped. */
    private boolean last;

    /** A request that is complete. */
    private record Pending(Routes.Choice choice, ApiRequest request, boolean stays) {}

    ApiHandler(RouteChooser routes, Channel channel) {
        this.routes = routes;
        this.channel = channel;
    }

    // Requests.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            if (!last && message instanceof HttpRequest head) {
                begin(head);
            }
            if (!last && message instanceof HttpContent content) {
                content(content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(HttpRequest head) {
        if (head.decoderResult().isFailure()) {
            refuse(malformed(head.decoderResult().cause()));
            return;
        }
        Routes.Choice choice = routes.choose(head);
        RequestBody body = new RequestBody(head, choice);
        reading = body;
        if (body.declaresTooMuch()) {
            refuse(RequestBody.tooLarge());
        } else if (HttpUtil.is100ContinueExpected(head)) {
            if (choice.refusal() == null) {
                channel.writeAndFlush(new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
            } else {
                refuse(choice.refusal());
            }
        }
    }

    private static ApiException malformed(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new ApiException(414, "uri_too_long", "the request line is too long");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new ApiException(431, "headers_too_large", "the headers are too large");
        }
        return new ApiException(400, "bad_request", "the request is malformed");
    }

    private void content(HttpContent content) {
        RequestBody body = reading;
        if (body == null) {
            return;
        }
        if (content.decoderResult().isFailure()) {
            refuse(malformed(content.decoderResult().cause()));
        } else if (!body.add(content.content())) {
            refuse(RequestBody.tooLarge());
        } else if (content instanceof LastHttpContent) {
            reading = null;
            complete(new Pending(body.choice(), body.request(), HttpUtil.isKeepAlive(body.head())));
        }
    }

    private void complete(Pending pending) {
        RequestTimer.of(channel).complete();
        if (waiting.size() >= MAX_WAITING) {
            last = true;
            channel.close();
            return;
        }
        waiting.add(pending);
        next();
    }

    private void next() {
        if (busy) {
            return;
        }
        Pending pending = waiting.poll();
        channel.config().setAutoRead(pending == null);
        if (pending == null) {
            return;
        }
        busy = true;
        ApiException refusal = pending.choice().refusal();
        Route route = pending.choice().route();
        if (refusal != null || route == null) {
            ApiException why = refusal == null ? Routes.notFound() : refusal;
            write(why.answer(), pending.stays());
            return;
        }
        Thread.ofVirtual().name("sallyport-api").start(() -> {
            ApiResponse answer = answer(route, pending.request());
            try {
                channel.eventLoop().execute(() -> send(answer, pending));
            } catch (RejectedExecutionException e) {
                LOG.debug("{} {} is answered after the end of its listener", route.method(), route.path());
            }
        });
    }

    private static ApiResponse answer(Route route, ApiRequest request) {
        try {
            return route.answer(request);
        } catch (ApiException e) {
            LOG.debug("{} {}: {}", route.method(), route.path(), e.toString());
            return e.answer();
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            LOG.error("{} {} failed", route.method(), route.path(), e);
            return new ApiException(500, "internal_error", "the request failed; the log of the proxy says why")
                    .answer();
        }
    }

    // Answers.

    private void send(ApiResponse answer, Pending pending) {
        if (answer instanceof ApiResponse.Content content) {
            write(content, pending.stays());
        } else if (answer instanceof ApiResponse.Events stream) {
            stream(stream.source(), pending.request().method().equals(HttpMethod.HEAD.name()));
        }
    }

    /** Answers out of turn, and ends the connection, whose remaining input cannot be read. */
    private void refuse(ApiException why) {
        last = true;
        waiting.clear();
        if (busy) {
            channel.close(); // an answer now would be taken for that of an earlier request
            return;
        }
        channel.writeAndFlush(response(why.answer(), false)).addListener(written -> linger());
    }

    /** Reads on for a moment: closing while the client still sends could destroy the answer. */
    private void linger() {
        if (channel instanceof DuplexChannel duplex && channel.isActive()) {
            duplex.shutdownOutput();
            channel.config().setAutoRead(true);
            Future<?> end = channel.eventLoop().schedule(() -> channel.close(), LINGER_SECONDS, TimeUnit.SECONDS);
            channel.closeFuture().addListener(closed -> end.cancel(false));
        }
    }

    private static HttpResponse response(ApiResponse.Content content, boolean stays) {
        HttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(content.status(), ReasonPhrases.of(content.status())),
                Unpooled.wrappedBuffer(content.content()));
        HttpHeaders headers = common(response, content.type());
        content.headers().forEach(headers::set);
        headers.setInt(HttpHeaderNames.CONTENT_LENGTH, content.content().length);
        HttpUtil.setKeepAlive(response, stays);
        return response;
    }

    private void write(ApiResponse.Content content, boolean stays) {
        ChannelFuture written = channel.writeAndFlush(response(content, stays));
        if (!stays) {
            last = true;
            written.addListener(ChannelFutureListener.CLOSE);
            return;
        }
        busy = false;
        if (waiting.isEmpty()) {
            RequestTimer.of(channel).answered();
        }
        next();
    }

    private void stream(EventSource source, boolean headOnly) {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        HttpHeaders headers = common(response, "text/event-stream");
        headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        HttpUtil.setKeepAlive(response, false);
        last = true;
        if (headOnly) {
            channel.write(response);
            channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        channel.write(response);
        channel.config().setAutoRead(true); // so that it is noticed when the client leaves
        if (channel.isActive()) {
            EventStream stream = new EventStream(channel);
            events = stream;
            stream.begin(source);
        }
    }

    private static HttpHeaders common(HttpResponse response, String type) {
        return response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set("X-Content-Type-Options", "nosniff");
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (events != null && ctx.channel().isWritable()) {
            events.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        last = true;
        waiting.clear();
        if (events != null) {
            events.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("a client of management.listen: {}", cause.toString());
        ctx.close();
    }
}
