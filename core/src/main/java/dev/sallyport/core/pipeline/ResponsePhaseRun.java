package dev.sallyport.core.pipeline;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.spi.ResponseStep;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Runs a response head through the response steps, last transform first. Confined to the exchange's loop. */
abstract sealed class ResponsePhaseRun extends StageRun<ResponseDecision> implements ResponseContext
        permits ResponseRun, InterimResponseRun {

    private final ResponseSteps steps;
    private final ResponseExchange view;
    private final BlockingStepExecutor blocking;

    private int at;

    ResponsePhaseRun(
            ResponseSteps steps,
            ResponseExchange view,
            BlockingStepExecutor blocking,
            PipelineSettings settings,
            RunningTransform mark) {
        super(view.facts().loop(), settings, mark);
        this.steps = steps;
        this.view = view;
        this.blocking = blocking;
        this.at = steps.size() - 1;
    }

    /** Verdict: every step has let the head pass. */
    abstract void passed();

    @Override
    final void advance() {
        while (!over() && at >= 0) {
            ResponseSteps.Entry entry = steps.get(at);
            if (!entry.step().concerns(view.head().status())) {
                at--;
                continue;
            }
            beginStage(view.audit().responseTrace(entry.stage().id()));
            if (!ask(entry.stage(), entry.step())) {
                return;
            }
        }
        if (complete()) {
            passed();
        }
    }

    @Override
    final void demandBody() {
        // It comes without being asked for.
    }

    /** Asks a step, inline or off the loop. */
    final boolean ask(Stage stage, ResponseStep step) {
        try {
            return switch (step) {
                case ResponseStep.Inline inline -> settle(stage, decide(stage, inline));
                case ResponseStep.OnStatus some -> settle(stage, decide(stage, some.step()));
                case ResponseStep.Async async -> {
                    DetachedResponseContext frozen = freeze(stage);
                    yield leave(stage, begin(stage, async, frozen), frozen.trace());
                }
                case ResponseStep.Blocking waiting -> {
                    DetachedResponseContext frozen = freeze(stage);
                    yield leave(stage, blocking.start(() -> waiting.apply(frozen)), frozen.trace());
                }
            };
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    // Code of transforms, marked as such for the loop's watchdog.

    private @Nullable ResponseDecision decide(Stage stage, ResponseStep.Inline step) throws Exception {
        Stage before = entered(stage);
        try {
            return step.apply(this);
        } finally {
            left(before);
        }
    }

    private @Nullable CompletionStage<ResponseDecision> begin(
            Stage stage, ResponseStep.Async step, DetachedResponseContext frozen) {
        Stage before = entered(stage);
        try {
            return step.apply(frozen);
        } finally {
            left(before);
        }
    }

    /** The stage has decided, and the one before it in the list is due. */
    final boolean next(String action) {
        finishStage(action);
        at--;
        return true;
    }

    @Override
    final boolean passOver() {
        at--;
        return true;
    }

    private DetachedResponseContext freeze(Stage stage) {
        RequestMessage request = view.request().copy();
        return new DetachedResponseContext(
                exchangeId(),
                destination(),
                stage.masked() ? new MaskedHead(request) : request,
                view.head().copy(),
                answeredLocally(),
                view.repeatable(stage),
                DetachedBody.ofNullable(held()),
                new DeferredTrace(),
                deadline(stage));
    }

    // The context of inline steps.

    @Override
    public final String exchangeId() {
        return view.facts().exchangeId();
    }

    @Override
    public final Destination destination() {
        return view.facts().destination();
    }

    @Override
    public final RequestHead request() {
        return steps.get(at).stage().shown(view.request());
    }

    @Override
    public final ResponseHead head() {
        return view.head();
    }

    @Override
    public final boolean repeatable() {
        return view.repeatable(steps.get(at).stage());
    }

    @Override
    public final boolean answeredLocally() {
        return view.answeredLocally();
    }

    @Override
    public final Duration remaining() {
        return remaining(steps.get(at).stage());
    }
}
