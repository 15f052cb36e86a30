package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.RequestMessage;
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
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One response's way back through the steps that the request's transforms left behind, last one first. Confined to the
 * exchange's loop. An exchange whose transforms left no steps has none.
 */
public final class ResponseRun extends Run<ResponseDecision> implements ResponseContext {

    private final ResponseSteps steps;
    private final ResponseHost host;
    private final BlockingCalls blocking;
    private final BodyEdits bodyEdits = BodyEdits.ofResponse();

    private int at;

    ResponseRun(ResponseSteps steps, ResponseHost host, BlockingCalls blocking, PipelineSettings settings) {
        super(host.loop(), settings);
        this.steps = steps;
        this.host = host;
        this.blocking = blocking;
        this.at = steps.size() - 1;
    }

    /**
     * Runs the steps on an interim head: edits of the head are applied, everything else is a fault. An interim response
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
            beginStage(host.audit().responseTrace(entry.stage().name()));
            try {
                if (!(entry.step() instanceof ResponseStep.Inline inline)
                        || !(inline.apply(this) instanceof ResponseDecision.Continue next)) {
                    throw StageFault.broken("an interim response can only be passed on");
                }
                for (Edit edit : next.edits().list()) {
                    if (!HeadEdits.apply(entry.stage(), edit, host.head())) {
                        throw StageFault.broken("an interim response has a head only");
                    }
                }
                finishStage("allow");
            } catch (Throwable failure) {
                Faults.log(entry.stage(), failure);
                current().error(StageFault.of(failure).text());
                finishStage("error");
                return false;
            }
        }
        return true;
    }

    @Override
    void advance() {
        while (!over() && at >= 0) {
            ResponseSteps.Entry entry = steps.get(at);
            beginStage(host.audit().responseTrace(entry.stage().name()));
            if (!ask(entry.stage(), entry.step())) {
                return;
            }
        }
        if (complete()) {
            if (!bodyEdits.isEmpty()) {
                bodyEdits.applyAll(host.body());
            }
            host.pass();
        }
    }

    private boolean ask(Stage stage, ResponseStep step) {
        try {
            return switch (step) {
                case ResponseStep.Inline inline -> settle(stage, inline.apply(this));
                case ResponseStep.Async async -> {
                    FrozenResponse frozen = freeze(stage);
                    yield leave(stage, async.apply(frozen), frozen.trace());
                }
                case ResponseStep.Blocking waiting -> {
                    FrozenResponse frozen = freeze(stage);
                    yield leave(stage, blocking.start(() -> waiting.apply(frozen)), frozen.trace());
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    @Override
    boolean settle(Stage stage, @Nullable ResponseDecision decision) {
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
                    current().annotate("code", refuse.code());
                    endWith("reject");
                    host.refused(stage, refuse);
                    yield false;
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    private boolean next(String action) {
        finishStage(action);
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
                if (!holdsWholeBody()) {
                    throw StageFault.broken("ReplaceBody without a complete read");
                }
                host.body().replace(replace.body());
            } else if (edit instanceof Edit.RewriteMessages messages) {
                steps.messages().add(stage, messages);
            } else {
                bodyEdits.add(stage, edit);
            }
        }
    }

    private boolean read(Stage stage, Buffered access, ResponseStep then) {
        beginRead(stage, Part.RESPONSE_BODY, access);
        bodyEdits.applyBefore(stage, host.body());
        return awaitBody(stage, access, read -> {
            hold(read);
            return ask(stage, then);
        });
    }

    @Override
    boolean passOver() {
        at--;
        return true;
    }

    @Override
    void failed(Stage stage, BodyFailure failure) {
        BodyFaults fault = BodyFaults.ofResponse(failure.kind());
        host.failed(stage, fault.status(), fault.code(), failure.detail(), failure.detail());
    }

    @Override
    void failed(Stage stage, StageFault fault) {
        host.failed(
                stage, fault.status(), fault.code(), "A transform could not decide about the response.", fault.text());
    }

    @Override
    void dropBodyEdits() {
        bodyEdits.drop();
    }

    @Override
    MessageBody messageBody() {
        return host.body();
    }

    private FrozenResponse freeze(Stage stage) {
        RequestMessage request = host.request().copy();
        return new FrozenResponse(
                exchangeId(),
                destination(),
                stage.masked() ? new MaskedHead(request) : request,
                host.head().copy(),
                answeredLocally(),
                HeapBody.ofNullable(held()),
                new DeferredTrace(),
                deadline(stage));
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
    public Duration remaining() {
        return remaining(steps.get(at).stage());
    }
}
