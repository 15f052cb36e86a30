package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import org.jspecify.annotations.Nullable;

/**
 * Runs one response through the steps that the request's transforms have asked for, last transform first. An exchange
 * without such steps has no run. Confined to the exchange's loop.
 *
 */
public final class ResponseRun extends ResponsePhaseRun {

    private final ResponseSteps steps;
    private final ResponseCallbacks host;
    private final PendingBodyEdits bodyEdits = PendingBodyEdits.ofResponse();

    ResponseRun(
            ResponseSteps steps,
            ResponseCallbacks host,
            BlockingStepExecutor blocking,
            PipelineSettings settings,
            RunningTransform mark) {
        super(steps, host, blocking, settings, mark);
        this.steps = steps;
        this.host = host;
    }

    @Override
    void passed() {
        if (!bodyEdits.isEmpty()) {
            bodyEdits.applyAll(host.body());
        }
        host.pass();
    }

    @Override
    boolean settle(Stage stage, @Nullable ResponseDecision decision) {
        try {
            checkInTime(stage);
            return switch (decision) {
                case null -> throw StageException.broken("decided nothing");
                case ResponseDecision.Continue next -> {
                    apply(stage, next.edits());
                    yield next("allow");
                }
                case ResponseDecision.Read read -> read(stage, read.access(), read.then());
                case ResponseDecision.Later later -> {
                    beginStep();
                    yield ask(stage, later.then());
                }
                case ResponseDecision.Repeat repeat -> {
                    if (!host.repeatable(stage)) {
                        yield next("allow");
                    }
                    host.editRequest(stage, repeat.edits());
                    endWith("repeat");
                    host.repeat();
                    yield false;
                }
                case ResponseDecision.Replace replace -> {
                    if (!stage.causes(Effect.ANSWERS_LOCALLY)) {
                        throw StageException.broken("Replace without the declared effect ANSWERS_LOCALLY");
                    }
                    bodyEdits.drop();
                    host.replace(replace.response());
                    yield next("stub");
                }
                case ResponseDecision.Refuse refuse -> {
                    stage.checkRefusal(refuse.response());
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

    private void apply(Stage stage, Edits edits) {
        for (Edit edit : edits.list()) {
            grow(edit);
            if (HeadEditor.apply(stage, edit, host.head())) {
                continue;
            }
            if (edit instanceof Edit.ReplaceBody replace) {
                HeadEditor.require(stage, Part.RESPONSE_BODY);
                if (!holdsWholeBody()) {
                    throw StageException.broken("ReplaceBody without a complete read");
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
        return awaitBody(
                stage,
                access,
                read -> {
                    hold(read);
                    beginStep();
                    return ask(stage, then);
                },
                failure -> readFailed(stage, failure));
    }

    /**
     * The body failed: the stage that refused it, or whose work on it failed, is not said to have let it pass.
     *
     * @return that stage; null when it was none
     */
    public @Nullable Stage bodyFailed(BodyFailure failure) {
        Stage stage = steps.stage(failure.position());
        if (stage != null) {
            BodyFailureStatus.ofResponse(failure).note(host.audit().lastResponseTrace(stage.id()), failure);
        }
        return stage;
    }

    @Override
    void failed(Stage stage, BodyFailure failure) {
        Stage named = bodyFailed(failure);
        if (named != null && failure.reject() != null) {
            host.rejected(named, failure.reject());
            return;
        }
        BodyFailureStatus fault = BodyFailureStatus.ofResponse(failure);
        host.failed(named == null ? stage : named, fault.status(), fault.code(), failure.detail(), failure.detail());
    }

    @Override
    void failed(Stage stage, StageException fault) {
        int status = fault.status() < 500 ? 502 : fault.status();
        host.failed(stage, status, fault.code(), "A transform could not decide about the response.", fault.text());
    }

    @Override
    boolean mayGrow(long bytes) {
        return host.mayGrow(bytes);
    }

    @Override
    void dropBodyEdits() {
        bodyEdits.drop();
    }

    @Override
    MessageBody messageBody() {
        return host.body();
    }
}
