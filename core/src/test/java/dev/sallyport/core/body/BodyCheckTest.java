package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.LateRejectException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks see everything before it leaves, change nothing, and let nothing go that they refuse. */
class BodyCheckTest {

    /** Where a check throws. */
    enum Where {
        DATA,
        END
    }

    /** Throws at one place, at the letter {@code x} for one. */
    private static final class Throwing extends RecordingCheck {

        private final Where where;
        private final RuntimeException failure;

        Throwing(Where where, RuntimeException failure) {
            this.where = where;
            this.failure = failure;
        }

        @Override
        public void data(ByteBuffer bytes) {
            super.data(bytes);
            if (where == Where.DATA && text().contains("x")) {
                throw failure;
            }
        }

        @Override
        public void end() {
            super.end();
            if (where == Where.END) {
                throw failure;
            }
        }
    }

    private static LateRejectException refusal() {
        return new LateRejectException(Decision.reject(422, "no", "No."));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 9})
    void itIsShownEachByteBeforeThatLeaves(long declared) {
        BodyFixture fixture = BodyFixture.plain(declared);
        List<Integer> left = new ArrayList<>();
        RecordingCheck check = new RecordingCheck() {
            @Override
            public void data(ByteBuffer bytes) {
                left.add(fixture.sink.seen.size() - seen.size());
                super.data(bytes);
            }
        };
        fixture.body.check(0, check, true);
        fixture.body.release(fixture.sink);
        for (String piece : List.of("one", "two", "six")) {
            fixture.send(piece);
        }
        fixture.finish();

        assertThat(left).containsExactly(0, 0, 0);
        assertThat(check.text()).isEqualTo("onetwosix");
        assertThat(check.ends).isOne();
        assertThat(fixture.out()).isEqualTo("onetwosix");
        assertThat(fixture.sink.length).isEqualTo(declared);
        assertThat(fixture.body.altered()).isFalse();
        fixture.assertNothingHeld();
    }

    @Test
    void theSameBuffersGoOn() {
        BodyFixture fixture = BodyFixture.plain(-1);
        List<ByteBuf> out = new ArrayList<>();
        fixture.body.check(0, new RecordingCheck(), true);
        fixture.body.release(new BodySink() {
            @Override
            public void begin(long length) {}

            @Override
            public void data(ByteBuf data) {
                out.add(data);
            }

            @Override
            public void end(HeaderBlock trailers) {}

            @Override
            public void failed(BodyFailure failure) {}

            @Override
            public boolean isWritable() {
                return true;
            }
        });
        ByteBuf buffer = fixture.allocator.directBuffer(1000).writeZero(1000);
        fixture.body.data(buffer);
        assertThat(out).singleElement().isSameAs(buffer);
        buffer.release();
        fixture.body.discard();
    }

    /** A receiver that was told the length takes a message for whole at its last byte. */
    @Test
    void theLastBytesOfAKnownLengthWaitForTheEnd() {
        BodyFixture fixture = BodyFixture.plain(6);
        RecordingCheck check = new RecordingCheck();
        fixture.body.check(0, check, true);
        fixture.body.release(fixture.sink);
        fixture.send("one");
        fixture.send("two");
        assertThat(fixture.out()).isEqualTo("one");
        assertThat(check.text()).isEqualTo("onetwo");
        assertThat(fixture.budget.used()).as("what waits is counted").isEqualTo(3);
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("onetwo");
        fixture.assertNothingHeld();
    }

    @ParameterizedTest
    @EnumSource(Where.class)
    void whatItRefusesIsNeverWhole(Where where) {
        for (long declared : new long[] {-1, 9}) {
            BodyFixture fixture = BodyFixture.plain(declared);
            fixture.body.check(3, new Throwing(where, refusal()), true);
            fixture.body.release(fixture.sink);
            fixture.send("one");
            fixture.send("two");
            fixture.send("six");
            fixture.finish();

            assertThat(fixture.out()).isEqualTo(where == Where.END && declared < 0 ? "onetwosix" : "onetwo");
            assertThat(fixture.sink.trailers).as("the end").isNull();
            assertThat(fixture.sink.failure)
                    .extracting(BodyFailure::kind, BodyFailure::position, BodyFailure::detail)
                    .containsExactly(Kind.REJECTED, 3, "No.");
            fixture.assertNothingHeld();
        }
    }

    @ParameterizedTest
    @EnumSource(Where.class)
    void whatItFailsAtIsNeverWhole(Where where) {
        BodyFixture fixture = BodyFixture.plain(1);
        fixture.body.check(3, new Throwing(where, new IllegalStateException("s3cr3t")), true);
        fixture.body.release(fixture.sink);
        fixture.send("x");
        fixture.finish();
        assertThat(fixture.out()).isEmpty();
        assertThat(fixture.sink.failure)
                .isEqualTo(new BodyFailure(Kind.STAGE_FAILED, 3, "check: IllegalStateException"));
        fixture.assertNothingHeld();
    }

    @Test
    void refusingWhileSomebodyReadsFailsTheReadAndLaterTheMessage() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.check(1, new Throwing(Where.DATA, refusal()), true);
        RecordingRead read = fixture.read(2, Buffered.whole());
        fixture.send("six");
        assertThat(read.failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.REJECTED, 1);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.failure).isEqualTo(read.failure);
        fixture.assertNothingHeld();
    }

    @Test
    void moreThanWasAnnouncedDoesNotPassIt() {
        for (String rest : List.of("", "c")) {
            BodyFixture fixture = BodyFixture.plain(2);
            fixture.body.check(0, new RecordingCheck(), true);
            fixture.body.release(fixture.sink);
            fixture.send(rest.isEmpty() ? "abc" : "ab");
            fixture.send(rest.isEmpty() ? "d" : rest);
            assertThat(fixture.out()).isEmpty();
            assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.STAGE_FAILED);
            fixture.assertNothingHeld();
        }
    }

    @Test
    void aBodyWithoutAByteIsCheckedToo() {
        BodyFixture fixture = BodyFixture.limited(100, 0, "gzip");
        RecordingCheck check = new RecordingCheck();
        fixture.body.check(0, check, true);
        fixture.body.release(fixture.sink);
        fixture.finish();
        assertThat(check.ends).isOne();
        assertThat(fixture.sink.trailers).isNotNull();
    }

    @Test
    void aBodyThatIsBrokenOffHasNoEnd() {
        BodyFixture fixture = BodyFixture.plain(3);
        RecordingCheck check = new RecordingCheck();
        fixture.body.check(0, check, true);
        fixture.body.release(fixture.sink);
        fixture.send("one");
        fixture.body.abort();
        assertThat(check.ends).isZero();
        assertThat(fixture.out()).isEmpty();
        fixture.assertNothingHeld();
    }

    // Codings.

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd", "gzip, br"})
    void theContentIsCheckedAndTheCodedBytesGoOn(String coding) {
        String text = "some content ".repeat(1000);
        byte[] coded = BodyFixture.encode(coding, TestRewriters.latin1(text));
        BodyFixture fixture = BodyFixture.coded(coding);
        RecordingCheck check = new RecordingCheck();
        fixture.body.check(0, check, true);
        fixture.body.release(fixture.sink);
        fixture.send(coded, 0, 20);
        assertThat(fixture.sink.seen.size()).as("it streams").isEqualTo(20);
        fixture.send(coded, 20, coded.length - 20);
        fixture.finish();
        assertThat(check.text()).isEqualTo(text);
        assertThat(fixture.sink.bytes()).isEqualTo(coded);
        assertThat(fixture.body.altered()).isFalse();
        fixture.assertNothingHeld();
    }

    @Test
    void whatCannotBeDecodedDoesNotPassIt() {
        for (boolean known : new boolean[] {true, false}) {
            BodyFixture fixture = BodyFixture.coded(known ? "gzip" : "unheard-of");
            fixture.body.check(5, new RecordingCheck(), true);
            fixture.body.release(fixture.sink);
            fixture.send("what is no gzip");
            assertThat(fixture.out()).isEmpty();
            assertThat(fixture.sink.failure)
                    .extracting(BodyFailure::kind, BodyFailure::position)
                    .containsExactly(known ? Kind.CORRUPT_CODING : Kind.UNSUPPORTED_CODING, 5);
            fixture.assertNothingHeld();
        }
    }

    @Test
    void codedContentThatBreaksOffIsNeverWhole() {
        byte[] coded = BodyFixture.encode("gzip", TestRewriters.latin1("content"));
        BodyFixture fixture = BodyFixture.limited(1 << 20, coded.length - 1, "gzip");
        fixture.body.check(5, new RecordingCheck(), true);
        fixture.body.release(fixture.sink);
        fixture.send(coded, 0, coded.length - 1);
        fixture.finish();
        assertThat(fixture.out()).isEmpty();
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.CORRUPT_CODING);
        fixture.assertNothingHeld();
    }

    @Test
    void aCheckOfTheWireNeedsNoKnownCoding() {
        BodyFixture fixture = BodyFixture.coded("unheard-of");
        RecordingCheck check = new RecordingCheck();
        fixture.body.check(0, check, false);
        fixture.body.release(fixture.sink);
        fixture.send("bytes");
        fixture.finish();
        assertThat(check.text()).isEqualTo("bytes");
        assertThat(fixture.out()).isEqualTo("bytes");
    }

    // Among other stages.

    @Test
    void itSeesWhatTheEarlierRewritersLeftAndNotTheLaterOnes() {
        BodyFixture fixture = BodyFixture.coded("gzip");
        RecordingCheck before = new RecordingCheck();
        RecordingCheck between = new RecordingCheck();
        RecordingCheck behind = new RecordingCheck();
        fixture.body.check(0, before, true);
        fixture.body.rewrite(1, TestRewriters.SWAP_LONGER.streaming(), true);
        fixture.body.check(2, between, true);
        fixture.body.rewrite(3, TestRewriters.APPEND.streaming(), true);
        fixture.body.check(4, behind, false);
        fixture.body.release(fixture.sink);
        fixture.send(BodyFixture.encode("gzip", TestRewriters.latin1("1abc2")));
        fixture.finish();
        assertThat(before.text()).isEqualTo("1abc2");
        assertThat(between.text()).isEqualTo("1a-longer-value2");
        assertThat(behind.seen.toByteArray()).isEqualTo(fixture.sink.bytes());
        assertThat(BodyFixture.decode("gzip", fixture.sink.bytes()))
                .isEqualTo(TestRewriters.latin1("1a-longer-value2-end"));
        fixture.assertNothingHeld();
    }

    /** What an observer finds out at the very end counts, too. */
    @Test
    void itsEndComesBehindThatOfAnEarlierObserverAndBeforeTheLastBytes() {
        BodyFixture fixture = BodyFixture.plain(3);
        RecordingObserver observer = new RecordingObserver();
        RecordingCheck check = new RecordingCheck() {
            @Override
            public void end() {
                super.end();
                if (observer.ends > 0) {
                    throw refusal();
                }
            }
        };
        fixture.body.observe(0, observer, true);
        fixture.body.check(0, check, false);
        fixture.body.release(fixture.sink);
        fixture.send("one");
        fixture.finish();
        assertThat(fixture.out()).isEmpty();
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.REJECTED);
        fixture.assertNothingHeld();
    }

    @Test
    void aRewriterThatPromisedALengthIsCheckedToItsLastByte() {
        BodyFixture fixture = BodyFixture.plain(4);
        fixture.body.rewrite(0, TestRewriters.TWICE.streaming(), true);
        fixture.body.check(1, new Throwing(Where.END, refusal()), true);
        fixture.body.release(fixture.sink);
        fixture.send("ab");
        fixture.send("cd");
        fixture.finish();
        assertThat(fixture.sink.length).isEqualTo(8);
        assertThat(fixture.sink.seen.size()).isLessThan(8);
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.REJECTED);
        fixture.assertNothingHeld();
    }
}
