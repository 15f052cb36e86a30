package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Buffered;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** A few coded bytes become many: their decoding takes turns with the loop's other work. */
class BodyTurnsTest {

    /** Long enough that no machine decodes it in one turn. */
    private static final byte[] LONG = new byte[32 << 20];

    private static final BodyLimits LIMITS = new BodyLimits(100 << 20, 0, 10_000);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final BodyFixture fixture = new BodyFixture(LIMITS, -1, "gzip", "");

    BodyTurnsTest() {
        fixture.body.yieldTo(tasks::add);
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
    void aBodyWithoutACodingIsTakenAtOnce() {
        BodyFixture plain = new BodyFixture(LIMITS, -1, null, "");
        plain.body.yieldTo(tasks::add);
        plain.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
        plain.body.release(plain.sink);

        plain.send(LONG);
        plain.finish();

        assertThat(tasks).isEmpty();
        assertThat(plain.sink.bytes()).isEqualTo(LONG);
        plain.assertNothingHeld();
    }
}
