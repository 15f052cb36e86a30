package dev.sallyport.control.api;

import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Refusal;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.micronaut.web.router.exceptions.UnsatisfiedBodyRouteException;
import io.netty.handler.codec.DecoderException;
import jakarta.inject.Singleton;
import java.io.EOFException;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Errors that the framework finds, in our shape. */
final class Errors {

    private static final Logger LOG = LoggerFactory.getLogger(Errors.class);

    private static final Map<Integer, String> CODES = Map.of(
            400, "bad_request",
            401, "unauthorized",
            404, "not_found",
            405, "method_not_allowed",
            413, "payload_too_large",
            414, "uri_too_long",
            415, "unsupported_media_type",
            429, "rate_limited",
            431, "header_fields_too_large",
            503, "overloaded");

    private static final Map<Integer, String> MESSAGES = Map.of(
            400, "a malformed request",
            404, "no such resource",
            405, "not a method of this resource (expected: one that Allow names)",
            413, "a body of more than 2 MiB (expected: a smaller one)",
            414, "a request line that is too long (expected: 4096 bytes at most)",
            415, "not a media type of this resource (expected: application/json in UTF-8)",
            431, "header fields that are too long (expected: 8192 bytes at most)");

    private Errors() {}

    /** What the framework answers by itself: unknown routes, methods, bodies that are too long. */
    @Singleton
    @Replaces(ErrorResponseProcessor.class)
    static final class Processor implements ErrorResponseProcessor<byte[]> {

        @Override
        public MutableHttpResponse<byte[]> processResponse(ErrorContext context, MutableHttpResponse<?> response) {
            int status = response.code();
            if (status == 400) {
                response.header(HttpHeaders.CONNECTION, "close"); // nothing more may be read from it
            }
            Answer answer;
            if (status >= 500 && status != 503) {
                answer = unexpected(context.getRootCause().orElse(null));
                response.status(500);
            } else {
                response.status(status);
                answer = ErrorBody.of(refusal(status, response.reason()));
            }
            answer.headers().forEach(response::header);
            AnswerFields.protect(response, true);
            MutableHttpResponse<byte[]> complete = response.body(answer.json() == null ? new byte[0] : answer.json())
                    .contentType(MediaType.APPLICATION_JSON_TYPE);
            AnswerFields.tellLength(context.getRequest(), complete);
            return complete;
        }
    }

    /** What an answer with this status says when nothing more is known. */
    static Refusal refusal(int status) {
        return refusal(status, "a malformed request");
    }

    private static Refusal refusal(int status, String otherwise) {
        return Refusal.of(status, CODES.getOrDefault(status, "bad_request"), MESSAGES.getOrDefault(status, otherwise));
    }

    /** 500 with an identifier that the log has. */
    static Answer unexpected(@Nullable Throwable fault) {
        String id = Tokens.code();
        LOG.error("internal_error {}", id, fault);
        return ErrorBody.of(Refusal.of(500, "internal_error", "an internal error, which the log has as " + id));
    }

    /** Refusals of controllers and services. */
    @Singleton
    static final class Refusals implements ExceptionHandler<Refusal, HttpResponse<?>> {

        @Override
        @SuppressWarnings("rawtypes") // as the framework declares it
        public HttpResponse<?> handle(HttpRequest request, Refusal refusal) {
            return ErrorBody.of(refusal).toResponse();
        }
    }

    /** Bodies that cannot be decompressed, and malformed forms. */
    @Singleton
    static final class Undecodable implements ExceptionHandler<DecoderException, HttpResponse<?>> {

        @Override
        @SuppressWarnings("rawtypes") // as the framework declares it
        public HttpResponse<?> handle(HttpRequest request, DecoderException fault) {
            return ErrorBody.of(Refusal.badRequest("a malformed body (expected: one that its header fields describe)"))
                    .toResponse();
        }
    }

    /** A body that is missing: the framework finds it before a controller could. */
    @Singleton
    static final class Bodiless implements ExceptionHandler<UnsatisfiedBodyRouteException, HttpResponse<?>> {

        @Override
        @SuppressWarnings("rawtypes") // as the framework declares it
        public HttpResponse<?> handle(HttpRequest request, UnsatisfiedBodyRouteException fault) {
            Refusal refusal = RequestGate.isApi(request.getPath())
                    ? BodyBinder.noBody()
                    : Refusal.badRequest("no body (expected: a form)");
            return ErrorBody.of(refusal).toResponse();
        }
    }

    /**
     * A body that its client did not send to the end. Nobody reads the answer; its status, which is no fault of ours, is
     * for the meters.
     */
    @Singleton
    static final class CutOff implements ExceptionHandler<EOFException, HttpResponse<?>> {

        @Override
        @SuppressWarnings("rawtypes") // as the framework declares it
        public HttpResponse<?> handle(HttpRequest request, EOFException fault) {
            if (isConnected(request)) {
                return unexpected(fault).toResponse();
            }
            LOG.debug("a client went away before its body was complete");
            return ErrorBody.of(Refusal.of(499, "client_closed_request", "the body was cut off"))
                    .toResponse();
        }

        private static boolean isConnected(HttpRequest<?> request) {
            return !(request instanceof NettyHttpRequest<?> netty)
                    || netty.getChannelHandlerContext().channel().isActive();
        }
    }

    /** More requests than threads and queue hold. */
    @Singleton
    static final class Rejected implements ExceptionHandler<RejectedExecutionException, HttpResponse<?>> {

        @Override
        @SuppressWarnings("rawtypes") // as the framework declares it
        public HttpResponse<?> handle(HttpRequest request, RejectedExecutionException fault) {
            return ErrorBody.of(Refusal.overloaded()).toResponse();
        }
    }

    /** Anything else. */
    @Singleton
    static final class Unexpected implements ExceptionHandler<Throwable, HttpResponse<?>> {

        @Override
        @SuppressWarnings("rawtypes") // as the framework declares it
        public HttpResponse<?> handle(HttpRequest request, Throwable fault) {
            return unexpected(fault).toResponse();
        }
    }
}
