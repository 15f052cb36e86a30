package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rule 7: lengths and original bytes. */
class BodyLengthTest {
    @Test
    void aPromisedLengthIsKept() {
        BodyFixture fixture = BodyFixture.plain(10);
        fixture.body.rewrite(0, TestRewriters.TWICE.streaming(), true);
        fixture.body.rewrite(1, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.length).as("before the first byte").isEqualTo(20);
    }

    @Test
    void withinTheCapAnUnknownLengthWaitsForTheEnd() {
        BodyFixture fixture = BodyFixture.limited(16, 5, null);
        fixture.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send("xabcx");
        assertThat(fixture.sink.begun()).isFalse();
        assertThat(fixture.credited).as("the rest is welcome").isEqualTo(5);
        fixture.finish();
        assertThat(fixture.sink.length).isEqualTo(16);
        assertThat(fixture.out()).isEqualTo("xa-longer-valuex");
    }

    @Test
    void beyondTheCapItFlowsWithoutALength() {
        BodyFixture fixture = BodyFixture.limited(4, 5, null);
        fixture.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.length).isEqualTo(-1);
    }

    @Test
    void anUncodedBodyOfUndeclaredLengthStreamsAtOnce() {
        BodyFixture fixture = BodyFixture.plain(-1);
        fixture.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.length).isEqualTo(-1);
        fixture.send("abcd");
        assertThat(fixture.out()).isEqualTo("a-longer-valued");
    }

    @Test
    void aCodedBodyInWhichNothingWasFoundGoesOnInItsOriginalBytes() {
        byte[] coded = BodyFixture.encode("gzip", TestRewriters.latin1("nothing here"));
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send(coded);
        fixture.finish();
        assertThat(fixture.sink.bytes()).isEqualTo(coded);
        assertThat(fixture.sink.length).isEqualTo(coded.length);
        assertThat(fixture.body.altered()).isFalse();
        fixture.assertNothingHeld();
    }

    @Test
    void aCodedBodyBeyondTheCapIsCodedAnewAsItFlows() {
        byte[] plain = TestRewriters.latin1("abc token ".repeat(2000));
        byte[] coded = BodyFixture.encode("gzip", plain);
        BodyFixture fixture = BodyFixture.limited(10_000, coded.length, "gzip");
        fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send(coded, 0, coded.length - 1);
        assertThat(fixture.sink.length).isEqualTo(-1);
        assertThat(fixture.budget.used()).isZero();
        fixture.send(coded, coded.length - 1, 1);
        fixture.finish();
        assertThat(TestRewriters.text(BodyFixture.decode("gzip", fixture.sink.bytes())))
                .isEqualTo("abc VALUE ".repeat(2000));
        assertThat(fixture.body.altered()).isTrue();
    }

    @Test
    void aFullBudgetMakesItFlowInsteadOfWaiting() {
        BodyFixture fixture = new BodyFixture(new BodyBudget(3), BodyLimits.request(100), 5, null, "");
        fixture.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send("xxxxxx");
        assertThat(fixture.sink.length).isEqualTo(-1);
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("xxxxxx");
        fixture.assertNothingHeld();
    }

    @Test
    void aCodedEventStreamIsRewrittenEventByEvent() {
        byte[] first = BodyFixture.encode("gzip", TestRewriters.latin1("data: token 1\n\n"));
        byte[] second = BodyFixture.encode("gzip", TestRewriters.latin1("data: token 2\n\n"));
        BodyFixture fixture = new BodyFixture(BodyLimits.response(1 << 20), -1, "gzip", "Text/Event-Stream");
        fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        assertThat(fixture.sink.length).isEqualTo(-1);
        fixture.send(first);
        int afterFirst = fixture.sink.bytes().length;
        assertThat(afterFirst).as("flushed with its chunk").isGreaterThan(10);
        fixture.send(second);
        fixture.finish();
        assertThat(TestRewriters.text(BodyFixture.decode("gzip", fixture.sink.bytes())))
                .isEqualTo("data: VALUE 1\n\ndata: VALUE 2\n\n");
    }

    @Test
    void anEmptyCodedBodyStaysEmpty() {
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.finish();
        assertThat(fixture.sink.length).isZero();
        assertThat(fixture.body.altered()).isFalse();
    }

    @Test
    void aBodyIsUnalteredWhereItIsOnlyChecked() {
        BodyFixture fixture = BodyFixture.plain(4);
        fixture.body.check(0, new RecordingCheck(), false);
        fixture.body.check(1, new RecordingCheck(), true);
        fixture.body.release(fixture.sink);
        assertThat(fixture.body.altered()).as("before the end").isFalse();
        fixture.send("abcd");
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("abcd");

        BodyFixture other = BodyFixture.plain(4);
        other.body.check(0, new RecordingCheck(), false);
        other.body.rewrite(1, TestRewriters.PASS.streaming(), false);
        other.body.release(other.sink);
        assertThat(other.body.altered()).as("before the end").isTrue();
    }
}
