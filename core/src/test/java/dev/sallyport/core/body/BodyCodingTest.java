package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 4, rule 10: content codings. */
class BodyCodingTest {
    private final byte[] gzip = BodyFixture.encode("gzip", TestRewriters.latin1("some text with a token"));

    @Test
    void anUnknownCodingFailsReadersAndWritersAndIsANoteForObservers() {
        RecordingObserver observer = new RecordingObserver();
        BodyFixture read = BodyFixture.coded("gzip, unheard-of");
        read.body.observe(1, observer, true);
        assertThat(read.read(2, Buffered.whole()).failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.UNSUPPORTED_CODING, 2);
        assertThat(observer.ends).isOne();
        assertThat(observer.complete).isFalse();
        assertThat(read.notes).singleElement().asString().startsWith("1: content coding");

        BodyFixture written = BodyFixture.coded("unheard-of");
        written.body.rewrite(3, TestRewriters.SWAP_SAME.streaming(), true);
        written.body.release(written.sink);
        assertThat(written.sink.failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.UNSUPPORTED_CODING, 3);
        assertThat(written.sink.begun()).isFalse();
    }

    @Test
    void severalHeaderLinesAreOneList() {
        byte[] twice = BodyFixture.encode("gzip, br", TestRewriters.latin1("text"));
        HeaderBlock head = new HeaderBlock();
        head.append("Content-Encoding", "gzip").append("content-encoding", "br");
        BodyFixture plain = BodyFixture.plain(-1);
        MessageBody body = new MessageBody(
                plain.allocator, plain.budget, BodyLimits.request(100), head, -1, bytes -> {}, (p, w) -> {});
        RecordingRead read = new RecordingRead();
        body.read(0, Buffered.whole(), read);
        body.data(plain.allocator.directBuffer().writeBytes(twice));
        body.end(new HeaderBlock());
        assertThat(TestRewriters.text(read.body.copy())).isEqualTo("text");
        body.discard();
    }

    @Test
    void observersSeeADecodedCopyAndTheBodyIsNeverCodedAnew() {
        RecordingObserver first = new RecordingObserver();
        RecordingObserver second = new RecordingObserver();
        RecordingObserver raw = new RecordingObserver();
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.observe(0, first, true);
        fixture.body.observe(1, second, true);
        fixture.body.observe(2, raw, false);
        fixture.body.release(fixture.sink);
        fixture.send(gzip);
        fixture.finish();
        assertThat(TestRewriters.text(first.seen.toByteArray())).isEqualTo("some text with a token");
        assertThat(second.seen.toByteArray()).isEqualTo(first.seen.toByteArray());
        assertThat(raw.seen.toByteArray()).isEqualTo(gzip);
        assertThat(fixture.sink.bytes()).isEqualTo(gzip);
        assertThat(fixture.body.altered()).isFalse();
    }

    @Test
    void aPureReaderLeavesTheBodyInItsCoding() {
        BodyFixture fixture = BodyFixture.coded("gzip");
        RecordingRead read = fixture.read(0, Buffered.prefix(4));
        fixture.send(gzip);
        assertThat(TestRewriters.text(read.body.copy())).isEqualTo("some");
        fixture.body.release(fixture.sink);
        fixture.finish();
        assertThat(fixture.sink.bytes()).isEqualTo(gzip);
    }

    @Test
    void aRawObserverBehindAnIdentityRewriterSeesWhatReallyLeaves() {
        RecordingObserver hash = new RecordingObserver();
        BodyFixture unchanged = BodyFixture.coded("gzip");
        unchanged.body.rewrite(0, TestRewriters.SWAP_LONGER.streaming(), true);
        unchanged.body.observe(1, hash, false);
        unchanged.body.release(unchanged.sink);
        unchanged.send(gzip);
        unchanged.finish();
        assertThat(hash.seen.toByteArray()).isEqualTo(gzip);
        assertThat(unchanged.sink.bytes()).isEqualTo(gzip);
    }

    @Test
    void aBrokenCodingFailsWhoDecidesAndSparesTheBody() {
        RecordingObserver observer = new RecordingObserver();
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.observe(0, observer, true);
        RecordingRead read = fixture.read(1, Buffered.whole());
        fixture.send("this is not gzip");
        assertThat(read.failure).extracting(BodyFailure::kind).isEqualTo(Kind.CORRUPT_CODING);
        assertThat(observer.complete).isFalse();
        fixture.body.release(fixture.sink);
        fixture.finish();
        assertThat(fixture.out()).isEqualTo("this is not gzip");
        fixture.assertNothingHeld();
    }

    @Test
    void aBrokenCodingFailsARewrittenMessage() {
        BodyFixture fixture = BodyFixture.coded("gzip");
        fixture.body.rewrite(5, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send(gzip, 0, gzip.length - 3);
        fixture.finish();
        assertThat(fixture.sink.failure)
                .extracting(BodyFailure::kind, BodyFailure::position)
                .containsExactly(Kind.CORRUPT_CODING, 5);
        assertThat(fixture.sink.begun()).isFalse();
        fixture.assertNothingHeld();
    }

    @Test
    void theExpansionIsCapped() {
        byte[] bomb = BodyFixture.encode("gzip", new byte[4 << 20]);
        BodyFixture fixture = new BodyFixture(new BodyLimits(100, 100, 20), -1, "gzip", "");
        fixture.body.rewrite(0, TestRewriters.SWAP_SAME.streaming(), true);
        fixture.body.release(fixture.sink);
        fixture.send(bomb);
        assertThat(fixture.sink.failure).extracting(BodyFailure::kind).isEqualTo(Kind.TOO_LARGE);
        fixture.assertNothingHeld();
    }

    @Test
    void codedBytesThatDecodeToNothingAreNotCollectedWithoutEnd() {
        byte[] empty = BodyFixture.encode("gzip", new byte[0]);
        BodyFixture fixture = new BodyFixture(BodyLimits.request(1000), -1, "gzip", "");
        RecordingRead read = fixture.read(0, Buffered.whole());
        for (int i = 0; i < 10_000 && !read.answered(); i++) {
            fixture.send(empty);
        }
        assertThat(read.failure).extracting(BodyFailure::kind).isEqualTo(Kind.TOO_LARGE);
        fixture.body.discard();
        fixture.assertNothingHeld();
    }
}
