package dev.sallyport.control.api;

import dev.sallyport.toolkit.headers.ReasonPhrases;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests whose head cannot be read, and closes connections on which nothing more can be read (RFC 9112, 2.2
 * and 9.6). The framework answers some of them without the fields that every answer has, some not at all, and waits for
 * more after a malformed chunk. All answers get the phrases of RFC 9110.
 */
final class UnreadableRequests extends ChannelDuplexHandler {

    private int unanswered;
    private boolean ended;
    private @Nullable FullHttpResponse refusal;

    private UnreadableRequests() {}

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (ended) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpRequest request) {
            if (isUnreadable(request)) {
                ended = true;
                refusal = answer(request);
                ReferenceCountUtil.release(message);
                endIfAnswered(context);
                return;
            }
            keepCase(request);
            unanswered++;
        }
        ended = message instanceof HttpContent content
                && content.decoderResult().isFailure();
        context.fireChannelRead(message); // who reads the body learns of it, too
        if (ended) {
            endIfAnswered(context);
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse response) {
            name(response);
        }
        boolean last = message instanceof LastHttpContent && !isInterim(message);
        context.write(message, promise);
        if (last) {
            unanswered--;
            endIfAnswered(context);
        }
    }

    private void endIfAnswered(ChannelHandlerContext context) {
        if (!ended || unanswered > 0) {
            return;
        }
        FullHttpResponse last = refusal;
        refusal = null;
        context.writeAndFlush(last == null ? Unpooled.EMPTY_BUFFER : last).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        ReferenceCountUtil.release(refusal);
        refusal = null;
    }

    /** The framework has older phrases of some codes. */
    private static void name(HttpResponse response) {
        int code = response.status().code();
        String phrase = ReasonPhrases.of(code);
        if (!response.status().reasonPhrase().equals(phrase)) {
            response.setStatus(HttpResponseStatus.valueOf(code, phrase));
        }
    }

    private static boolean isInterim(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL
                && response.status().code() != HttpResponseStatus.SWITCHING_PROTOCOLS.code();
    }

    private static boolean isUnreadable(HttpRequest request) {
        return request.decoderResult().isFailure()
                || request.protocolVersion().majorVersion() != 1
                || !isForOneHost(request);
    }

    /** RFC 9112, 3.2. */
    private static boolean isForOneHost(HttpRequest request) {
        int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
        return hosts == 1 || (hosts == 0 && request.protocolVersion().minorVersion() == 0);
    }

    /**
     * Methods are case-sensitive (RFC 9110, 9.1), but not to the framework: a name that it would take for another gets one
     * that it does not know.
     */
    private static void keepCase(HttpRequest request) {
        String method = request.method().name();
        if (!method.equals(method.toUpperCase(Locale.ROOT))) {
            request.setMethod(HttpMethod.valueOf("OTHER-" + method));
        }
    }

    private static FullHttpResponse answer(HttpRequest request) {
        int status = status(request.decoderResult());
        byte[] body = ErrorBody.of(Errors.refusal(status)).json();
        boolean head = request.method().equals(HttpMethod.HEAD);
        FullHttpResponse answer = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status, ReasonPhrases.of(status)),
                head || body == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
                .set(HttpHeaderNames.CONTENT_LENGTH, body == null ? 0 : body.length)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        AnswerFields.PROTECTION.forEach(answer.headers()::set);
        return answer;
    }

    private static int status(DecoderResult result) {
        if (result.cause() instanceof TooLongHttpLineException) {
            return 414;
        }
        return result.cause() instanceof TooLongHttpHeaderException ? 431 : 400;
    }

    /** Puts one into each connection. */
    @Singleton
    static final class Installer implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {

        @Override
        public NettyServerCustomizer.Registry onCreated(BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
            event.getBean().register(new Customizer(null));
            return event.getBean();
        }
    }

    private record Customizer(@Nullable Channel channel) implements NettyServerCustomizer {

        /** Of the listener first, then of each connection. */
        @Override
        public NettyServerCustomizer specializeForChannel(Channel accepted, ChannelRole role) {
            return new Customizer(accepted);
        }

        @Override
        public void onStreamPipelineBuilt() {
            Objects.requireNonNull(channel)
                    .pipeline()
                    .addAfter(
                            ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC,
                            "unreadable-requests",
                            new UnreadableRequests());
        }
    }
}
