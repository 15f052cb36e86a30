package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.spi.Buffered;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/design.md, section 1, law 1: nothing fails open, and nothing stays behind. */
class BodyFailureTest {
    @ParameterizedTest
    @EnumSource(Faulty.Where.class)
    void aRewriterThatThrowsFailsTheMessageAndIsNamed(Faulty.Where where) {
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.rewrite(9, new Faulty(where), true);
        fixture.body.release(fixture.sink);
        fixture.send(BodyFixture.encode("gzip", new byte[100]));
        fixture.finish();
        assertThat(fixture.sink.failure)
                .isEqualTo(new BodyFailure(Kind.STAGE_FAILED, 9, "rewriter: IllegalStateException"));
        assertThat(fixture.sink.trailers).isNull();
        fixture.assertNothingHeld();
    }

    @ParameterizedTest
    @EnumSource(Faulty.Where.class)
    void aRewriterThatThrowsWhileSomebodyReadsFailsTheReadAndLaterTheMessage(Faulty.Where where) {
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.rewrite(9, new Faulty(where), true);
        RecordingRead read = fixture.read(10, Buffered.whole().raw());
        fixture.send(BodyFixture.encode("gzip", new byte[100]));
        fixture.finish();
        assertThat(read.failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.STAGE_FAILED, 9);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.failure).isEqualTo(read.failure);
        fixture.assertNothingHeld();
    }

    @Test
    void aBrokenPromiseFailsTheMessage() {
        for (int promised : new int[] {0, 2, 4}) {
            BodyFixture fixture = BodyFixture.plain(3);
            fixture.body.rewrite(1, new Promising(promised), true);
            fixture.body.release(fixture.sink);
            fixture.send("abc");
            fixture.finish();
            assertThat(fixture.sink.length).isEqualTo(promised);
            assertThat(fixture.sink.bytes().length).isLessThanOrEqualTo(promised);
            assertThat(fixture.sink.failure)
                    .extracting(BodyFailure::kind, BodyFailure::position)
                    .containsExactly(Kind.STAGE_FAILED, 1);
            fixture.assertNothingHeld();
        }
    }

    @Test
    void anObserverThatThrowsIsDetachedAndNotFatal() {
        BodyFixture fixture = BodyFixture.plain(-1);
        RecordingObserver observer = new RecordingObserver() {
            @Override
            public void data(ByteBuffer bytes) {
                throw new IllegalStateException("s3cr3t");
            }
        };
        fixture.body.observe(2, observer, true);
        fixture.body.release(fixture.sink);
        fixture.send("abc");
        fixture.send("def");
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("abcdef");
        assertThat(observer.ends).isOne();
        assertThat(fixture.notes).containsExactly("2: observer: IllegalStateException");
    }

    @Test
    void forwardingOutsideOfTheBufferIsAFailure() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.rewrite(0, new Forwarding(), true);
        fixture.body.release(fixture.sink);
        fixture.send("abc");
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.STAGE_FAILED);
        fixture.assertNothingHeld();
    }

    @Test
    void abortTellsWhoWaits() {
        RecordingObserver observer = new RecordingObserver();
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.observe(0, observer, true);
        RecordingRead read = fixture.read(1, Buffered.whole());
        fixture.send("abc");
        fixture.body.abort();
        assertThat(read.failure).extracting(BodyFailure::kind).isEqualTo(Kind.ABORTED);
        assertThat(observer.complete).isFalse();
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.ABORTED);
        fixture.body.abort();
        fixture.assertNothingHeld();
    }
}
