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
class SlotsTest {

    private static final Duration LIMIT = Duration.ofSeconds(8);

    private final VirtualTime time = new VirtualTime();
    private final Slots slots = new Slots(2, time.scheduler());

    @Test
    void firstComeFirstServed() {
        assertThat(slots.acquire(LIMIT)).isCompleted();
        assertThat(slots.acquire(LIMIT)).isCompleted();
        CompletableFuture<Void> third = slots.acquire(LIMIT);
        CompletableFuture<Void> fourth = slots.acquire(LIMIT);
        assertThat(third).isNotDone();

        slots.release();
        assertThat(third).isCompleted();
        assertThat(fourth).isNotDone();
        slots.release();
        assertThat(fourth).isCompleted();
    }

    @Test
    void whoHasWaitedTooLongIsToldAndPassedOver() {
        slots.acquire(LIMIT);
        slots.acquire(LIMIT);
        CompletableFuture<Void> third = slots.acquire(LIMIT);
        time.advance(Duration.ofSeconds(1));
        CompletableFuture<Void> fourth = slots.acquire(LIMIT);
        time.advance(Duration.ofSeconds(7));

        assertThat(third).isCompletedExceptionally();
        assertThat(third.exceptionNow()).isInstanceOf(TimeoutException.class);
        slots.release();
        assertThat(fourth).isCompleted();
    }

    @Test
    void whoLeavesIsPassedOver() {
        slots.acquire(LIMIT);
        slots.acquire(LIMIT);
        CompletableFuture<Void> third = slots.acquire(LIMIT);
        CompletableFuture<Void> fourth = slots.acquire(LIMIT);
        third.cancel(false);

        slots.release();
        assertThat(fourth).isCompleted();
        slots.release();
        slots.release();
        assertThat(slots.acquire(LIMIT)).isCompleted();
        assertThat(slots.acquire(LIMIT)).isCompleted();
        assertThat(slots.acquire(LIMIT)).isNotDone();
    }

    /** As when the breaker has opened meanwhile: each gives the slot back as soon as it has it. */
    @Test
    void thousandsWhoGiveItBackAtOnceNeedNoStack() {
        slots.acquire(LIMIT);
        slots.acquire(LIMIT);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            slots.acquire(LIMIT).thenRun(() -> {
                order.add(number);
                slots.release();
            });
        }

        slots.release();

        assertThat(order).hasSize(100_000).isSorted();
        assertThat(slots.acquire(LIMIT)).isCompleted();
        assertThat(slots.acquire(LIMIT)).isNotDone();
    }
}
