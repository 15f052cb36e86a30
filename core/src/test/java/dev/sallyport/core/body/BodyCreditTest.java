package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Buffered;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rule 11: credit. */
class BodyCreditTest {
    @Test
    void isHeldBackWhileAStepIsOutAndComesWithTheBytes() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.send("abc");
        assertThat(fixture.credited).isZero();
        fixture.body.release(fixture.sink);
        assertThat(fixture.credited).isEqualTo(3);
    }

    @Test
    void isGivenAtOnceToAReaderAndNoFurther() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.read(0, Buffered.prefix(4));
        fixture.send("abc");
        assertThat(fixture.credited).isEqualTo(3);
        fixture.send("def");
        fixture.send("ghi");
        assertThat(fixture.credited).isEqualTo(3);
        fixture.body.release(fixture.sink);
        assertThat(fixture.credited).isEqualTo(9);
    }

    @Test
    void isOwedWhileTheReceiverIsFull() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.release(fixture.sink);
        fixture.sink.writable = false;
        fixture.send("abc");
        assertThat(fixture.credited).isZero();
        fixture.sink.writable = true;
        fixture.body.writable();
        assertThat(fixture.credited).isEqualTo(3);
    }

    @Test
    void aLongQueueLeavesOnlyAsFastAsTheReceiverTakesIt() {
        BodyFixture fixture = BodyFixture.plain(-1);
        for (int i = 0; i < 10; i++) {
            fixture.send(new byte[1000]);
        }
        fixture.sink.onData = () -> fixture.sink.writable = fixture.sink.bytes().length % 3000 != 0;
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.bytes()).hasSize(3000);
        assertThat(fixture.budget.used()).isEqualTo(7000);
        fixture.sink.writable = true;
        fixture.body.writable();
        assertThat(fixture.sink.bytes()).hasSize(6000);
        fixture.body.abort();
        fixture.assertNothingHeld();
    }

    @Test
    void comesBackForWhatIsDropped() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.send("abc");
        fixture.body.discard();
        fixture.send("def");
        fixture.assertNothingHeld();
        assertThat(fixture.credited).isEqualTo(6);
    }
}
