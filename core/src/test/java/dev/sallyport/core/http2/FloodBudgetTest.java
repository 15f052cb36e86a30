package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.http2.Http2Error;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The budget for frames that are part of no message")
class FloodBudgetTest {

    @Test
    @DisplayName("ends the connection with ENHANCE_YOUR_CALM when the burst is exceeded")
    void endsTheConnection() throws Exception {
        FloodBudget budget = FloodBudget.inARow(3, "too many of them");
        budget.spend(1);
        budget.spend(2);

        ConnectionErrorException excess = catchThrowableOfType(ConnectionErrorException.class, () -> budget.spend(1));

        assertThat(excess.code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        assertThat(excess.detail()).isEqualTo("too many of them");
    }

    @Test
    @DisplayName("is whole again after progress")
    void isRestoredByProgress() throws Exception {
        FloodBudget budget = FloodBudget.inARow(2, "too many");
        for (int i = 0; i < 5; i++) {
            budget.spend(2);
            budget.restore();
        }
        budget.spend(2);

        assertThat(catchThrowableOfType(ConnectionErrorException.class, () -> budget.spend(1)))
                .isNotNull();
    }

    @Test
    @DisplayName("is restored by time, up to the burst")
    void isRestoredByTime() throws Exception {
        FloodBudget budget = FloodBudget.perSecond(2, 1000, "too many");
        budget.spend(2);

        await().untilAsserted(() -> assertThatCode(() -> budget.spend(2)).doesNotThrowAnyException());
        assertThat(catchThrowableOfType(ConnectionErrorException.class, () -> budget.spend(1_000_000)))
                .isNotNull();
    }
}
