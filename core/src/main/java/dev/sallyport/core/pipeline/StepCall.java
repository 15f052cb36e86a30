package dev.sallyport.core.pipeline;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A step that left the loop. The first of result, deadline and cancellation wins; the outcome is told once, on the loop.
 *
 * @param <D> the decision
 */
final class StepCall<D> {

    /** Takes the outcome: a decision or a failure. */
    interface Outcome<D> {
        void accept(@Nullable D decision, @Nullable Throwable failure);
    }

    private final CompletionStage<D> stage;
    private final Outcome<D> outcome;
    private final ScheduledFuture<?> deadline;
    private boolean settled;

    /** Waits for the stage; called on the loop. */
    StepCall(EventLoop loop, CompletionStage<D> stage, long deadlineNanos, String name, Outcome<D> outcome) {
        this.stage = stage;
        this.outcome = outcome;
        this.deadline = loop.schedule(
                () -> settle(null, StageFault.late(name + ": no decision within its deadline")),
                deadlineNanos,
                TimeUnit.NANOSECONDS);
        stage.whenComplete((decision, failure) -> {
            if (loop.inEventLoop()) {
                settle(decision, failure);
            } else {
                loop.execute(() -> settle(decision, failure));
            }
        });
    }

    /** Gives the step up; its outcome is dropped. On the loop. */
    void cancel() {
        settled = true;
        release();
    }

    private void settle(@Nullable D decision, @Nullable Throwable failure) {
        if (settled) {
            return;
        }
        settled = true;
        release();
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        outcome.accept(decision, cause);
    }

    private void release() {
        deadline.cancel(false);
        if (stage instanceof CompletableFuture<?> future && !future.isDone()) {
            future.cancel(true);
        }
    }
}
