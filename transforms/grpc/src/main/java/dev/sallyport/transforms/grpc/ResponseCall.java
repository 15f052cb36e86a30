package dev.sallyport.transforms.grpc;

import com.google.protobuf.ByteString;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.transform.v1.HttpRequest;
import dev.sallyport.transform.v1.HttpResponse;
import dev.sallyport.transform.v1.TransformContext;
import dev.sallyport.transform.v1.TransformResponseRequest;
import dev.sallyport.transform.v1.TransformResponseResponse;
import dev.sallyport.transform.v1.TransformServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks about responses. Thread-safe. */
final class ResponseCall {

    private static final Server.Failures<ResponseDecision> FAILURES =
            (code, detail) -> ResponseDecision.refuse(503, code, detail);

    private static final int SWITCHING = 101;

    private final Server server;
    private final boolean sendBody;

    ResponseCall(Server server, boolean sendBody) {
        this.server = server;
        this.sendBody = sendBody;
    }

    /**
     * The step for the response to a request that the server has seen in this form.
     *
     * @param rule the one that matched the request, or {@link RequestCall#EVERYTHING}
     */
    ResponseStep step(TransformContext context, HttpRequest request, int rule) {
        return ResponseStep.async(response -> {
            int status = response.head().status();
            if (response.head().interim() && status != SWITCHING) {
                return CompletableFuture.completedFuture(ResponseDecision.proceed());
            }
            if (sendBody && status != SWITCHING) {
                return CompletableFuture.completedFuture(ResponseDecision.read(
                        Buffered.whole(),
                        ResponseStep.async(read -> ask(
                                context,
                                request,
                                read,
                                ByteString.copyFrom(read.body().bytes()),
                                rule))));
            }
            return ask(context, request, response, null, rule);
        });
    }

    /** @param body null when the server is not shown it */
    private CompletableFuture<ResponseDecision> ask(
            TransformContext context,
            HttpRequest request,
            ResponseContext response,
            @Nullable ByteString body,
            int rule) {
        Fields fields = Fields.of(response.head().headers(), body != null);
        HttpResponse.Builder shown = HttpResponse.newBuilder()
                .setStatusCode(response.head().status())
                .putAllHeaders(fields.message());
        if (body != null) {
            shown.setBody(body);
        }
        TransformResponseRequest question = TransformResponseRequest.newBuilder()
                .setContext(context)
                .setRequest(request)
                .setResponse(shown)
                .build();
        return server.ask(
                TransformServiceGrpc.getTransformResponseMethod(),
                question,
                response.trace(),
                answer -> located(read(response, fields, body, answer), rule),
                (code, detail) -> located(FAILURES.of(code, detail), rule));
    }

    private static ResponseDecision located(ResponseDecision decision, int rule) {
        return rule == RequestCall.EVERYTHING ? decision : decision.byRule(rule);
    }

    private static ResponseDecision read(
            ResponseContext response, Fields fields, @Nullable ByteString body, TransformResponseResponse answer)
            throws InvalidAnswerException {
        ServerAnnotations.take(response.trace(), answer.getAnnotationsMap());
        return switch (answer.getAction()) {
            case TRANSFORM_ACTION_CONTINUE -> proceed(response, fields, body, answer.getModifiedResponse());
            case TRANSFORM_ACTION_REJECT -> refuse(Rejection.of(answer.getModifiedResponse()));
            default ->
                throw new InvalidAnswerException(
                        "action " + answer.getActionValue() + " (expected: 1, CONTINUE, or 2, REJECT)");
        };
    }

    private static ResponseDecision refuse(Rejection rejection) {
        ResponseDecision.Refuse refuse = ResponseDecision.refuse(rejection.status(), Rejection.CODE, Rejection.DETAIL);
        return rejection.response() == null ? refuse : refuse.with(rejection.response());
    }

    private static ResponseDecision proceed(
            ResponseContext response, Fields fields, @Nullable ByteString body, HttpResponse wanted)
            throws InvalidAnswerException {
        Edits.Builder edits = Edits.builder();
        status(response.head().status(), wanted.getStatusCode(), edits);
        List<String> ignored = new ArrayList<>();
        fields.change(wanted.getHeadersMap(), edits, ignored);
        if (!ignored.isEmpty()) {
            response.trace().annotate("headers_ignored", List.copyOf(ignored));
        }
        if (!wanted.hasBody() || wanted.getBody().equals(body)) {
            return ResponseDecision.proceed(edits.build());
        }
        if (response.head().status() == SWITCHING) {
            throw new InvalidAnswerException("it has a body for a response that has none");
        }
        byte[] other = wanted.getBody().toByteArray();
        return body == null
                ? ResponseDecision.read(
                        Buffered.whole(), ResponseStep.inline(late -> replace(late.trace(), edits, other)))
                : replace(response.trace(), edits, other);
    }

    private static ResponseDecision replace(Trace trace, Edits.Builder edits, byte[] body) {
        trace.annotate("body_replaced", true);
        return ResponseDecision.proceed(edits.replaceBody(body).build());
    }

    private static void status(int shown, int wanted, Edits.Builder edits) throws InvalidAnswerException {
        if (wanted == 0 || wanted == shown) {
            return;
        }
        if (shown == SWITCHING || wanted < 200 || wanted > 599) {
            throw new InvalidAnswerException(
                    "status " + wanted + (shown == SWITCHING ? " (expected: 101)" : " (expected: 200 to 599)"));
        }
        edits.setStatus(wanted, "");
    }
}
