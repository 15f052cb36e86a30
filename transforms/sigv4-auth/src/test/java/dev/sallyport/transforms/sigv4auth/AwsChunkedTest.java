package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_SIGNATURE;
import static dev.sallyport.transforms.sigv4auth.Workload.accepted;
import static dev.sallyport.transforms.sigv4auth.Workload.harness;
import static dev.sallyport.transforms.sigv4auth.Workload.signed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contents that are framed in chunks: decoded, signed again and framed as they were, while they stream. */
class AwsChunkedTest {

    private static final String URL = "https://bucket.s3.eu-west-1.amazonaws.com/key";
    private static final String PAYLOAD = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    private static final String TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
    private static final String UNSIGNED = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    private static final String CHECKSUM = "x-amz-checksum-crc32c:wdBDMA==\r\n";
    private static final String SIGNATURE = "x-amz-trailer-signature:" + FAKE_SIGNATURE + "\r\n";

    private static TestRequest put(String form, byte[] framed, long decoded) {
        return signed(TestRequest.of("PUT", URL).body(framed), "s3", form)
                .header("Content-Encoding", "aws-chunked")
                .header("x-amz-decoded-content-length", "" + decoded);
    }

    private static byte[] framed(String form, byte[] content, int most, Random random) {
        Chunks chunks = new Chunks(!form.equals(UNSIGNED)).chunks(content, most, random);
        String trailer = switch (form) {
            case TRAILER -> CHECKSUM + SIGNATURE;
            case UNSIGNED -> CHECKSUM;
            default -> "";
        };
        return chunks.text(trailer + "\r\n").bytes();
    }

