package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.VirtualTime;
import dev.sallyport.transforms.judge.Breaker.Pass;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The states of the circuit breaker, and what leads from one to the other. */
class BreakerTest {

    private final VirtualTime time = new VirtualTime();
    private final Breaker breaker =
            new Breaker(time.clock(), new JudgeConfig.CircuitBreaker(3, Duration.ofSeconds(10)));

    private boolean fail() {
        return breaker.failed(breaker.enter());
    }

    private void open() {
        assertThat(fail()).isFalse();
        assertThat(fail()).isFalse();
        assertThat(fail()).isTrue();
    }

    @Test
    void failuresInARowOpenIt() {
        open();

        assertThat(breaker.mayEnter()).isFalse();
        assertThat(breaker.enter()).isEqualTo(Pass.NONE);
    }

    @Test
    void aSuccessInBetweenBeginsTheCountAnew() {
        fail();
        fail();
        breaker.succeeded(breaker.enter());

        open();
    }

    @Test
    void afterTheCooldownExactlyOneProbeIsLetThrough() {
        open();
        time.advance(Duration.ofMillis(9_999));
        assertThat(breaker.enter()).isEqualTo(Pass.NONE);

        time.advance(Duration.ofMillis(1));
        assertThat(breaker.mayEnter()).isTrue();
        assertThat(breaker.enter()).isEqualTo(Pass.PROBE);
        assertThat(breaker.mayEnter()).isFalse();
        assertThat(breaker.enter()).isEqualTo(Pass.NONE);
    }

    @Test
    void aProbeThatSucceedsClosesItWithTheCountAtZero() {
        open();
        time.advance(Duration.ofSeconds(10));
        breaker.succeeded(breaker.enter());

        assertThat(breaker.enter()).isEqualTo(Pass.CALL);
        open();
    }

    @Test
    void aProbeThatFailsOpensItForAnotherWholeCooldown() {
        open();
        time.advance(Duration.ofSeconds(15));
        assertThat(fail()).isTrue();

        time.advance(Duration.ofMillis(9_999));
        assertThat(breaker.enter()).isEqualTo(Pass.NONE);
        time.advance(Duration.ofMillis(1));
        assertThat(breaker.enter()).isEqualTo(Pass.PROBE);
    }

    @Test
    void aProbeWhoseClientLeftLeavesThePlaceToTheNext() {
        open();
        time.advance(Duration.ofSeconds(10));
        breaker.abandoned(breaker.enter());

        assertThat(breaker.enter()).isEqualTo(Pass.PROBE);
    }

    @Test
    void callsThatWereUnderWayWhenItOpenedDoNotMatter() {
        Pass early = breaker.enter();
        Pass other = breaker.enter();
        open();

        breaker.succeeded(early);
        assertThat(breaker.failed(other)).isFalse();
        assertThat(breaker.enter()).isEqualTo(Pass.NONE);
    }
}
