package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.loop.Turns;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.OptionalLong;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** A few coded bytes become many, and stages take their time: the work takes turns with what else a loop has to do. */
class BodyTurnsTest {

    /** Long enough for many turns. */
    private static final byte[] LONG = new byte[32 << 20];

    /** Beyond the bytes of a turn, as much as is passed on at once. */
    private static final int STEP = 16 << 10;

    private static final BodyLimits LIMITS = new BodyLimits(100 << 20, 0, 10_000);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /** Stands still: turns end by the bytes that they made. */
    private final Turns turns = new Turns(tasks::add, () -> 0);

    private final BodyFixture fixture = new BodyFixture(LIMITS, -1, "gzip", "");

    BodyTurnsTest() {
        fixture.body.takeTurns(turns, "client");
        fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
    }

    private static byte[] unpacked(byte[] coded) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(coded))) {
            return in.readAllBytes();
        }
    }

    private void release() {
        fixture.body.release(fixture.sink);
    }

    @Test
    void aBodyThatExpandsIsDecodedInTurns() throws IOException {
        release();
        fixture.send(BodyFixture.encode("gzip", LONG));
        fixture.finish();

        // Only a part, and the sender waits.
        assertThat(tasks).hasSize(1);
        assertThat(fixture.credited).isLessThan(fixture.given);
        assertThat(fixture.sink.trailers).isNull();

        int turns = 0;
        while (!tasks.isEmpty()) {
            tasks.remove().run();
            turns++;
        }
        assertThat(turns).isGreaterThan(1);
        assertThat(fixture.sink.trailers).isNotNull();
        assertThat(unpacked(fixture.sink.bytes())).isEqualTo(LONG);
        fixture.assertNothingHeld();
    }

    @Test
    void aBodyThatIsGivenUpBetweenTurnsLeavesNothing() {
        release();
        fixture.send(BodyFixture.encode("gzip", LONG));

        fixture.body.discard();
        tasks.forEach(Runnable::run);

        fixture.assertNothingHeld();
    }

    @Test
    void aBodyThatIsAbortedBetweenTurnsFails() {
        release();
        fixture.send(BodyFixture.encode("gzip", LONG));

        fixture.body.abort();
        tasks.forEach(Runnable::run);

        assertThat(fixture.sink.failure).isEqualTo(BodyFailure.aborted());
        fixture.assertNothingHeld();
    }

    @Test
    void aReaderGetsAllOfABodyThatIsDecodedInTurns() {
        RecordingRead read = fixture.read(1, Buffered.whole());
        fixture.send(BodyFixture.encode("gzip", LONG));
        fixture.finish();
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }

        assertThat(read.body.length()).isEqualTo(LONG.length);
        fixture.body.discard();
        fixture.assertNothingHeld();
    }

    @Test
    void noTurnOfADecodedBodyShowsAStageMoreThanItsBytes() throws IOException {
        BodyFixture coded = new BodyFixture(LIMITS, -1, "gzip", "");
        assertInTurns(coded, BodyFixture.encode("gzip", LONG));

        assertThat(unpacked(coded.sink.bytes())).isEqualTo(LONG);
    }

    @Test
    void noTurnOfAPlainBodyShowsAStageMoreThanItsBytes() {
        BodyFixture plain = new BodyFixture(LIMITS, -1, null, "");
        assertInTurns(plain, LONG);

        assertThat(plain.sink.bytes()).isEqualTo(LONG);
    }

    @Test
    void noTurnShowsAStageMoreThanItsBytesOfWhatWasHeldForAnother() {
        BodyFixture plain = new BodyFixture(new BodyLimits(100 << 20, 100 << 20, 10_000), -1, null, "");
        RecordingRead read = plain.read(0, Buffered.whole());
        plain.send(LONG);
        plain.finish();
        assertThat(read.body.length()).isEqualTo(LONG.length);
        assertInTurns(plain, new byte[0]);

        assertThat(plain.sink.bytes()).isEqualTo(LONG);
    }

    private void assertInTurns(BodyFixture of, byte[] wire) {
        Counting counting = new Counting();
        of.body.takeTurns(turns, "client");
        of.body.rewrite(1, counting, true);
        of.body.release(of.sink);
        if (wire.length > 0) {
            of.send(wire);
            of.finish();
        }

        int taken = 0;
        do {
            assertThat(counting.bytes).isLessThanOrEqualTo(Turns.MAX_BYTES + STEP);
            counting.bytes = 0;
            taken++;
            Runnable next = tasks.poll();
            if (next != null) {
                next.run();
            }
        } while (!tasks.isEmpty() || counting.bytes > 0);
        assertThat(taken).isGreaterThan(LONG.length / Turns.MAX_BYTES);
        assertThat(of.sink.trailers).isNotNull();
        of.assertNothingHeld();
    }

    @Test
    void aReceiverThatTakesNothingHoldsTheDecodingUp() throws IOException {
        fixture.body.release(fixture.sink);
        fixture.sink.writable = false;
        fixture.send(BodyFixture.encode("gzip", noise()));
        fixture.finish();
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        assertThat(fixture.budget.used()).isLessThan(noise().length / 2);

        fixture.sink.writable = true;
        fixture.body.writable();
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        assertThat(unpacked(fixture.sink.bytes())).isEqualTo(noise());
        fixture.assertNothingHeld();
    }

    /** What no coding makes shorter. */
    private static byte[] noise() {
        byte[] noise = new byte[4 << 20];
        new Random(7).nextBytes(noise);
        return noise;
    }

    /** Changes nothing, and counts. */
    private static final class Counting implements BodyRewriter {

        private long bytes;

        @Override
        public OptionalLong length(OptionalLong in) {
            return in;
        }

        @Override
        public void write(ByteBuffer in, Sink out) {
            bytes += in.remaining();
            out.forward(in.position(), in.remaining());
            in.position(in.limit());
        }

        @Override
        public void end(Sink out) {}
    }
}
