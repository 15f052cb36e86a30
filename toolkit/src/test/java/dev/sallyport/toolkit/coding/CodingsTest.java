package dev.sallyport.toolkit.coding;

import static dev.sallyport.toolkit.coding.Coded.decode;
import static dev.sallyport.toolkit.coding.Coded.encode;
import static dev.sallyport.toolkit.coding.Coded.gzip;
import static dev.sallyport.toolkit.coding.Coded.into;
import static dev.sallyport.toolkit.coding.Coded.sample;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodingsTest {

    private static final DecodeLimits NO_LIMITS = new DecodeLimits(Long.MAX_VALUE, 0, Long.MAX_VALUE);
    private static final byte[] SAMPLE = sample(50_000, 7);

    @ParameterizedTest
    @ValueSource(
            strings = {"gzip", "x-gzip", "deflate", "br", "zstd", "gzip, br", "BR , gzip", "zstd,deflate,gzip", ""})
    void whatWasEncodedIsDecodedWhateverTheChunks(String header) {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("round trip of " + header + ": seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            // given
            byte[] plain = sample(random.nextInt(round % 4 == 0 ? 200_000 : 300), random.nextLong());
            // when
            byte[] coded = encode(Codings.parse(header), plain, random);
            byte[] decoded = decode(Codings.parse(header), coded, NO_LIMITS, random);
            // then
            assertThat(decoded).isEqualTo(plain);
        }
    }

    @Test
    void otherDecodersReadWhatIsEncoded() throws IOException {
        // given
        Random random = new Random(1);
        // when
        byte[] gzip = encode(Codings.parse("gzip"), SAMPLE, random);
        byte[] deflate = encode(Codings.parse("deflate"), SAMPLE, random);
        // then
        assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip)).readAllBytes())
                .isEqualTo(SAMPLE);
        assertThat(new InflaterInputStream(new ByteArrayInputStream(deflate)).readAllBytes())
                .isEqualTo(SAMPLE);
    }

    @Test
    void headerNamesAreReadInAnyCaseAndEmptyElementsAreSkipped() {
        assertThat(Codings.parse("GZip, ,x-gzip").list()).containsExactly(Coding.GZIP, Coding.GZIP);
        assertThat(Codings.parse("identity").isIdentity()).isTrue();
        assertThat(Codings.parse(null).isIdentity()).isTrue();
        assertThat(Codings.parse(" ").isIdentity()).isTrue();
    }

    @Test
    void anUnknownCodingIsSaidToBeUnknown() {
        assertThat(Codings.parse("compress").known()).isFalse();
        assertThat(Codings.parse("gzip, foo").known()).isFalse();
        assertThat(Codings.parse("gzip, foo").isIdentity()).isFalse();
        assertThatThrownBy(() -> Codings.parse("foo").encoder()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Codings.parse("foo").decoder(NO_LIMITS)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void moreThanFourCodingsAreUnknown() {
        assertThat(Codings.parse("gzip,gzip,gzip,gzip").known()).isTrue();
        assertThat(Codings.parse("gzip,gzip,gzip,gzip,gzip").known()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void afterAFlushEverythingWrittenCanBeDecoded(Coding coding) {
        Codings codings = Codings.parse(coding.token());
        try (Encoder encoder = codings.encoder();
                Decoder decoder = codings.decoder(NO_LIMITS)) {
            ByteArrayOutputStream seen = new ByteArrayOutputStream();
            for (int i = 0; i < 20; i++) {
                // given
                String event = "data: event number " + i + "\n\n";
                seen.reset();
                // when
                Output toDecoder = bytes -> decoder.write(bytes, into(seen));
                encoder.write(ByteBuffer.wrap(event.getBytes(UTF_8)), toDecoder);
                encoder.flush(toDecoder);
                // then
                assertThat(seen.toString(UTF_8)).isEqualTo(event);
            }
        }
    }

    /** Where a decoder's window is just full at the end, or at a flush, it has not seen the rest of its input yet. */
    @ParameterizedTest
    @EnumSource(Coding.class)
    void lengthsAtWhichAWindowIsJustFullAreDecodedToTheirEnd(Coding coding) {
        Codings codings = Codings.parse(coding.token());
        for (int log = 10; log <= 20; log++) {
            for (int more = -1; more <= 1; more++) {
                // given
                byte[] plain = sample((1 << log) + more, log);
                try (Encoder encoder = codings.encoder();
                        Decoder decoder = codings.decoder(NO_LIMITS)) {
                    ByteArrayOutputStream seen = new ByteArrayOutputStream();
                    Output toDecoder = bytes -> decoder.write(bytes, into(seen));
                    // when
                    encoder.write(ByteBuffer.wrap(plain), toDecoder);
                    encoder.flush(toDecoder);
                    // then
                    assertThat(seen.size()).as("flushed").isEqualTo(plain.length);
                    // when
                    encoder.write(ByteBuffer.wrap(plain), toDecoder);
                    encoder.end(toDecoder);
                    decoder.end(into(seen));
                    // then
                    assertThat(seen.size()).as("at the end").isEqualTo(2 * plain.length);
                }
                byte[] coded = encode(codings, plain, new Random(log));
                assertThat(decode(codings, coded, NO_LIMITS, new Random(log))).isEqualTo(plain);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void aFlushWithNothingHeldBackWritesNothing(Coding coding) {
        try (Encoder encoder = Codings.parse(coding.token()).encoder()) {
            // given
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            encoder.write(ByteBuffer.wrap(SAMPLE), into(out));
            encoder.flush(into(out));
            int length = out.size();
            // when
            encoder.flush(into(out));
            // then
            assertThat(out.size()).isEqualTo(length);
        }
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void everyTruncationIsNoticed(Coding coding) {
        // given
        Codings codings = Codings.parse(coding.token());
        byte[] coded = encode(codings, sample(300, 3), new Random(3));
        for (int length = 1; length < coded.length; length++) {
            byte[] cut = Arrays.copyOf(coded, length);
            // then
            assertThat(failure(codings, cut, NO_LIMITS).reason())
                    .as("cut to %d of %d", length, coded.length)
                    .isEqualTo(CodingException.Reason.TRUNCATED);
        }
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void anEmptyBodyDecodesToNothing(Coding coding) {
        assertThat(decode(Codings.parse(coding.token()), new byte[0], NO_LIMITS, new Random(1)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void trailingBytesAreNoticed(Coding coding) {
        // given
        Codings codings = Codings.parse(coding.token());
        byte[] coded = encode(codings, SAMPLE, new Random(4));
        byte[] longer = Arrays.copyOf(coded, coded.length + 3);
        // then: in one chunk, and byte by byte
        assertThat(failure(codings, longer, NO_LIMITS).reason())
                .isIn(CodingException.Reason.TRAILING_DATA, CodingException.Reason.CORRUPT);
        assertThatThrownBy(() -> decode(codings, longer, NO_LIMITS, null)).isInstanceOf(CodingException.class);
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void randomDamageNeverEndsInAnythingButACodingException(Coding coding) {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("damage to " + coding + ": seed " + seed);
        Random random = new Random(seed);
        Codings codings = Codings.parse(coding.token());
        byte[] plain = sample(2_000, 5);
        byte[] coded = encode(codings, plain, random);
        int noticed = 0;
        for (int i = 0; i < 500; i++) {
            byte[] damaged = coded.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
            try {
                decode(codings, damaged, new DecodeLimits(1000, 1 << 20, 1 << 24), random);
            } catch (CodingException e) {
                noticed++;
            }
        }
        assertThat(noticed).isPositive();
    }

    @Test
    void gzipDataThatDoesNotMatchItsChecksumIsCorrupt() {
        // given
        Codings gzip = Codings.parse("gzip");
        byte[] coded = encode(gzip, SAMPLE, new Random(6));
        byte[] wrongChecksum = coded.clone();
        wrongChecksum[coded.length - 5] ^= 1;
        byte[] wrongLength = coded.clone();
        wrongLength[coded.length - 1] ^= 1;
        // then
        assertThat(failure(gzip, wrongChecksum, NO_LIMITS)).hasMessage("gzip: wrong data checksum");
        assertThat(failure(gzip, wrongLength, NO_LIMITS)).hasMessage("gzip: wrong data length");
    }

    @Test
    void gzipMembersAreJoined() throws IOException {
        // given
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.write(gzip("one "));
        two.write(gzip(""));
        two.write(gzip("two"));
        // when
        byte[] decoded = decode(Codings.parse("gzip"), two.toByteArray(), NO_LIMITS, new Random(7));
        // then
        assertThat(decoded).asString(UTF_8).isEqualTo("one two");
    }

    @Test
    void allOptionalPartsOfAGzipHeaderAreSkipped() throws IOException {
        // given: FHCRC, FEXTRA, FNAME, FCOMMENT
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        coded.write(new byte[] {0x1f, (byte) 0x8b, 8, 2 + 4 + 8 + 16, 1, 2, 3, 4, 0, 3, 3, 0, 'x', 'y', 'z'});
        coded.write("name\0comment\0".getBytes(US_ASCII));
        CRC32 checksum = new CRC32();
        checksum.update(coded.toByteArray());
        coded.write((int) checksum.getValue() & 0xff);
        coded.write((int) checksum.getValue() >>> 8 & 0xff);
        byte[] plainMember = gzip("content");
        coded.write(plainMember, 10, plainMember.length - 10);
        byte[] bytes = coded.toByteArray();
        // then
        assertThat(decode(Codings.parse("gzip"), bytes, NO_LIMITS, null))
                .asString(UTF_8)
                .isEqualTo("content");
        bytes[12] ^= 1;
        assertThat(failure(Codings.parse("gzip"), bytes, NO_LIMITS)).hasMessage("gzip: wrong header checksum");
    }

    @Test
    void bareDeflateDataIsTolerated() {
        // given
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(SAMPLE);
        deflater.finish();
        byte[] coded = new byte[SAMPLE.length];
        coded = Arrays.copyOf(coded, deflater.deflate(coded));
        deflater.end();
        // then
        assertThat(decode(Codings.parse("deflate"), coded, NO_LIMITS, new Random(8)))
                .isEqualTo(SAMPLE);
        assertThat(decode(Codings.parse("deflate"), new byte[] {3, 0}, NO_LIMITS, null))
                .isEmpty();
    }

    @Test
    void zstdFramesAreJoinedAndSkippableOnesSkipped() throws IOException {
        // given
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        coded.write(Zstd.compress("one ".getBytes(UTF_8)));
        coded.write(new byte[] {0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5});
        coded.write(Zstd.compress("two".getBytes(UTF_8)));
        coded.write(new byte[] {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0});
        // then
        assertThat(decode(Codings.parse("zstd"), coded.toByteArray(), NO_LIMITS, new Random(9)))
                .asString(UTF_8)
                .isEqualTo("one two");
        assertThat(decode(Codings.parse("zstd"), coded.toByteArray(), NO_LIMITS, null))
                .asString(UTF_8)
                .isEqualTo("one two");
    }

    @Test
    void aZstdWindowBeyondEightMebibytesIsRefused() {
        // given
        ByteBuffer plain = ByteBuffer.allocateDirect(100).put(SAMPLE, 0, 100).flip();
        ByteBuffer coded = ByteBuffer.allocateDirect(1000);
        try (ZstdCompressCtx zstd = new ZstdCompressCtx()) {
            zstd.setLong(24);
            zstd.compressDirectByteBufferStream(coded, plain, EndDirective.FLUSH);
            zstd.compressDirectByteBufferStream(coded, plain, EndDirective.END);
        }
        byte[] bytes = new byte[coded.flip().remaining()];
        coded.get(bytes);
        // then
        CodingException failure = failure(Codings.parse("zstd"), bytes, NO_LIMITS);
        assertThat(failure.reason()).isEqualTo(CodingException.Reason.TOO_LARGE);
        assertThat(failure).hasMessage("zstd: window too large (expected: at most 8 MiB)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd", "gzip, gzip", "br, br", "zstd, zstd, zstd"})
    void aBombIsStoppedByTheRatio(String header) {
        // given
        Codings codings = Codings.parse(header);
        byte[] bomb = encode(codings, new byte[64 << 20], null);
        // when
        Counter counter = new Counter();
        CodingException failure = catchThrowableOfType(CodingException.class, () -> {
            try (Decoder decoder = codings.decoder(new DecodeLimits(100, 1 << 16, Long.MAX_VALUE))) {
                decoder.write(ByteBuffer.wrap(bomb), counter);
                decoder.end(counter);
            }
        });
        // then
        assertThat(failure.reason()).isEqualTo(CodingException.Reason.TOO_LARGE);
        assertThat(counter.count).isLessThanOrEqualTo((1 << 16) + 100L * bomb.length);
    }

    @Test
    void theAbsoluteLimitStopsWhatTheRatioAllows() {
        // given
        Codings gzip = Codings.parse("gzip");
        byte[] coded = encode(gzip, SAMPLE, new Random(10));
        // then
        assertThat(decode(gzip, coded, new DecodeLimits(1000, 0, SAMPLE.length), null))
                .isEqualTo(SAMPLE);
        assertThat(failure(gzip, coded, new DecodeLimits(1000, 0, SAMPLE.length - 1))
                        .reason())
                .isEqualTo(CodingException.Reason.TOO_LARGE);
    }

    @Test
    void aBombHiddenBehindAnInnerCodingThatYieldsNothingIsStopped() {
        // given: an outer gzip that expands to a thousand times as many empty gzip members
        byte[] member = encode(Codings.parse("gzip"), new byte[0], null);
        byte[] members = new byte[member.length * 500_000];
        for (int i = 0; i < 500_000; i++) {
            System.arraycopy(member, 0, members, i * member.length, member.length);
        }
        byte[] bomb = encode(Codings.parse("gzip"), members, null);
        // then
        assertThat(failure(Codings.parse("gzip, gzip"), bomb, new DecodeLimits(20, 1 << 16, Long.MAX_VALUE))
                        .reason())
                .isEqualTo(CodingException.Reason.TOO_LARGE);
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void closingTwiceIsHarmless(Coding coding) {
        Decoder decoder = Codings.parse(coding.token()).decoder(DecodeLimits.DEFAULT);
        Encoder encoder = Codings.parse(coding.token()).encoder();
        decoder.close();
        decoder.close();
        encoder.close();
        encoder.close();
        assertThat(decode(Codings.parse(coding.token()), new byte[0], NO_LIMITS, null))
                .isEmpty();
    }

    @Test
    void theRatioAllowsExactlyWhatItSays() {
        DecodeLimits limits = new DecodeLimits(3, 10, Long.MAX_VALUE);
        assertThat(limits.allow(0, 10)).isTrue();
        assertThat(limits.allow(0, 11)).isFalse();
        assertThat(limits.allow(2, 16)).isTrue();
        assertThat(limits.allow(2, 17)).isFalse();
        assertThat(decode(Codings.parse(null), SAMPLE, new DecodeLimits(1, 0, Long.MAX_VALUE), null))
                .isEqualTo(SAMPLE);
    }

    @Test
    void limitsThatAllowNothingAreRefused() {
        assertThatThrownBy(() -> new DecodeLimits(0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DecodeLimits(1, -1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    private static CodingException failure(Codings codings, byte[] coded, DecodeLimits limits) {
        CodingException failure =
                catchThrowableOfType(CodingException.class, () -> decode(codings, coded, limits, new Random(11)));
        assertThat(failure).isNotNull();
        return failure;
    }

    private static final class Counter implements Output {

        private long count;

        @Override
        public void write(ByteBuffer bytes) {
            count += bytes.remaining();
            bytes.position(bytes.limit());
        }
    }
}
