package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares random bodies, cut into random chunks, with random stages and reads, to an evaluation of the whole body at
 * once.
 */
@Tag("differential")
class MessageBodyDifferentialTest {

    private static final int CASES = Integer.getInteger("sallyport.differential.cases", 4_000);
    private static final @Nullable String[] CODINGS = {null, null, null, "gzip", "deflate", "br", "zstd", "gzip, br"};

    @Test
    void streamsToTheSameBytesAsAnEvaluationOfTheWholeBody() {
        long base = Long.getLong("sallyport.seed", System.nanoTime());
        for (int i = 0; i < CASES; i++) {
            long seed = base + i;
            try {
                new Case(new Random(seed)).run();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed + " (-Dsallyport.seed=" + seed + ")", e);
            }
        }
    }

    /** One body on its way. */
    private static final class Case {

        private final Random random;
        private final @Nullable String coding;
        private final byte[] wire;
        private final boolean exactHold;
        private final BodyFixture fixture;
        private final List<Expectation> expectations = new ArrayList<>();

        /** The reference: the content behind the stages so far. */
        private byte[] content;

        /** Whether the wire bytes behind the stages so far are still those that came. */
        private boolean untouched = true;

        private boolean lengthKnown;
        private boolean rewritten;
        private boolean decoded;
        private int trailerEdits;
        private int sent;
        private boolean endSent;

        Case(Random random) {
            this.random = random;
            coding = CODINGS[random.nextInt(CODINGS.length)];
            content = content();
            wire = coding == null || (content.length == 0 && random.nextBoolean())
                    ? content
                    : BodyFixture.encode(coding, content);
            lengthKnown = random.nextBoolean();
            long hold = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(4000);
            boolean streamed = random.nextInt(6) == 0;
            exactHold = hold == Long.MAX_VALUE && !streamed;
            BodyLimits limits = new BodyLimits(Long.MAX_VALUE, hold, 2000);
            fixture = new BodyFixture(
                    limits, lengthKnown ? wire.length : -1, coding, streamed ? "text/event-stream; a=b" : "text/plain");
        }

        private byte[] content() {
            int length = random.nextInt(4) == 0 ? random.nextInt(20) : random.nextInt(6000);
            StringBuilder text = new StringBuilder();
            String[] words = {"token", "abc", "to", "ab", "x", "zzzzzzzzzzzzzzz", "\u00ff\u0000", "tok", "en"};
            int variety = 1 + random.nextInt(words.length);
            while (text.length() < length) {
                text.append(words[random.nextInt(variety)]);
            }
            return TestRewriters.latin1(text.substring(0, length));
        }

        void run() {
            int operations = random.nextInt(6);
            int doomed = random.nextInt(4) == 0 ? random.nextInt(12) : -1;
            for (int i = 0; i < operations; i++) {
                sendSome();
                if (doomed == i) {
                    giveUp();
                    return;
                }
                operate(i);
            }
            sendSome();
            fixture.sink.writable = random.nextBoolean();
            fixture.body.release(fixture.sink);
            int steps = 0;
            while (!endSent) {
                sendOne();
                if (doomed >= 6 && ++steps == doomed - 5) {
                    giveUp();
                    return;
                }
                if (random.nextBoolean()) {
                    fixture.sink.writable = random.nextBoolean();
                    fixture.body.writable();
                }
            }
            fixture.sink.writable = true;
            fixture.body.writable();
            verify();
        }

        private void sendSome() {
            for (int n = random.nextInt(4); n > 0; n--) {
                sendOne();
            }
        }

        private void sendOne() {
            if (sent < wire.length) {
                int most = random.nextInt(3) == 0 ? 10 : 2000;
                int length = Math.min(wire.length - sent, 1 + random.nextInt(most));
                sent += length;
                fixture.send(wire, sent - length, length);
            } else if (!endSent) {
                endSent = true;
                HeaderBlock trailers = new HeaderBlock();
                trailers.append("T", "0");
                fixture.body.end(trailers);
            }
        }

        private void operate(int position) {
            boolean identity = coding == null || random.nextInt(3) > 0;
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> rewrite(position, identity);
                case 3 -> observe(position, identity);
                case 4 -> check(position, identity);
                case 5, 6 -> read(position, identity);
                default -> {
                    trailerEdits++;
                    fixture.body.editTrailers(position, fields -> fields.append("T", Integer.toString(position)));
                }
            }
        }

        private void rewrite(int position, boolean identity) {
            TestRewriters[] all = TestRewriters.values();
            TestRewriters chosen = identity ? all[random.nextInt(all.length)] : TestRewriters.PASS;
            fixture.body.rewrite(position, chosen.streaming(), identity);
            rewritten = true;
            if (identity) {
                decoded = true;
                untouched &= !chosen.changes(content);
                content = chosen.whole(content);
            }
            lengthKnown &= !(identity && coding != null)
                    && chosen != TestRewriters.SWAP_LONGER
                    && chosen != TestRewriters.SWAP_ABSENT
                    && chosen != TestRewriters.APPEND;
        }

        private void observe(int position, boolean identity) {
            RecordingObserver observer = new RecordingObserver();
            fixture.body.observe(position, observer, identity);
            byte[] expected = content;
            boolean exact = untouched && exactHold;
            expectations.add(complete -> {
                assertThat(observer.ends)
                        .as("ends of the observer at %s", position)
                        .isOne();
                if (complete) {
                    assertThat(observer.complete).isTrue();
                    assertForm(observer.seen.toByteArray(), expected, identity, exact);
                }
            });
        }

        /** Changes nothing that is expected: neither bytes nor their length, nor whether they are the original ones. */
        private void check(int position, boolean identity) {
            RecordingCheck check = new RecordingCheck();
            fixture.body.check(position, check, identity);
            byte[] expected = content;
            boolean exact = untouched && exactHold;
            expectations.add(complete -> {
                assertThat(check.ends).as("ends of the check at %s", position).isBetween(complete ? 1 : 0, 1);
                if (complete) {
                    assertForm(check.seen.toByteArray(), expected, identity, exact);
                }
            });
        }

        private void read(int position, boolean identity) {
            long max = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(7000);
            boolean reject = random.nextInt(4) == 0;
            Buffered wanted = reject ? Buffered.whole(max) : Buffered.prefix(max);
            Buffered capped = identity ? wanted : wanted.raw();
            Buffered access = random.nextBoolean() ? capped.independentOfCap() : capped;
            RecordingRead read = fixture.read(position, access);
            while (!read.answered()) {
                assertThat(endSent)
                        .as("a read is answered by the end at the latest")
                        .isFalse();
                assertThat(fixture.credited).as("credit while a read waits").isEqualTo(fixture.given);
                sendOne();
            }
            boolean exact = identity || (untouched && exactHold);
            byte[] whole = identity ? content : wire;
            Body body = read.body;
            if (body == null) {
                assertThat(read.failure)
                        .extracting(BodyFailure::kind, BodyFailure::position)
                        .containsExactly(Kind.TOO_LARGE, position);
                assertThat(reject && (!exact || whole.length > max)).isTrue();
                return;
            }
            assertThat((long) body.length()).isLessThanOrEqualTo(max);
            if (exact) {
                assertThat(body.truncated()).isEqualTo(whole.length > max);
                assertThat(body.copy()).isEqualTo(Arrays.copyOf(whole, (int) Math.min(whole.length, max)));
            } else if (!body.truncated()) {
                assertForm(body.copy(), content, identity, false);
            }
            assertThat(body.trailers().all("T")).hasSize(body.truncated() ? 0 : 1 + trailerEdits);
            if (!body.truncated() && random.nextInt(3) == 0) {
                replace(identity);
            }
        }

        private void replace(boolean identity) {
            content = content();
            byte[] given = identity || coding == null ? content : BodyFixture.encode(coding, content);
            fixture.body.replace(given.clone());
            untouched = false;
            rewritten = true;
        }

        private void giveUp() {
            boolean begun = fixture.sink.begun();
            if (random.nextBoolean()) {
                fixture.body.abort();
                fixture.body.abort();
                if (begun && fixture.sink.trailers == null) {
                    assertThat(fixture.sink.failure)
                            .extracting(BodyFailure::kind)
                            .isEqualTo(Kind.ABORTED);
                }
            } else {
                fixture.body.discard();
                assertThat(fixture.sink.failure).isNull();
            }
            sendOne();
            expectations.forEach(expectation -> expectation.check(false));
            fixture.assertNothingHeld();
        }

        private void verify() {
            RecordingSink sink = fixture.sink;
            assertThat(sink.failure).isNull();
            assertThat(fixture.notes).isEmpty();
            byte[] out = sink.bytes();
            assertForm(out, content, false, untouched && exactHold);
            assertThat(sink.length).isIn(-1L, (long) out.length);
            if (lengthKnown || (exactHold && coding != null && decoded)) {
                assertThat(sink.length).as("exact length").isEqualTo(out.length);
            }
            if (!fixture.body.altered()) {
                assertThat(out).as("unaltered").isEqualTo(wire);
            }
            if (!rewritten || (untouched && exactHold && decoded && coding != null)) {
                assertThat(fixture.body.altered()).as("altered").isFalse();
            }
            assertThat(sink.trailers).isNotNull();
            assertThat(sink.trailers.all("T")).hasSize(1 + trailerEdits);
            expectations.forEach(expectation -> expectation.check(true));
            assertThat(fixture.body.done()).isTrue();
            fixture.assertNothingHeld();
        }

        private void assertForm(byte[] actual, byte[] expected, boolean identity, boolean exactWire) {
            if (identity || coding == null) {
                assertThat(actual).isEqualTo(expected);
            } else if (exactWire) {
                assertThat(actual).isEqualTo(wire);
            } else {
                assertThat(BodyFixture.decode(coding, actual)).isEqualTo(expected);
            }
        }
    }

    /** What must hold in the end. */
    private interface Expectation {
        void check(boolean complete);
    }
}
