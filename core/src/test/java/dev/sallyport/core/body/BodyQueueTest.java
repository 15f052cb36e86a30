package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.spi.Buffered;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rule 3: one queue, whole, within the budget. */
class BodyQueueTest {
    @Test
    void whatWasReadFlowsOnWhole() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.read(0, Buffered.prefix(2));
        fixture.send("abcdef");
        fixture.body.release(fixture.sink);
        fixture.send("ghi");
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("abcdefghi");
        fixture.assertNothingHeld();
    }

    @Test
    void countsAgainstTheBudgetOfAllBodiesWhateverTheCap() {
        // given
        BodyBudget budget = new BodyBudget(10);
        BodyFixture first = new BodyFixture(budget, new BodyLimits(Long.MAX_VALUE, 0, 250), -1, null, "");
        BodyFixture second = new BodyFixture(budget, new BodyLimits(Long.MAX_VALUE, 0, 250), -1, null, "");
        RecordingRead fits = first.read(0, Buffered.whole());
        RecordingRead refused = second.read(3, Buffered.whole());
        // when
        first.send("12345678");
        second.send("abc");
        // then
        assertThat(fits.answered()).isFalse();
        assertThat(refused.failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.OVER_BUDGET, 3);
        second.body.discard();
        assertThat(budget.used()).isEqualTo(8);
        first.finish();
        assertThat(fits.body).isNotNull();
        first.body.discard();
        first.assertNothingHeld();
    }

    @Test
    void aDecodedCopyCountsAsLongAsSomebodyMayLookAtIt() {
        byte[] plain = new byte[5000];
        byte[] coded = BodyFixture.encode("gzip", plain);
        BodyFixture fixture = BodyFixture.coded("gzip");
        RecordingRead read = fixture.read(0, Buffered.whole());
        fixture.send(coded);
        fixture.finish();
        assertThat(read.body.length()).isEqualTo(5000);
        assertThat(fixture.budget.used()).isGreaterThanOrEqualTo(5000 + coded.length);
        fixture.sink.writable = false;
        fixture.body.release(fixture.sink);
        assertThat(fixture.budget.used()).isEqualTo(coded.length);
        fixture.sink.writable = true;
        fixture.body.writable();
        assertThat(fixture.sink.bytes()).isEqualTo(coded);
        fixture.assertNothingHeld();
    }

    @Test
    void manyTinyPiecesDoNotPinManyBuffers() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.read(0, Buffered.whole());
        for (int i = 0; i < 10_000; i++) {
            ByteBuf large = fixture.allocator.directBuffer(16_384).writeByte('x');
            fixture.given++;
            fixture.body.data(large);
        }
        assertThat(fixture.allocator.metric().usedDirectMemory()).isLessThan(50_000);
        fixture.body.abort();
        fixture.assertNothingHeld();
    }
}
