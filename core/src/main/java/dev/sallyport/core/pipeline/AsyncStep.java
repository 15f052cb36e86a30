package dev.sallyport.core.pipeline;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A step that runs off the loop. The first of result, deadline and cancellation wins; the outcome is reported once, on
 * the loop.
 *
 * @param <D> the decision
 *
 */
final class AsyncStep<D> {

    /** Receives the outcome, a decision or a failure; must not throw. Returns true when the next stage is due. */
    interface Outcome<D> {
        boolean accept(@Nullable D decision, @Nullable Throwable failure);
    }

    private final CompletionStage<D> stage;
    private final Outcome<D> outcome;
    private final Runnable resume;
    private @Nullable ScheduledFuture<?> deadline;
    private boolean settled;
    private boolean goOn;

    /** @param resume continues with the next stage when the outcome does not come at once */
    AsyncStep(CompletionStage<D> stage, Outcome<D> outcome, Runnable resume) {
        this.stage = stage;
        this.outcome = outcome;
        this.resume = resume;
    }

    /**
     * Waits for the stage; called once, on the loop. Returns whether it has already ended and the next stage is due.
     */
    boolean settledAtOnce(EventLoop loop, long deadlineNanos, String name) {
        try {
            stage.whenComplete((decision, failure) -> {
                if (loop.inEventLoop()) {
                    settle(decision, failure);
                } else {
                    loop.execute(() -> settle(decision, failure));
                }
            });
        } catch (Throwable failure) {
            settled = true;
            throw failure;
        }
        if (!settled) {
            deadline = loop.schedule(
                    () -> settle(null, StageException.late(name + ": no decision within its deadline")),
                    deadlineNanos,
                    TimeUnit.NANOSECONDS);
        }
        return goOn;
    }

    /** Abandons the step; its outcome is dropped. On the loop. */
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
        boolean next = outcome.accept(decision, cause);
        if (deadline == null) {
            goOn = next;
        } else if (next) {
            resume.run();
        }
    }

    private void release() {
        if (deadline != null) {
            deadline.cancel(false);
        }
        try {
            CompletableFuture<D> future = stage.toCompletableFuture();
            if (!future.isDone()) {
                future.cancel(true);
            }
        } catch (RuntimeException e) {
            // A stage that cannot be cancelled; its result is dropped.
        }
    }
}
