package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import org.junit.jupiter.api.Test;

/** Whoever is called may call back at once. */
class BodyReentranceTest {
    @Test
    void theNextTransformMayReadAndReleaseInsideTheAnswer() {
        BodyFixture fixture = BodyFixture.plain(-1);
        RecordingRead second = new RecordingRead();
        second.then = () -> fixture.body.release(fixture.sink);
        RecordingRead first = new RecordingRead();
        first.then = () -> {
            fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
            fixture.body.read(1, Buffered.prefix(100), second);
        };
        fixture.body.read(0, Buffered.prefix(3), first);
        fixture.send("a token");
        fixture.finish();
        assertThat(TestRewriters.text(second.body.copy())).isEqualTo("a VALUE");
        assertThat(fixture.out()).isEqualTo("a VALUE");
        fixture.assertNothingHeld();
    }

    @Test
    void aSinkMayGiveUpInsideAnyCall() {
        for (boolean atBegin : new boolean[] {true, false}) {
            byte[] coded = BodyFixture.encode("gzip", new byte[100_000]);
            BodyFixture fixture = new BodyFixture(new BodyLimits(100, 100, 250), -1, "gzip", "");
            fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
            if (atBegin) {
                fixture.sink.onBegin = fixture.body::discard;
            } else {
                fixture.sink.onData = fixture.body::abort;
            }
            fixture.body.release(fixture.sink);
            fixture.send(coded);
            fixture.finish();
            assertThat(fixture.sink.trailers).isNull();
            fixture.assertNothingHeld();
        }
    }

    @Test
    void aSenderMayAnswerCreditWithDataAtOnce() {
        int[] rest = {50};
        HeaderBlock head = new HeaderBlock();
        BodyFixture outer = BodyFixture.plain(-1);
        MessageBody[] body = new MessageBody[1];
        long[] credited = {0};
        body[0] = new MessageBody(
                outer.allocator,
                outer.budget,
                BodyLimits.request(1000),
                head,
                -1,
                bytes -> {
                    credited[0] += bytes;
                    if (rest[0]-- > 0) {
                        body[0].data(outer.allocator.directBuffer().writeByte('0' + rest[0] % 10));
                    } else {
                        body[0].end(new HeaderBlock());
                    }
                },
                (p, w) -> {});
        body[0].rewrite(0, TestRewriters.PASS.streaming(), true);
        body[0].release(outer.sink);
        body[0].data(outer.allocator.directBuffer().writeByte('x'));
        assertThat(TestRewriters.text(outer.sink.bytes())).hasSize(51).startsWith("x987");
        assertThat(credited[0]).isEqualTo(51);
        assertThat(outer.sink.trailers).isNotNull();
    }
}
