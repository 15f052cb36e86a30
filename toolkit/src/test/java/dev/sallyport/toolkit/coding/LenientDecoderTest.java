package dev.sallyport.toolkit.coding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What origins code badly (docs/spec/decisions.md, section 20), whole and byte by byte. */
class LenientDecoderTest {

    private static final byte[] TEXT = "what was coded, twice: what was coded".getBytes(UTF_8);

    private final List<Tolerance> tolerated = new ArrayList<>();

    private byte[] decode(String codings, byte[] coded, int piece) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Output output = bytes -> {
            byte[] taken = new byte[bytes.remaining()];
            bytes.get(taken);
            out.writeBytes(taken);
        };
        try (Decoder decoder = Codings.parse(codings).lenientDecoder(DecodeLimits.DEFAULT, tolerated::add)) {
            for (int at = 0; at < coded.length; at += piece) {
                decoder.write(ByteBuffer.wrap(coded, at, Math.min(piece, coded.length - at)), output);
            }
            decoder.end(output);
        }
        return out.toByteArray();
    }

    private static byte[] encode(String codings, byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Output output = bytes -> {
            byte[] taken = new byte[bytes.remaining()];
            bytes.get(taken);
            out.writeBytes(taken);
        };
        try (Encoder encoder = Codings.parse(codings).encoder()) {
            encoder.write(ByteBuffer.wrap(plain), output);
            encoder.end(output);
        }
        return out.toByteArray();
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @ParameterizedTest
    @CsvSource({
        "gzip, '\u0000\u0000\u0000\u0000'",
        "gzip, '\r\n'",
        "gzip, '\u001f rest'",
        "deflate, '\r\n'",
        "zstd, '\n'",
        "zstd, '\r\n'",
        "zstd, '\u0000\u0000\u0000'",
        "zstd, ' rest of it'"
    })
    void bytesBehindTheCodedDataAreDropped(String coding, String rest) {
        byte[] coded = joined(encode(coding, TEXT), rest.getBytes(UTF_8));

        assertThat(decode(coding, coded, coded.length)).isEqualTo(TEXT);
        assertThat(decode(coding, coded, 1)).isEqualTo(TEXT);
        assertThat(tolerated).containsExactly(Tolerance.REST, Tolerance.REST);
    }

    @ParameterizedTest
    @EnumSource(Coding.class)
    void whatBreaksOffIsDeliveredAsFarAsItGoes(Coding coding) {
        byte[] coded = encode(coding.token(), TEXT);
        for (int length = 2; length < coded.length; length++) {
            tolerated.clear();

            byte[] decoded = decode(coding.token(), Arrays.copyOf(coded, length), 3);

            assertThat(decoded).isEqualTo(Arrays.copyOf(TEXT, decoded.length));
            assertThat(tolerated).containsExactly(Tolerance.CUT);
        }
    }

    @Test
    void aMissingTrailerOfGzipCostsNothing() {
        byte[] coded = encode("gzip", TEXT);

        assertThat(decode("gzip", Arrays.copyOf(coded, coded.length - 8), 5)).isEqualTo(TEXT);
        assertThat(tolerated).containsExactly(Tolerance.CUT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"plain\": true}", "x", "\u001f", "\u001fx"})
    void whatIsOnlyCalledGzipIsTakenAsItIs(String plain) {
        byte[] content = plain.getBytes(UTF_8);

        assertThat(decode("gzip", content, content.length)).isEqualTo(content);
        assertThat(decode("gzip", content, 1)).isEqualTo(content);
        assertThat(tolerated).containsExactly(Tolerance.PLAIN, Tolerance.PLAIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br", "zstd", "deflate", "gzip, br"})
    void whatIsCodedWellIsNotNoted(String codings) {
        assertThat(decode(codings, encode(codings, TEXT), 1)).isEqualTo(TEXT);
        assertThat(decode(codings, new byte[0], 1)).isEmpty();
        assertThat(tolerated).isEmpty();
    }

    @Test
    void whatIsDamagedIsNotTolerated() {
        byte[] coded = encode("gzip", TEXT);
        coded[coded.length - 7]++;

        assertThatThrownBy(() -> decode("gzip", coded, 7))
                .isInstanceOfSatisfying(
                        CodingException.class, e -> assertThat(e.reason()).isEqualTo(CodingException.Reason.CORRUPT));
    }
}
