package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.Visibility;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One request's way through the stages of its plan. Confined to the exchange's loop; serves as the context of inline
 * steps itself, so that a request on which nothing matches costs one object.
 */
public final class RequestRun implements RequestContext {

    private final Plan plan;
    private final RequestHost host;
    private final BlockingCalls blocking;
    private final PipelineSettings settings;
    private final ResponseSteps responseSteps = new ResponseSteps();

    private int at;
    private boolean withheld;
    private boolean over;
    private long askedAt;
    private @Nullable TransformTrace trace;
    private @Nullable Body body;
    private @Nullable BodyEdits bodyEdits;
    private @Nullable RequestMessage pristine;
    private @Nullable StepCall<Decision> out;
    private @Nullable BodyWait bodyWait;

    RequestRun(Plan plan, RequestHost host, BlockingCalls blocking, PipelineSettings settings) {
        this.plan = plan;
        this.host = host;
        this.blocking = blocking;
        this.settings = settings;
    }

    /** Begins; the verdict may come before this returns. */
    public void start() {
        advance();
    }

    /** Gives up: no verdict follows. Idempotent. */
    public void cancel() {
        over = true;
        if (bodyWait != null) {
            bodyWait.cancel();
        }
        StepCall<Decision> call = out;
        if (call != null) {
            out = null;
            call.cancel();
        }
    }

    /** The steps that want to see the response, in the order of the pipeline. */
    public ResponseSteps responseSteps() {
        return responseSteps;
    }

    /** Whether a transform asked for credentials to be withheld. */
    public boolean credentialsWithheld() {
        return withheld;
    }

    private void advance() {
        while (!over && at < plan.size()) {
            Stage stage = plan.stage(at);
            trace = host.audit().requestTrace(stage.name());
            askedAt = System.nanoTime();
            if (withheld && stage.credentialed()) {
                current().annotate("skipped", "not_allowlisted");
                at++;
            } else if (!ask(stage)) {
                return;
            }
        }
        if (!over) {
            over = true;
            if (bodyEdits != null) {
                bodyEdits.applyAll(host.body());
            }
            host.forward();
        }
    }

