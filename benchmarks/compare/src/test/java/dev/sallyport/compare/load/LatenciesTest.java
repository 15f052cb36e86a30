package dev.sallyport.compare.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {

    @ParameterizedTest
    @ValueSource(doubles = {50, 90, 99, 99.9})
    void percentilesAreWithinAThousandthOfTheExactOnes(double percentile) {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        long[] micros = new long[100_000];
        Histogram histogram = Counter.histogram();
        for (int i = 0; i < micros.length; i++) {
            micros[i] = (long) Math.exp(random.nextDouble() * 15) + 1;
            histogram.recordValue(micros[i]);
        }
        Arrays.sort(micros);
        long exact = micros[(int) Math.ceil(percentile / 100 * micros.length) - 1];

        assertThat(new Tally(1, micros.length, 0, 0, 0, histogram).percentile(percentile))
                .as("seed %d", seed)
                .isCloseTo((double) exact, within(exact / 1000.0 + 1));
    }

    @Test
    void nothingIsCountedOutsideOfAWindow() {
        Counter counter = new Counter();
        counter.done(System.nanoTime());
        counter.bytes(10);
        counter.begin();
        counter.done(System.nanoTime());
        counter.bytes(3);
        counter.error(new IllegalStateException("refused"));
        Tally tally = counter.end();
        counter.done(System.nanoTime());

        assertThat(tally.operations()).isEqualTo(1);
        assertThat(tally.bytes()).isEqualTo(3);
        assertThat(tally.errors()).isEqualTo(1);
        assertThat(tally.latencies().getTotalCount()).isEqualTo(1);
        assertThat(counter.lastError()).hasMessage("refused");
    }

    @Test
    void aWindowWithoutOperationsHasNoLatency() {
        assertThat(new Tally(1, 0, 0, 0, 0, Counter.histogram()).percentile(99)).isZero();
    }
}
