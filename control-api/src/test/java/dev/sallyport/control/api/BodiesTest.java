package dev.sallyport.control.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.model.Refusal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The budget of what is parsed at once. */
class BodiesTest {

    @Test
    void whatFindsNoRoomIsRefusedWith503AndRoomIsGivenBack() throws Exception {
        Bodies bodies = new Bodies(64 << 10, Duration.ofMillis(10));
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<String> first = threads.submit(() -> bodies.within(new byte[60 << 10], () -> {
                reads.countDown();
                await(end);
                return "first";
            }));
            reads.await();

            assertThatThrownBy(() -> bodies.within(new byte[8 << 10], () -> "second"))
                    .isInstanceOfSatisfying(Refusal.class, refusal -> {
                        assertThat(refusal.status()).isEqualTo(503);
                        assertThat(refusal.retryAfter()).isNotNull();
                    });
            assertThat(bodies.within(new byte[100], () -> "small")).isEqualTo("small");

            end.countDown();
            assertThat(first.get()).isEqualTo("first");
        }
        assertThatThrownBy(() -> bodies.within(null, () -> {
                    throw new IllegalArgumentException("no");
                }))
                .hasMessage("no");
        assertThat(bodies.within(new byte[63 << 10], () -> "all")).isEqualTo("all");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
