package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.testsupport.Patience;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The first of result, deadline and cancellation wins, and is told once. */
class AsyncStepTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final List<String> told = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final CompletableFuture<String> result = new CompletableFuture<>();
    private boolean next = true;

    AsyncStepTest() {
        channel.freezeTime();
    }

    private AsyncStep<String> step(CompletableFuture<String> stage) {
        return new AsyncStep<>(
                stage,
                (decision, failure) -> {
                    told.add(failure instanceof StageException fault ? fault.code() : decision + " " + failure);
                    return next;
                },
                () -> told.add("resume"));
    }

    private boolean start(AsyncStep<String> step) {
        return step.settledAtOnce(channel.eventLoop(), MINUTE, "t");
    }

    private void pass(long nanos) {
        channel.advanceTimeBy(nanos, TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    @Test
    void whatIsThereAtOnceGoesOnWithoutResuming() {
        result.complete("yes");

        assertThat(start(step(result))).isTrue();
        assertThat(told).containsExactly("yes null");
    }

    @Test
    void whatIsThereAtOnceAndEndsTheRunDoesNotGoOn() {
        next = false;
        result.complete("no");

        assertThat(start(step(result))).isFalse();
        assertThat(told).containsExactly("no null");
    }

    @Test
    void whatComesLaterResumesOnce() {
        assertThat(start(step(result))).isFalse();
        assertThat(told).isEmpty();

        result.complete("yes");
        pass(2 * MINUTE);

        assertThat(told).containsExactly("yes null", "resume");
    }

    @Test
    void whatComesLaterAndEndsTheRunDoesNotResume() {
        next = false;
        start(step(result));
        result.complete("no");

        assertThat(told).containsExactly("no null");
    }

    @Test
    void theDeadlineIsToldAndTheStepCancelled() {
        start(step(result));
        pass(MINUTE - 1);
        assertThat(told).isEmpty();

        pass(1);

        assertThat(told).containsExactly("transform_timeout", "resume");
        assertThat(result).isCancelled();
    }

    @Test
    void ofAStepThatIsGivenUpNothingIsTold() {
        AsyncStep<String> step = step(result);
        start(step);
        step.cancel();
        step.cancel();
        pass(2 * MINUTE);

        assertThat(result).isCancelled();
        assertThat(told).isEmpty();
    }

    @Test
    void aFailureIsToldWithoutItsWrapping() {
        IllegalStateException cause = new IllegalStateException("x");
        start(step(result.thenApply(text -> text)));
        result.completeExceptionally(cause);

        assertThat(told).containsExactly("null " + cause, "resume");
    }

    @Test
    void aWrappingWithoutACauseIsToldItself() {
        start(step(result));
        result.completeExceptionally(new CompletionException("x", null));

        assertThat(told.get(0)).contains("CompletionException");
    }

    @Test
    void aStageThatCannotBeListenedToIsNeverTold() {
        CompletableFuture<String> broken = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                action.accept("early", null);
                throw new IllegalStateException("broken");
            }
        };
        next = false;

        assertThatThrownBy(() -> start(step(broken))).hasMessage("broken");
        pass(2 * MINUTE);
        assertThat(told).containsExactly("early null");
    }

    @Test
    void whatComesFromAnotherThreadIsToldOnTheLoop() throws Exception {
        DefaultEventLoop loop = new DefaultEventLoop();
        try {
            CompletableFuture<Boolean> onLoop = new CompletableFuture<>();
            CompletableFuture<Boolean> resumed = new CompletableFuture<>();
            AsyncStep<String> step = new AsyncStep<>(
                    result,
                    (decision, failure) -> {
                        onLoop.complete(loop.inEventLoop());
                        return true;
                    },
                    () -> resumed.complete(loop.inEventLoop()));
            loop.submit(() -> step.settledAtOnce(loop, MINUTE, "t")).get(Patience.SECONDS, TimeUnit.SECONDS);
            result.complete("yes");

            assertThat(onLoop.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(resumed.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }
}
