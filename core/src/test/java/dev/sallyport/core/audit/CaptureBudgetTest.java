package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CaptureBudgetTest {

    @Test
    void capturedBytesAreThereOrNot() {
        CaptureBudget captures = new CaptureBudget(50);

        assertThat(captures.tryTake(30)).isTrue();
        assertThat(captures.tryTake(21)).isFalse();
        assertThat(captures.tryTake(20)).isTrue();
        assertThat(captures.tryTake(1)).isFalse();
        assertThat(captures.taken()).isEqualTo(50);
        captures.giveBack(50);
        assertThat(captures.tryTake(50)).isTrue();
    }
}
