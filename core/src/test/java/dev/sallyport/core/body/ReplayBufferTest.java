package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What is kept of a body for a second try: little, and counted. */
class ReplayBufferTest {

    private final StringBuilder sent = new StringBuilder();

    private static ByteBuf buffer(int size) {
        return Unpooled.copiedBuffer("x".repeat(size), StandardCharsets.ISO_8859_1);
    }

    private static void leaves(ReplayBuffer replay, int size) {
        ByteBuf data = buffer(size);
        replay.left(data);
        data.release();
    }

    private void send(ByteBuf data) {
        sent.append(data.toString(StandardCharsets.ISO_8859_1));
        data.release();
    }

    @Test
    void sendsAgainWhatHasLeftAndThenWhatWaits() {
        BodyBudget budget = new BodyBudget(1 << 20);
        ReplayBuffer replay = new ReplayBuffer(ByteBufAllocator.DEFAULT, budget);
        leaves(replay, 300);
        leaves(replay, 5);
        replay.queue(Unpooled.copiedBuffer("end", StandardCharsets.ISO_8859_1));
        assertThat(budget.used()).isEqualTo(308);
        // when
        replay.drainTo(this::send);
        // then
        assertThat(sent.toString()).isEqualTo("x".repeat(305) + "end");
        assertThat(budget.used()).isZero();
    }

    @Test
    void keepsNothingOfABodyThatIsLongerThanTheWindow() {
        BodyBudget budget = new BodyBudget(1 << 20);
        ReplayBuffer replay = new ReplayBuffer(ByteBufAllocator.DEFAULT, budget);
        leaves(replay, ReplayBuffer.WINDOW);
        assertThat(replay.isWhole()).isTrue();
        // when
        leaves(replay, 1);
        // then
        assertThat(replay.isWhole()).isFalse();
        assertThat(budget.used()).isZero();
    }

    @Test
    void keepsNothingWhenTheBudgetOfAllBodiesIsUsedUp() {
        BodyBudget budget = new BodyBudget(100);
        ReplayBuffer replay = new ReplayBuffer(ByteBufAllocator.DEFAULT, budget);
        // when
        leaves(replay, 101);
        // then
        assertThat(replay.isWhole()).isFalse();
        assertThat(budget.used()).isZero();
    }
}
