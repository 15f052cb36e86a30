package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One response's way back through the steps that the request's transforms left behind, last one first. Confined to the
 * exchange's loop. An exchange whose transforms left no steps has none.
 */
public final class ResponseRun implements ResponseContext {

    private final ResponseSteps steps;
    private final ResponseHost host;
    private final BlockingCalls blocking;
    private final PipelineSettings settings;
    private final BodyEdits bodyEdits = BodyEdits.ofResponse();

    private int at;
    private boolean over;
    private long askedAt;
    private @Nullable TransformTrace trace;
    private @Nullable Body body;
    private @Nullable StepCall<ResponseDecision> out;
    private @Nullable BodyWait bodyWait;

    ResponseRun(ResponseSteps steps, ResponseHost host, BlockingCalls blocking, PipelineSettings settings) {
        this.steps = steps;
        this.host = host;
        this.blocking = blocking;
        this.settings = settings;
        this.at = steps.size() - 1;
    }

    /** Begins; the verdict may come before this returns. */
    public void start() {
        advance();
    }

    /**
     * Runs the steps on an interim head: edits of fields are applied, everything else is a fault. An interim response
     * may be dropped (RFC 9110, 15.2), and is when some step would have to leave the loop for it.
     *
     * @return whether the head may be passed on
     */
    public boolean interim() {
        if (!steps.inlineOnly()) {
            return false;
        }
        for (at = steps.size() - 1; at >= 0; at--) {
            ResponseSteps.Entry entry = steps.get(at);
            trace = host.audit().responseTrace(entry.stage().name());
            askedAt = System.nanoTime();
            try {
                if (!(entry.step() instanceof ResponseStep.Inline inline)
                        || !(inline.apply(this) instanceof ResponseDecision.Continue next)) {
                    throw StageFault.broken("an interim response can only be passed on");
                }
                for (Edit edit : next.edits().list()) {
                    if (!HeadEdits.fields(
                            entry.stage(),
                            Part.RESPONSE_HEADERS,
                            edit,
                            host.head().headers())) {
                        throw StageFault.broken("an interim response has fields only");
                    }
                }
                finish("allow");
            } catch (Throwable failure) {
                Faults.log(entry.stage(), failure);
                current().error(StageFault.of(failure).text());
                finish("error");
                return false;
            }
        }
        return true;
    }

    /** Gives up: no verdict follows. Idempotent. */
    public void cancel() {
        over = true;
        if (bodyWait != null) {
            bodyWait.cancel();
        }
        StepCall<ResponseDecision> call = out;
        if (call != null) {
            out = null;
            call.cancel();
        }
    }

    private void advance() {
        while (!over && at >= 0) {
            ResponseSteps.Entry entry = steps.get(at);
            trace = host.audit().responseTrace(entry.stage().name());
            askedAt = System.nanoTime();
            if (!ask(entry.stage(), entry.step())) {
                return;
            }
        }
        if (!over) {
            over = true;
            bodyEdits.applyAll(host.body());
            host.pass();
        }
    }

