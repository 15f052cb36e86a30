package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Who waits, and for how long. */
class CallLimiterTest {

    private static final Duration LIMIT = Duration.ofSeconds(8);

    private final VirtualTime time = new VirtualTime();
    private final CallLimiter limiter = new CallLimiter(2, time.scheduler());

    @Test
    void firstComeFirstServed() {
        assertThat(limiter.acquire(LIMIT)).isCompleted();
        assertThat(limiter.acquire(LIMIT)).isCompleted();
        CompletableFuture<Void> third = limiter.acquire(LIMIT);
        CompletableFuture<Void> fourth = limiter.acquire(LIMIT);
        assertThat(third).isNotDone();

        limiter.release();
        assertThat(third).isCompleted();
        assertThat(fourth).isNotDone();
        limiter.release();
        assertThat(fourth).isCompleted();
    }

    @Test
    void whoHasWaitedTooLongIsToldAndPassedOver() {
        limiter.acquire(LIMIT);
        limiter.acquire(LIMIT);
        CompletableFuture<Void> third = limiter.acquire(LIMIT);
        time.advance(Duration.ofSeconds(1));
        CompletableFuture<Void> fourth = limiter.acquire(LIMIT);
        time.advance(Duration.ofSeconds(7));

        assertThat(third).isCompletedExceptionally();
        assertThat(third.exceptionNow()).isInstanceOf(TimeoutException.class);
        limiter.release();
        assertThat(fourth).isCompleted();
    }

    @Test
    void whoLeavesIsPassedOver() {
        limiter.acquire(LIMIT);
        limiter.acquire(LIMIT);
        CompletableFuture<Void> third = limiter.acquire(LIMIT);
        CompletableFuture<Void> fourth = limiter.acquire(LIMIT);
        third.cancel(false);

        limiter.release();
        assertThat(fourth).isCompleted();
        limiter.release();
        limiter.release();
        assertThat(limiter.acquire(LIMIT)).isCompleted();
        assertThat(limiter.acquire(LIMIT)).isCompleted();
        assertThat(limiter.acquire(LIMIT)).isNotDone();
    }

    /** As when the breaker has opened meanwhile: each gives the slot back as soon as it has it. */
    @Test
    void thousandsWhoGiveItBackAtOnceNeedNoStack() {
        limiter.acquire(LIMIT);
        limiter.acquire(LIMIT);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            limiter.acquire(LIMIT).thenRun(() -> {
                order.add(number);
                limiter.release();
            });
        }

        limiter.release();

        assertThat(order).hasSize(100_000).isSorted();
        assertThat(limiter.acquire(LIMIT)).isCompleted();
        assertThat(limiter.acquire(LIMIT)).isNotDone();
    }
}
