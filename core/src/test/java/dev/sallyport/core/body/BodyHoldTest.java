package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A body is held for its exact length and its original bytes, but not while its sender pauses. */
class BodyHoldTest {

    private static final byte[] PIECE = "something ".getBytes(StandardCharsets.US_ASCII);

    private final ArrayDeque<Runnable> ticks = new ArrayDeque<>();

    private BodyFixture held(long declared, @Nullable String coding) {
        BodyFixture fixture = new BodyFixture(BodyLimits.response(1 << 20), declared, coding, "application/json");
        fixture.body.holdBriefly(ticks::add);
        fixture.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        fixture.body.release(fixture.sink);
        return fixture;
    }

    private void tick() {
        assertThat(ticks).hasSize(1);
        ticks.remove().run();
    }

    @Test
    void theHeadLeavesWhenNothingComes() {
        BodyFixture fixture = held(-1, "gzip");
        assertThat(fixture.sink.begun()).isFalse();

        tick();

        assertThat(fixture.sink.begun()).isTrue();
        assertThat(ticks).isEmpty();
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void whatHasComeLeavesDecodableWhenTheSenderPauses() throws IOException {
        BodyFixture fixture = held(-1, "gzip");
        byte[] coded = BodyFixture.encode("gzip", PIECE);
        fixture.send(coded, 0, coded.length - 8); // all but the trailer
        assertThat(fixture.sink.begun()).isFalse();

        tick();
        tick();

        assertThat(fixture.sink.begun()).isTrue();
        byte[] out = new byte[PIECE.length];
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(fixture.sink.bytes()))) {
            assertThat(in.readNBytes(out, 0, PIECE.length)).isEqualTo(PIECE.length);
        }
        assertThat(out).isEqualTo(PIECE);
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void aDeclaredLengthDoesNotHoldADripUp() {
        BodyFixture fixture = held(4, null);
        fixture.send(new byte[] {'x'});
        tick();
        tick();

        assertThat(fixture.sink.begun()).isTrue();
        assertThat(fixture.sink.bytes()).containsExactly('x');
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void aSenderThatNeverPausesHoldsItUpForAFewTicks() {
        BodyFixture fixture = held(1000, null);
        for (int i = 0; i < HoldTicks.MOST; i++) {
            assertThat(fixture.sink.begun()).isFalse();
            fixture.send(new byte[] {'x'});
            tick();
        }
        assertThat(fixture.sink.begun()).isTrue();
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void whatIsCompleteBeforeATickHasItsLengthAndItsBytes() {
        byte[] coded = BodyFixture.encode("gzip", PIECE);
        BodyFixture fixture = new BodyFixture(BodyLimits.response(1 << 20), -1, "gzip", "application/json");
        fixture.body.holdBriefly(ticks::add);
        fixture.body.rewrite(0, TestRewriters.PASS.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send(coded);
        fixture.finish();

        assertThat(fixture.sink.length).isEqualTo(coded.length);
        assertThat(fixture.sink.bytes()).isEqualTo(coded);
        tick();
        assertThat(ticks).isEmpty();
        fixture.assertNothingHeld();
    }
}