    private boolean ask(Stage stage, ResponseStep step) {
        try {
            return switch (step) {
                case ResponseStep.Inline inline -> settle(stage, inline.apply(this));
                case ResponseStep.Async async -> {
                    FrozenResponse frozen = freeze(stage);
                    yield leave(stage, async.apply(frozen), frozen);
                }
                case ResponseStep.Blocking waiting -> {
                    FrozenResponse frozen = freeze(stage);
                    yield leave(stage, blocking.start(() -> waiting.apply(frozen)), frozen);
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    private boolean leave(Stage stage, CompletionStage<ResponseDecision> result, FrozenResponse frozen) {
        if (result instanceof CompletableFuture<ResponseDecision> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            frozen.trace().mergeInto(current());
            return settle(stage, future.join());
        }
        out = new StepCall<>(host.loop(), result, stage.deadlineNanos(), stage.name(), (decision, failure) -> {
            out = null;
            if (failure != null) {
                resume(fault(stage, failure));
            } else {
                frozen.trace().mergeInto(current());
                resume(settle(stage, decision));
            }
        });
        return false;
    }

    private void resume(boolean goOn) {
        if (goOn) {
            advance();
        }
    }

    private boolean settle(Stage stage, @Nullable ResponseDecision decision) {
        try {
            return switch (decision) {
                case null -> throw StageFault.broken("decided nothing");
                case ResponseDecision.Continue next -> {
                    apply(stage, next.edits());
                    yield next("allow");
                }
                case ResponseDecision.Read read -> read(stage, read.access(), read.then());
                case ResponseDecision.Replace replace -> {
                    if (!stage.causes(Effect.ANSWERS_LOCALLY)) {
                        throw StageFault.broken("Replace without the declared effect ANSWERS_LOCALLY");
                    }
                    bodyEdits.drop();
                    host.replace(replace.response());
                    yield next("stub");
                }
                case ResponseDecision.Refuse refuse -> {
                    over = true;
                    finish("reject");
                    host.refused(stage, 502, refuse.code(), refuse.detail(), refuse.code());
                    yield false;
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    private boolean next(String action) {
        finish(action);
        body = null;
        at--;
        return true;
    }

    private void apply(Stage stage, Edits edits) {
        for (Edit edit : edits.list()) {
            if (HeadEdits.apply(stage, edit, host.head())) {
                continue;
            }
            if (edit instanceof Edit.ReplaceBody replace) {
                HeadEdits.require(stage, Part.RESPONSE_BODY);
                if (body == null || body.truncated()) {
                    throw StageFault.broken("ReplaceBody without a complete read");
                }
                host.body().replace(replace.body());
            } else {
                bodyEdits.add(stage, edit);
            }
        }
    }

    private boolean read(Stage stage, Buffered access, ResponseStep then) {
        if (!stage.mayRead(Part.RESPONSE_BODY)) {
            throw StageFault.broken("reading RESPONSE_BODY was not declared");
        }
        bodyEdits.applyBefore(stage, host.body());
        BodyWait wait = new BodyWait(
                host.loop(),
                settings.bodyTimeout(),
                read -> {
                    body = read;
                    return ask(stage, then);
                },
                failure -> bodyFailed(stage, failure),
                this::advance);
        bodyWait = wait;
        host.body().read(stage.position(), access, wait);
        return wait.settledAtOnce();
    }

    private boolean bodyFailed(Stage stage, BodyFailure failure) {
        if (stage.observer()) {
            return fault(stage, StageFault.broken(failure.detail()));
        }
        over = true;
        finish("error");
        BodyFaults fault = BodyFaults.ofResponse(failure.kind());
        host.refused(stage, fault.status(), fault.code(), failure.detail(), failure.detail());
        return false;
    }

    private boolean fault(Stage stage, Throwable failure) {
        if (over) {
            return false;
        }
        StageFault fault = StageFault.of(failure);
        Faults.log(stage, failure);
        current().error(fault.text());
        if (stage.observer()) {
            return next("error");
        }
        over = true;
        finish("error");
        host.refused(
                stage, fault.status(), fault.code(), "A transform could not decide about the response.", fault.text());
        return false;
    }

    private void finish(String action) {
        current().action(action).durationNanos(System.nanoTime() - askedAt);
    }

    private FrozenResponse freeze(Stage stage) {
        RequestMessage request = host.request().copy();
        return new FrozenResponse(
                exchangeId(),
                destination(),
                stage.masked() ? new MaskedHead(request) : request,
                host.head().copy(),
                answeredLocally(),
                body == null ? null : HeapBody.of(body),
                new DeferredTrace(),
                askedAt + stage.deadlineNanos());
    }

    private TransformTrace current() {
        TransformTrace present = trace;
        if (present == null) {
            throw new IllegalStateException("no step is running");
        }
        return present;
    }

    // The context of inline steps.

    @Override
    public String exchangeId() {
        return host.exchangeId();
    }

    @Override
    public Destination destination() {
        return host.destination();
    }

    @Override
    public RequestHead request() {
        RequestMessage request = host.request();
        return request.hasSensitive() && steps.get(at).stage().masked() ? new MaskedHead(request) : request;
    }

    @Override
    public ResponseHead head() {
        return host.head();
    }

    @Override
    public boolean answeredLocally() {
        return host.answeredLocally();
    }

    @Override
    public Body body() {
        Body read = body;
        if (read == null) {
            throw new IllegalStateException("the body has not been read (expected: ResponseDecision.read first)");
        }
        return read;
    }

    @Override
    public Trace trace() {
        return current();
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(askedAt + steps.get(at).stage().deadlineNanos() - System.nanoTime());
    }
}
