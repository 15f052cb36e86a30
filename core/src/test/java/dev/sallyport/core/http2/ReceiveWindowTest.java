package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A window granted to a peer")
class ReceiveWindowTest {

    private final ReceiveWindow window = new ReceiveWindow(100);

    @Test
    @DisplayName("is exceeded by the first byte beyond it")
    void isExceededByOneByte() {
        assertThat(window.take(100)).isTrue();
        assertThat(window.isOpen()).isFalse();
        assertThat(window.take(1)).isFalse();
    }

    @Test
    @DisplayName("returns credit in portions of at least half of it")
    void returnsCreditInPortions() {
        window.take(100);

        assertThat(window.giveBack(49)).isZero();
        assertThat(window.isOpen()).isFalse();
        assertThat(window.giveBack(1)).isEqualTo(50);
        assertThat(window.isOpen()).isTrue();
        assertThat(window.take(50)).isTrue();
        assertThat(window.take(1)).isFalse();
    }

    @Test
    @DisplayName("counts as backlog what has arrived and was not consumed, returned or not")
    void countsTheBacklog() {
        window.take(80);
        assertThat(window.backlog()).isEqualTo(80);

        window.giveBack(30);
        assertThat(window.backlog()).isEqualTo(50);

        window.giveBack(50);
        assertThat(window.backlog()).isZero();
    }
}
