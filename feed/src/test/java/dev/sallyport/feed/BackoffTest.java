package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Proxies that lose their control plane together do not come back together. */
class BackoffTest {

    /** The longest wait of each attempt. */
    private static final class Most implements RandomGenerator {

        @Override
        public long nextLong() {
            throw new UnsupportedOperationException("only bounded numbers are asked for");
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    }

    private static List<Long> millis(Backoff backoff, int count) {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waits.add(backoff.next().toMillis());
        }
        return waits;
    }

    @Test
    void theBoundDoublesUpToHalfAMinuteAndBeginsAnewAfterASuccess() {
        Backoff backoff = new Backoff(new Most());

        assertThat(millis(backoff, 9))
                .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 16000L, 30000L, 30000L, 30000L);
        backoff.reset();
        assertThat(millis(backoff, 2)).containsExactly(500L, 1000L);
    }

    /** Full jitter: any wait from none to the bound. */
    @Test
    void waitsAreSpreadOverAllOfTheBound() {
        List<Duration> waits = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            waits.add(new Backoff(random).next());
        }

        assertThat(waits)
                .allMatch(wait -> wait.toMillis() <= 500)
                .anyMatch(wait -> wait.toMillis() < 50)
                .anyMatch(wait -> wait.toMillis() > 450);
    }
}
