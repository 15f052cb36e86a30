package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rule 2: reads and their limits. */
class BodyReadingTest {
    @Test
    void waitsForTheEnd() {
        BodyFixture fixture = BodyFixture.plain(6);
        RecordingRead read = fixture.read(0, Buffered.whole());
        fixture.send("abc");
        assertThat(read.answered()).isFalse();
        fixture.send("def");
        assertThat(read.answered()).as("the trailers are still to come").isFalse();
        HeaderBlock trailers = new HeaderBlock();
        trailers.append("Sum", "1");
        fixture.body.end(trailers);
        assertThat(TestRewriters.text(read.body.copy())).isEqualTo("abcdef");
        assertThat(read.body.truncated()).isFalse();
        assertThat(read.body.trailers().first("Sum")).isEqualTo("1");
    }

    @Test
    void refusesBeyondTheLimitAndTheBodyCanStillFlow() {
        // given
        BodyFixture fixture = BodyFixture.limited(4, -1, null);
        RecordingRead read = fixture.read(7, Buffered.whole());
        // when
        fixture.send("12345");
        // then
        assertThat(read.failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.TOO_LARGE, 7);
        fixture.body.release(fixture.sink);
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("12345");
        fixture.assertNothingHeld();
    }

    @Test
    void refusesAtOnceWhatIsAnnouncedAsTooLong() {
        BodyFixture fixture = BodyFixture.limited(4, 5, null);
        assertThat(fixture.read(0, Buffered.whole()).failure)
                .extracting(BodyFailure::kind)
                .isEqualTo(Kind.TOO_LARGE);
    }

    @Test
    void theCapLowersWhatAReaderAsksForUnlessItIsIndependent() {
        BodyFixture fixture = BodyFixture.limited(4, -1, null);
        RecordingRead capped = fixture.read(0, Buffered.prefix(100));
        fixture.send("123456");
        assertThat(capped.body.length()).isEqualTo(4);
        assertThat(capped.body.truncated()).isTrue();
        RecordingRead independent = fixture.read(0, Buffered.prefix(5).independentOfCap());
        assertThat(independent.body.length()).isEqualTo(5);
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void aBodyOfExactlyTheLimitIsNotTruncated() {
        BodyFixture fixture = BodyFixture.plain(-1);
        RecordingRead read = fixture.read(0, Buffered.prefix(3));
        fixture.send("abc");
        fixture.finish();
        assertThat(read.body.truncated()).isFalse();
    }

    @Test
    void whatIsReadStaysValidAndCannotBeWrittenTo() {
        BodyFixture fixture = BodyFixture.plain(-1);
        RecordingRead read = fixture.read(0, Buffered.prefix(2));
        fixture.send("abc");
        ByteBuffer view = read.body.bytes();
        fixture.body.discard();
        assertThat(view.isReadOnly()).isTrue();
        assertThat(view.capacity()).as("not a byte beyond the prefix").isEqualTo(2);
        assertThat(view.get(1)).isEqualTo((byte) 'b');
    }

    @Test
    void onlyOneAtATime() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.read(0, Buffered.whole());
        assertThatThrownBy(() -> fixture.read(1, Buffered.whole())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fixture.body.release(fixture.sink)).isInstanceOf(IllegalStateException.class);
    }
}
