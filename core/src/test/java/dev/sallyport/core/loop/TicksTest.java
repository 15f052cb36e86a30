package dev.sallyport.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TicksTest {

    private final EventLoops loops = EventLoops.create(1);
    private final EventLoop loop = loops.group().next();

    @AfterEach
    void close() {
        loops.close();
    }

    @Test
    void aLoopHasTheSameForAll() {
        assertThat(Ticks.of(loop)).isSameAs(Ticks.of(loop));
    }

    @Test
    void allThatWaitAreRunInOrderAndNoneBeforeItsTick() throws Exception {
        List<Long> early = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        CountDownLatch last = new CountDownLatch(100);
        for (int i = 0; i < 100; i++) {
            int number = i;
            loop.execute(() -> {
                long due = System.nanoTime() + Ticks.NANOS - Ticks.GRAIN;
                Ticks.of(loop).execute(() -> {
                    if (System.nanoTime() < due) {
                        early.add(due);
                    }
                    order.add(number);
                    last.countDown();
                });
            });
        }
        assertThat(last.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(early).isEmpty();
        assertThat(order).hasSize(100).isSorted();
    }

    @Test
    void oneThatFailsKeepsNoOtherFromItsTick() throws Exception {
        CountDownLatch ran = new CountDownLatch(2);
        loop.execute(() -> {
            Ticks ticks = Ticks.of(loop);
            ticks.execute(() -> {
                throw new IllegalStateException("a task that fails");
            });
            ticks.execute(ran::countDown);
            // and one that asks for another
            ticks.execute(() -> ticks.execute(ran::countDown));
        });
        assertThat(ran.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }
}
