package dev.sallyport.core.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.OpenTelemetry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MeterBookTest {

    private final MeterBook book = new MeterBook(OpenTelemetry.noop());

    @Test
    void countsBySeriesUnderThePlugInsName() {
        Meters meters = book.of("judge");
        Meters.Family<Meters.Counter> decisions = meters.counter("decisions", "Decisions.", "judge", "decision");

        decisions.of("house", "ALLOW").increment();
        decisions.of("house", "ALLOW").add(2);
        decisions.of("house", "DENY").increment();

        assertThat(book.count("judge.decisions", "house", "ALLOW")).isEqualTo(3);
        assertThat(book.count("sallyport.judge.decisions", "house", "DENY")).isEqualTo(1);
        assertThat(book.count("judge.decisions", "yard", "DENY")).isZero();
        assertThat(book.count("judge.tokens", "house")).isZero();
    }

    @Test
    void theSameDeclarationIsTheSameFamilySoThatCountsGoOnAcrossReloads() {
        book.of("judge").counter("decisions", "Decisions.", "judge").of("house").increment();
        book.of("judge").counter("decisions", "Decisions.", "judge").of("house").increment();

        assertThat(book.count("judge.decisions", "house")).isEqualTo(2);
    }

    @Test
    void plugInsDoNotShareNames() {
        book.of("judge").counter("calls", "Calls.").of().increment();
        book.of("grpc").counter("calls", "Calls.").of().add(5);

        assertThat(book.count("judge.calls")).isEqualTo(1);
        assertThat(book.count("grpc.calls")).isEqualTo(5);
    }

    @Test
    void anotherDeclarationOfANameIsRefused() {
        Meters meters = book.of("judge");
        meters.counter("calls", "Calls.", "judge");

        assertThatThrownBy(() -> meters.counter("calls", "Calls.", "model"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "meter judge.calls: declared before as something else (expected: the same kind and labels)");
        assertThatThrownBy(() -> meters.timer("calls", "Calls.", "judge")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Calls", "call-s", "1st", "calls total"})
    void namesAreLowerSnakeCase(String name) {
        assertThatThrownBy(() -> book.counter(name, "Calls."))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("(expected: lower snake case)");
    }

    @Test
    void eachLabelNeedsAValueAndCountsOnlyGrow() {
        Meters.Family<Meters.Counter> calls = book.counter("calls", "Calls.", "judge");

        assertThatThrownBy(() -> calls.of("a", "b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> calls.of("a").add(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsOverTheLimitIsCountedAsOther() {
        Meters.Family<Meters.Counter> calls = book.counter("calls", "Calls.", "tool", "decision");

        for (int i = 0; i < LabelledSeries.LIMIT + 50; i++) {
            calls.of("tool" + i, "allow").increment();
        }

        assertThat(book.count("calls", "tool0", "allow")).isEqualTo(1);
        assertThat(book.count("calls", "tool" + (LabelledSeries.LIMIT - 1), "allow"))
                .isEqualTo(1);
        assertThat(book.count("calls", "tool" + LabelledSeries.LIMIT, "allow")).isZero();
        assertThat(book.count("calls", "other", "other")).isEqualTo(50);
    }

    @Test
    void nothingIsLostBetweenThreads() throws Exception {
        Meters.Family<Meters.Counter> calls = book.counter("calls", "Calls.", "tool");
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                for (int n = 0; n < 10_000; n++) {
                    calls.of("t" + n % 10).increment();
                }
            }));
        }

        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        for (int n = 0; n < 10; n++) {
            assertThat(book.count("calls", "t" + n)).isEqualTo(8_000);
        }
    }
}
