package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.Buffered;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rules 4 and 5: replacing, rewriting, checking, observing. */
class BodyStagesTest {
    @Test
    void aReaderSeesWhatTheEarlierRewritersLeftAndNotTheLaterOnes() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        RecordingRead read = fixture.read(1, Buffered.whole());
        fixture.send("1ab");
        fixture.send("c2");
        fixture.finish();
        fixture.body.rewrite(1, TestRewriters.APPEND.streaming(), true);
        fixture.body.release(fixture.sink);
        assertThat(TestRewriters.text(read.body.copy())).isEqualTo("1a-longer-value2");
        assertThat(fixture.out()).isEqualTo("1a-longer-value2-end");
        assertThat(fixture.sink.length).isEqualTo(fixture.out().length());
        assertThat(fixture.body.altered()).isTrue();
    }

    @Test
    void aCheckIsAppliedOnceAndStaysForTheRest() {
        BodyFixture fixture = BodyFixture.plain(-1);
        RecordingCheck check = new RecordingCheck();
        fixture.body.check(0, check, true);
        RecordingRead read = fixture.read(1, Buffered.prefix(1));
        fixture.send("ab");
        assertThat(check.text()).isEqualTo("ab");
        assertThat(read.body.length()).isOne();
        fixture.body.release(fixture.sink);
        fixture.send("cde");
        fixture.finish();
        assertThat(check.text()).isEqualTo("abcde");
        assertThat(check.ends).isOne();
        assertThat(fixture.out()).isEqualTo("abcde");
    }

    @Test
    void aRewriterIsAppliedOnceAndKeepsItsStateForTheRest() {
        List<Integer> sizes = new ArrayList<>();
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.rewrite(0, new Counting(sizes), true);
        fixture.read(1, Buffered.prefix(1));
        fixture.send("ab");
        fixture.read(2, Buffered.prefix(1));
        fixture.body.release(fixture.sink);
        fixture.send("cde");
        fixture.finish();
        assertThat(sizes).containsExactly(2, 3, -1);
        assertThat(fixture.out()).isEqualTo("abcde");
    }

    @Test
    void replacingNeedsACompleteRead() {
        BodyFixture fixture = BodyFixture.plain(-1);
        assertThatThrownBy(() -> fixture.body.replace(new byte[1])).isInstanceOf(IllegalStateException.class);
        fixture.read(0, Buffered.prefix(1));
        fixture.send("ab");
        assertThatThrownBy(() -> fixture.body.replace(new byte[1])).isInstanceOf(IllegalStateException.class);
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void aReplacementIsCodedAsTheMessageIs() {
        BodyFixture fixture = BodyFixture.coded("br");
        fixture.read(0, Buffered.whole());
        fixture.send(BodyFixture.encode("br", TestRewriters.latin1("old")));
        fixture.finish();
        fixture.body.replace(TestRewriters.latin1("new"));
        fixture.body.release(fixture.sink);
        assertThat(BodyFixture.decode("br", fixture.sink.bytes())).isEqualTo(TestRewriters.latin1("new"));
        assertThat(fixture.sink.length).isEqualTo(fixture.sink.bytes().length);
        assertThat(fixture.body.altered()).isTrue();
        fixture.assertNothingHeld();
    }

    @Test
    void aReplacementByNothingIsWellFormedInItsCoding() {
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.read(0, Buffered.whole());
        fixture.send(BodyFixture.encode("gzip", TestRewriters.latin1("old")));
        fixture.finish();
        fixture.body.replace(new byte[0]);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.bytes()).isEqualTo(BodyFixture.encode("gzip", new byte[0]));
    }

    @Test
    void aReplacementOfAnEmptyBodyIsCodedTooBecauseTheHeadSaysSo() {
        BodyFixture fixture = BodyFixture.limited(100, 0, "gzip");
        fixture.read(0, Buffered.whole());
        fixture.finish();
        fixture.body.replace(TestRewriters.latin1("new"));
        fixture.body.release(fixture.sink);
        assertThat(BodyFixture.decode("gzip", fixture.sink.bytes())).isEqualTo(TestRewriters.latin1("new"));
    }

    @Test
    void anObserverHoldsNothingUp() {
        RecordingObserver observer = new RecordingObserver();
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.observe(0, observer, true);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.length).isEqualTo(-1);
        fixture.send("ping");
        assertThat(fixture.out()).isEqualTo("ping");
        assertThat(TestRewriters.text(observer.seen.toByteArray())).isEqualTo("ping");
        assertThat(fixture.credited).isEqualTo(4);
    }

    @Test
    void nothingIsDecodedForAnObserverThatHasSeenEnough() {
        RecordingObserver observer = new RecordingObserver() {
            @Override
            public boolean satisfied() {
                return seen.size() >= 3;
            }
        };
        BodyFixture fixture = BodyFixture.coded("gzip");
        byte[] coded = BodyFixture.encode("gzip", new byte[10]);
        fixture.body.observe(0, observer, true);
        fixture.body.release(fixture.sink);
        for (byte b : coded) {
            fixture.send(new byte[] {b});
        }
        fixture.send("what is no gzip");
        fixture.finish();

        assertThat(observer.seen.size()).isBetween(3, 9);
        assertThat(observer.complete).isTrue();
        assertThat(observer.ends).isEqualTo(1);
        assertThat(fixture.notes).isEmpty();
        assertThat(fixture.sink.bytes()).startsWith(coded);
        fixture.assertNothingHeld();
    }

    @Test
    void anObserverHearsWhyItSeesNoMore() {
        StringBuilder why = new StringBuilder();
        RecordingObserver observer = new RecordingObserver() {
            @Override
            public void withheld(String reason) {
                assertThat(ends).isZero();
                why.append(reason);
            }
        };
        BodyFixture fixture = BodyFixture.coded("unheard-of");
        fixture.body.observe(0, observer, true);
        fixture.body.release(fixture.sink);
        fixture.send("bytes");
        fixture.finish();

        assertThat(why).hasToString("content coding: not known (expected: gzip, deflate, br or zstd)");
        assertThat(observer.ends).isEqualTo(1);
        assertThat(observer.complete).isFalse();
        assertThat(fixture.out()).isEqualTo("bytes");
    }

    @Test
    void onlyRewritersWantAllOfTheBody() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.observe(0, new RecordingObserver(), true);
        fixture.body.check(0, new RecordingCheck(), true);
        fixture.body.editTrailers(1, fields -> {});
        assertThat(fixture.body.rewritten()).isFalse();

        fixture.body.rewrite(2, new Forwarding(), true);
        assertThat(fixture.body.rewritten()).isTrue();
    }
}
