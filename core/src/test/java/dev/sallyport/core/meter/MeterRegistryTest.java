package dev.sallyport.core.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MeterRegistryTest {

    private final MeterRegistry registry = new MeterRegistry(OpenTelemetry.noop());

    @Test
    void countsBySeriesUnderThePlugInsName() {
        Meters meters = registry.of("judge");
        Meters.Family<Meters.Counter> decisions = meters.counter("decisions", "Decisions.", "judge", "decision");

        decisions.of("house", "ALLOW").increment();
        decisions.of("house", "ALLOW").add(2);
        decisions.of("house", "DENY").increment();

        assertThat(registry.count("judge.decisions", "house", "ALLOW")).isEqualTo(3);
        assertThat(registry.count("sallyport.judge.decisions", "house", "DENY")).isEqualTo(1);
        assertThat(registry.count("judge.decisions", "yard", "DENY")).isZero();
        assertThat(registry.count("judge.tokens", "house")).isZero();
    }

    @Test
    void theSameDeclarationIsTheSameFamilySoThatCountsGoOnAcrossReloads() {
        registry.of("judge")
                .counter("decisions", "Decisions.", "judge")
                .of("house")
                .increment();
        registry.of("judge")
                .counter("decisions", "Decisions.", "judge")
                .of("house")
                .increment();

        assertThat(registry.count("judge.decisions", "house")).isEqualTo(2);
    }

    @Test
    void plugInsDoNotShareNames() {
        registry.of("judge").counter("calls", "Calls.").of().increment();
        registry.of("grpc").counter("calls", "Calls.").of().add(5);

        assertThat(registry.count("judge.calls")).isEqualTo(1);
        assertThat(registry.count("grpc.calls")).isEqualTo(5);
    }

    @Test
    void anotherDeclarationOfANameIsRefused() {
        Meters meters = registry.of("judge");
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
        assertThatThrownBy(() -> registry.counter(name, "Calls."))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("(expected: lower snake case)");
    }

    @Test
    void eachLabelNeedsAValueAndCountsOnlyGrow() {
        Meters.Family<Meters.Counter> calls = registry.counter("calls", "Calls.", "judge");

        assertThatThrownBy(() -> calls.of("a", "b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> calls.of("a").add(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsOverTheLimitIsCountedAsOther() {
        Meters.Family<Meters.Counter> calls = registry.counter("calls", "Calls.", "tool", "decision");

        for (int i = 0; i < LabelledSeries.LIMIT + 50; i++) {
            calls.of("tool" + i, "allow").increment();
        }

        assertThat(registry.count("calls", "tool0", "allow")).isEqualTo(1);
        assertThat(registry.count("calls", "tool" + (LabelledSeries.LIMIT - 1), "allow"))
                .isEqualTo(1);
        assertThat(registry.count("calls", "tool" + LabelledSeries.LIMIT, "allow"))
                .isZero();
        assertThat(registry.count("calls", "other", "other")).isEqualTo(50);
    }

    @Test
    void nothingIsLostBetweenThreads() throws Exception {
        Meters.Family<Meters.Counter> calls = registry.counter("calls", "Calls.", "tool");
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
            assertThat(registry.count("calls", "t" + n)).isEqualTo(8_000);
        }
    }

    @Test
    void aTimerOfExchangesKeepsOneExemplarForEachBucketAtMostASecondOld() {
        ExchangeTimer timer = registry.exchangeTimer("exchange.duration", "Exchanges.", "action")
                .of("allow");

        timer.record(2_000_000, "first", 10_000);
        timer.record(2_100_000, "too soon after it", 10_999);
        timer.record(90_000_000_000L, "above all bounds", 10_000);
        timer.record(50_000, "on the least bound", 10_000);
        assertThat(registry.exemplars())
                .containsExactly(new TimedSeries(
                        "sallyport.exchange.duration",
                        Map.of("action", "allow"),
                        List.of(
                                new Exemplar("on the least bound", 0.00005, 10_000),
                                new Exemplar("first", 0.002, 10_000),
                                new Exemplar("above all bounds", 90, 10_000))));

        timer.record(2_200_000, "a second later", 11_000);
        assertThat(registry.exemplars().getFirst().exemplars())
                .contains(new Exemplar("a second later", 0.0022, 11_000))
                .hasSize(3);
    }

    @Test
    void aTimerThatKnowsNoExchangesHasNoExemplars() {
        registry.timer("call.duration", "Calls.").of().record(Duration.ofMillis(5));

        assertThat(registry.exemplars()).isEmpty();
    }
}