    /** Asks the transform about the head; true when the loop goes on with the next stage. */
    private boolean ask(Stage stage) {
        try {
            Transform transform = stage.transform();
            if (transform instanceof InlineTransform inline) {
                return settle(stage, inline.decide(this));
            }
            FrozenRequest frozen = freeze(stage);
            return leave(
                    stage,
                    transform instanceof BlockingTransform waiting
                            ? blocking.start(() -> waiting.await(frozen))
                            : transform.onRequest(frozen),
                    frozen);
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    /** Asks a step about the body; true when the loop goes on with the next stage. */
    private boolean ask(Stage stage, RequestStep step) {
        try {
            return switch (step) {
                case RequestStep.Inline inline -> settle(stage, inline.apply(this));
                case RequestStep.Async async -> {
                    FrozenRequest frozen = freeze(stage);
                    yield leave(stage, async.apply(frozen), frozen);
                }
                case RequestStep.Blocking waiting -> {
                    FrozenRequest frozen = freeze(stage);
                    yield leave(stage, blocking.start(() -> waiting.apply(frozen)), frozen);
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    private boolean leave(Stage stage, CompletionStage<Decision> result, FrozenRequest frozen) {
        if (result instanceof CompletableFuture<Decision> future
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

    private boolean settle(Stage stage, @Nullable Decision decision) {
        try {
            return switch (decision) {
                case null -> throw StageFault.broken("decided nothing");
                case Decision.Continue next -> proceed(stage, next);
                case Decision.Read read -> read(stage, read.access(), read.then());
                case Decision.Reject reject -> {
                    current().annotate("code", reject.code());
                    end("reject");
                    host.rejected(stage, reject);
                    yield false;
                }
                case Decision.Respond respond -> {
                    if (!stage.causes(Effect.ANSWERS_LOCALLY)) {
                        throw StageFault.broken("Respond without the declared effect ANSWERS_LOCALLY");
                    }
                    end("stub");
                    host.responded(stage, respond.response());
                    yield false;
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    private boolean proceed(Stage stage, Decision.Continue next) {
        apply(stage, next.edits());
        if (next.then() != null) {
            responseSteps.add(stage, next.then());
        }
        if (next.withoutCredentials() && !withheld) {
            withheld = true;
            if (pristine != null) {
                return startOver(pristine);
            }
        }
        finish("allow");
        body = null;
        at++;
        return true;
    }

    private void apply(Stage stage, Edits edits) {
        for (Edit edit : edits.list()) {
            if (edit.sensitive() && pristine == null) {
                pristine = host.head().copy();
            }
            if (HeadEdits.apply(stage, edit, host.head())) {
                continue;
            }
            if (edit instanceof Edit.ReplaceBody replace) {
                replaceBody(stage, replace);
            } else {
                bodyEdits().add(stage, edit);
            }
        }
    }

    private void replaceBody(Stage stage, Edit.ReplaceBody replace) {
        HeadEdits.checkSensitive(stage, replace);
        HeadEdits.require(stage, Part.REQUEST_BODY);
        if (body == null || body.truncated()) {
            throw StageFault.broken("ReplaceBody without a complete read");
        }
        host.body().replace(replace.body());
    }

    /** Credentials are withheld, but earlier transforms have put some in: judge again without those transforms. */
    private boolean startOver(RequestMessage before) {
        if (bodyEdits != null) {
            if (bodyEdits.secretsApplied()) {
                throw new StageFault(403, "credentials_withheld", "the body already carries credentials");
            }
            bodyEdits.drop();
        }
        host.head().restore(before);
        host.audit().clearRequestTraces();
        responseSteps.clear();
        pristine = null;
        body = null;
        at = 0;
        return true;
    }

    private boolean read(Stage stage, Buffered access, RequestStep then) {
        if (!stage.mayRead(Part.REQUEST_BODY)) {
            throw StageFault.broken("reading REQUEST_BODY was not declared");
        }
        if (bodyEdits != null) {
            bodyEdits.applyBefore(stage, host.body());
            if (stage.masked() && bodyEdits.secretsApplied()) {
                body = NoBody.WITHHELD;
                return ask(stage, then);
            }
        }
        host.bodyDemanded();
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
        end("error");
        BodyFaults fault = BodyFaults.ofRequest(failure.kind());
        host.failed(stage, fault.status(), fault.code(), failure.detail(), failure.detail());
        return false;
    }

    /** A broken transform refuses the exchange, unless it only watches; true when the loop goes on. */
    private boolean fault(Stage stage, Throwable failure) {
        if (over) {
            return false;
        }
        StageFault fault = StageFault.of(failure);
        Faults.log(stage, failure);
        current().error(fault.text());
        if (stage.observer()) {
            finish("error");
            body = null;
            at++;
            return true;
        }
        end("error");
        host.failed(
                stage, fault.status(), fault.code(), "A transform could not decide about this request.", fault.text());
        return false;
    }

    private void end(String action) {
        over = true;
        finish(action);
    }

    private void finish(String action) {
        current().action(action).durationNanos(System.nanoTime() - askedAt);
    }

    private BodyEdits bodyEdits() {
        BodyEdits edits = bodyEdits;
        if (edits == null) {
            edits = BodyEdits.ofRequest();
            bodyEdits = edits;
        }
        return edits;
    }

    private FrozenRequest freeze(Stage stage) {
        return new FrozenRequest(
                exchangeId(),
                connection(),
                destination(),
                visibility(),
                stage.masked()
                        ? new MaskedHead(host.head().copy())
                        : host.head().copy(),
                body == null ? null : HeapBody.of(body),
                new DeferredTrace(),
                askedAt + stage.deadlineNanos());
    }

    private TransformTrace current() {
        TransformTrace present = trace;
        if (present == null) {
            throw new IllegalStateException("no stage is running");
        }
        return present;
    }

    // The context of inline steps.

    @Override
    public String exchangeId() {
        return host.exchangeId();
    }

    @Override
    public Connection connection() {
        return host.connection();
    }

    @Override
    public Destination destination() {
        return host.destination();
    }

    @Override
    public Visibility visibility() {
        return host.visibility();
    }

    @Override
    public RequestHead head() {
        RequestMessage head = host.head();
        return head.hasSensitive() && plan.stage(at).masked() ? new MaskedHead(head) : head;
    }

    @Override
    public Body body() {
        Body read = body;
        if (read == null) {
            throw new IllegalStateException("the body has not been read (expected: Decision.read first)");
        }
        return read;
    }

    @Override
    public Trace trace() {
        return current();
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(askedAt + plan.stage(at).deadlineNanos() - System.nanoTime());
    }
}
