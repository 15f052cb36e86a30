package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FreeIndexesTest {

    private static final int PLACES = 8;

    @Test
    void whatWasGivenBackLastIsTakenFirst() {
        FreeIndexes free = new FreeIndexes(3);
        free.begin(2);
        free.giveBack(1);

        assertThat(List.of(free.take(), free.take(), free.take())).containsExactly(1, 2, FreeIndexes.NONE);

        free.giveBack(2);
        free.giveBack(0);
        assertThat(List.of(free.take(), free.take(), free.take())).containsExactly(0, 2, FreeIndexes.NONE);
    }

    @Test
    @Timeout(60)
    void nobodyHasAPlaceThatAnotherHas() throws Exception {
        FreeIndexes free = new FreeIndexes(PLACES);
        AtomicIntegerArray holders = new AtomicIntegerArray(PLACES);
        List<Callable<Integer>> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(() -> {
                int shared = 0;
                for (int n = 0; n < 200_000; n++) {
                    int one = free.take();
                    int two = free.take();
                    shared += holders.incrementAndGet(one) - 1 + holders.incrementAndGet(two) - 1;
                    holders.decrementAndGet(one);
                    free.giveBack(one);
                    holders.decrementAndGet(two);
                    free.giveBack(two);
                }
                return shared;
            });
        }

        try (ExecutorService threads = Executors.newFixedThreadPool(users.size())) {
            for (Future<Integer> user : threads.invokeAll(users)) {
                assertThat(user.get()).isZero();
            }
        }
        for (int i = 0; i < PLACES; i++) {
            assertThat(free.take()).isNotEqualTo(FreeIndexes.NONE);
        }
        assertThat(free.take()).isEqualTo(FreeIndexes.NONE);
    }
}