    @ParameterizedTest
    @ValueSource(strings = {PAYLOAD, TRAILER, UNSIGNED})
    void everyChunkIsSignedAgainHoweverTheBytesAreCut(String form) {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (TransformHarness harness = harness(true).maxRequestBody(5000).start()) {
            for (int round = 0; round < 60; round++) {
                byte[] content = new byte[random.nextInt(20_000)];
                random.nextBytes(content);
                byte[] framed = framed(form, content, 1 + random.nextInt(5000), random);

                ExchangeResult result = harness.send(
                        put(form, framed, content.length).inPieces(1 + random.nextInt(round % 2 == 0 ? 40 : 4000)));

                assertThat(Workload.verifier(harness.time().clock(), true).verify(result.sent()))
                        .as("seed %s, round %s", seed, round)
                        .isEqualTo(content);
                assertThat(result)
                        .hasForwardedHeader("Content-Length", "" + framed.length)
                        .hasForwardedHeader("x-amz-decoded-content-length", "" + content.length)
                        .hasForwardedHeader("Content-Encoding", "aws-chunked");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {PAYLOAD, TRAILER, UNSIGNED})
    void lengthOfTheMessageNeedNotBeDeclared(String form) {
        byte[] framed = framed(form, "some content".getBytes(StandardCharsets.UTF_8), 5, new Random(1));
        try (TransformHarness harness = harness(false).start()) {
            TestRequest request = signed(
                            TestRequest.of("PUT", URL).chunks(new String(framed, StandardCharsets.ISO_8859_1)),
                            "s3",
                            form)
                    .header("x-amz-decoded-content-length", "12");
            assertThat(accepted(harness, request, false)).asString().isEqualTo("some content");
        }
    }

    @Test
    void sizeIsWrittenAsTheClientWroteItAndSeveralFieldsMayTrail() {
        byte[] framed = new Chunks(true)
                .text("00A;chunk-signature=" + FAKE_SIGNATURE.toUpperCase(java.util.Locale.ROOT) + "\r\n0123456789\r\n")
                .chunk("")
                .text("X-Amz-Checksum-Crc32: abc= \r\nx-other:1\r\n" + "x-amz-trailer-signature: " + FAKE_SIGNATURE
                        + "\r\n\r\n")
                .bytes();
        try (TransformHarness harness = harness(false).start()) {
            ExchangeResult result = harness.send(put(TRAILER, framed, 10));
            Workload.verifier(harness.time().clock(), false).verify(result.sent());
            assertThat(result.sent().body()).startsWith("00A;").contains("X-Amz-Checksum-Crc32: abc= \r\n");
            assertThat(result.sent().content()).hasSameSizeAs(framed);
        }
    }

    @Test
    void digestInTheHeadIsLeftOutOfTheSignatureWhereTheContentChanges() {
        byte[] framed = framed(PAYLOAD, new byte[2000], 1000, new Random(1));
        try (TransformHarness harness = harness(false).start()) {
            TestRequest request = TestRequest.of("PUT", URL)
                    .body(framed)
                    .header("Content-MD5", "c2lnbmVk")
                    .header("X-Amz-Date", Workload.NOW)
                    .header("x-amz-content-sha256", PAYLOAD)
                    .header("x-amz-decoded-content-length", "2000")
                    .header("Authorization", Workload.authorization("s3", "content-md5;host;x-amz-date"));
            assertThat(accepted(harness, request.inPieces(100), false)).hasSize(2000);
            assertThat(accepted(harness, request, false)).hasSize(2000);
        }
    }

    /** Every damage to the framing, and every cut: the upstream never gets a complete message. */
    @ParameterizedTest
    @ValueSource(strings = {PAYLOAD, TRAILER, UNSIGNED})
    void contentThatBreaksOffIsNotCompleted(String form) {
        byte[] framed = framed(form, "some content".getBytes(StandardCharsets.UTF_8), 5, new Random(1));
        try (TransformHarness harness = harness(false).start()) {
            for (int length = 1; length < framed.length; length += length < framed.length - 40 ? 13 : 1) {
                TestRequest request = put(form, Arrays.copyOf(framed, length), 12);
                for (TestRequest sent : List.of(request, request.inPieces(7))) {
                    ExchangeResult result = harness.send(sent);
                    assertThat(result.forwarded() != null && result.forwarded().complete())
                            .as("%s bytes of %s", length, framed.length)
                            .isFalse();
                    assertThat(result).isRefused(400, "malformed_payload");
                    assertThat(result.body()).contains("\"rule\":\"transforms[0].rules[0]\"");
                    if (result.forwarded() != null) {
                        assertThat(result.forwarded().content().length).isLessThan(length);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PAYLOAD | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]more",
                "PAYLOAD | 4[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | 4;chunk-signature=abc[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | 4;x=y;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | 3;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | 4;chunk-signature=@[LF]data[LF]0;chunk-signature=@[LF][LF]",
                "PAYLOAD | x;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | -4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | ffffffffffffffff4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF]x:y[CR][LF][CR][LF]",
                "PAYLOAD | 3;chunk-signature=@[CR][LF]dat[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | 5;chunk-signature=@[CR][LF]data![CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "PAYLOAD | ff;chunk-signature=@[CR][LF]data",
                "TRAILER | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF]x:y[CR][LF][CR][LF]",
                "TRAILER | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF]x-amz-trailer-signature:@[CR][LF]x:y[CR][LF][CR][LF]",
                "TRAILER | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF]x-amz-trailer-signature:no[CR][LF][CR][LF]",
                "TRAILER | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF]no field[CR][LF][CR][LF]",
                "UNSIGNED | 4;chunk-signature=@[CR][LF]data[CR][LF]0;chunk-signature=@[CR][LF][CR][LF]",
                "UNSIGNED | 3[CR][LF]dat[CR][LF]0[CR][LF][CR][LF]",
                "UNSIGNED | 4[CR][LF]data[CR][LF]0[CR][LF]no field[CR][LF][CR][LF]"
            })
    void malformedFramingIsNotPassedOn(String form, String text) {
        String body = text.replace("@", FAKE_SIGNATURE).replace("[CR]", "\r").replace("[LF]", "\n");
        String marker = switch (form) {
            case "PAYLOAD" -> PAYLOAD;
            case "TRAILER" -> TRAILER;
            default -> UNSIGNED;
        };
        try (TransformHarness harness = harness(false).maxRequestBody(200).start()) {
            ExchangeResult result = harness.send(put(marker, body.getBytes(StandardCharsets.ISO_8859_1), 4));
            assertThat(result.forwarded() != null && result.forwarded().complete())
                    .isFalse();
            assertThat(result).isRefused(400, "malformed_payload");
        }
    }

    @Test
    void chunkThatIsLongerThanMayBeHeldIsNotPassedOn() {
        byte[] content = new byte[201];
        try (TransformHarness harness = harness(false).maxRequestBody(200).start()) {
            byte[] fits =
                    new Chunks(true).chunk(new byte[200]).chunk("").text("\r\n").bytes();
            byte[] long_ =
                    new Chunks(true).chunk(content).chunk("").text("\r\n").bytes();
            assertThat(harness.send(put(PAYLOAD, fits, 200))).isForwarded();
            assertThat(harness.send(put(PAYLOAD, long_, 201))).isRefused(400, "malformed_payload");
            byte[] unsigned =
                    new Chunks(false).chunk(content).chunk("").text("\r\n").bytes();
            assertThat(harness.send(put(UNSIGNED, unsigned, 201))).isForwarded();
        }
    }

    @Test
    void chunksFollowTheSignatureOfAPresignedUrl() {
        byte[] framed = framed(PAYLOAD, new byte[300], 100, new Random(1));
        try (TransformHarness harness = harness(true).start()) {
            List<byte[]> contents = new ArrayList<>();
            TestRequest request = TestRequest.of("PUT", Workload.presigned(URL, "s3"))
                    .body(framed)
                    .header("x-amz-content-sha256", PAYLOAD)
                    .header("x-amz-decoded-content-length", "300");
            contents.add(accepted(harness, request, true));
            assertThat(contents.getFirst()).hasSize(300);
        }
    }
}
