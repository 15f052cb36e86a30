package dev.sallyport.transforms.grpc;

import com.google.protobuf.ByteString;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.spi.Visibility;
import dev.sallyport.transform.v1.HttpRequest;
import dev.sallyport.transform.v1.TransformContext;
import dev.sallyport.transform.v1.TransformRequestRequest;
import dev.sallyport.transform.v1.TransformRequestResponse;
import dev.sallyport.transform.v1.TransformServiceGrpc;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks about requests. Thread-safe. */
final class RequestCall {

    /** Stands for a rule's position when no rules are configured. */
    static final int EVERYTHING = Integer.MAX_VALUE;

    private static final Server.Failures<Decision> FAILURES = (code, detail) -> Decision.reject(503, code, detail);

    private final Server server;
    private final ResponseCall responses;

    RequestCall(Server server, ResponseCall responses) {
        this.server = server;
        this.responses = responses;
    }

    /**
     * One request.
     *
     * @param body null when the server is not shown it
     * @param rule the one that matched, or {@link #EVERYTHING}
     */
    private record Asked(
            RequestContext request,
            TransformContext context,
            Fields fields,
            HttpRequest shown,
            @Nullable ByteString body,
            int rule) {}

    /**
     * Asks about a request.
     *
     * @param read null when the body was not read
     * @param rule the one that matched, or {@link #EVERYTHING}
     */
    CompletableFuture<Decision> about(RequestContext request, @Nullable Body read, int rule) {
        ByteString body = read == null || read.truncated() ? null : ByteString.copyFrom(read.bytes());
        if (read != null && body == null) {
            request.trace().annotate("body_withheld", true);
        }
        Fields fields = Fields.of(request.head().headers(), body != null);
        HttpRequest shown = HttpRequest.newBuilder()
                .setMethod(request.head().method())
                .setUrl(request.head().target())
                .putAllHeaders(fields.message())
                .setHost(ClientDescription.host(request.destination()))
                .setRemoteAddr(ClientDescription.address(request.connection()))
                .build();
        Asked asked = new Asked(request, ClientDescription.context(request.connection()), fields, shown, body, rule);
        TransformRequestRequest question = TransformRequestRequest.newBuilder()
                .setContext(asked.context())
                .setRequest(
                        body == null ? shown : shown.toBuilder().setBody(body).build())
                .build();
        return server.ask(
                TransformServiceGrpc.getTransformRequestMethod(),
                question,
                request.trace(),
                answer -> located(read(asked, read != null, answer), rule),
                (code, detail) -> located(FAILURES.of(code, detail), rule));
    }

    private static Decision located(Decision decision, int rule) {
        return rule == EVERYTHING ? decision : decision.byRule(rule);
    }

    private Decision read(Asked asked, boolean bodyRead, TransformRequestResponse answer)
            throws InvalidAnswerException {
        Trace trace = asked.request().trace();
        ServerAnnotations.take(trace, answer.getAnnotationsMap());
        return switch (answer.getAction()) {
            case TRANSFORM_ACTION_CONTINUE -> proceed(asked, bodyRead, answer, trace);
            case TRANSFORM_ACTION_REJECT -> reject(Rejection.of(answer.getResponse()));
            default ->
                throw new InvalidAnswerException(
                        "action " + answer.getActionValue() + " (expected: 1, CONTINUE, or 2, REJECT)");
        };
    }

    private static Decision reject(Rejection rejection) {
        Decision.Reject reject = Decision.reject(rejection.status(), Rejection.CODE, Rejection.DETAIL);
        return rejection.response() == null ? reject : reject.with(rejection.response());
    }

    private Decision proceed(Asked asked, boolean bodyRead, TransformRequestResponse answer, Trace trace)
            throws InvalidAnswerException {
        if (asked.request().visibility() != Visibility.FULL) {
            if (answer.hasModifiedRequest()) {
                trace.annotate("modification_ignored", "host_only");
            }
            return Decision.proceed();
        }
        HttpRequest wanted = answer.getModifiedRequest();
        RequestChanges changes = new RequestChanges(asked.shown(), asked.fields());
        HttpRequest now = changes.take(wanted);
        changes.note(trace);
        ResponseStep back = responses.step(asked.context(), now, asked.rule());
        if (!wanted.hasBody() || wanted.getBody().equals(asked.body())) {
            return Decision.proceed(changes.edits().build(), back);
        }
        byte[] body = wanted.getBody().toByteArray();
        if (!bodyRead) {
            return Decision.read(
                    Buffered.whole(), RequestStep.inline(late -> replace(late, changes.edits(), body, back)));
        }
        if (asked.body() == null) {
            throw new InvalidAnswerException("it replaces a body that was withheld");
        }
        trace.annotate("body_replaced", true);
        return Decision.proceed(changes.edits().replaceBody(body).build(), back);
    }

    /** The body has been read only so that it can be replaced. */
    private static Decision replace(RequestContext request, Edits.Builder edits, byte[] body, ResponseStep back) {
        if (request.body().truncated()) {
            request.trace().annotate("error", "it replaces a body that was withheld");
            return Server.invalid(FAILURES);
        }
        request.trace().annotate("body_replaced", true);
        return Decision.proceed(edits.replaceBody(body).build(), back);
    }
}
