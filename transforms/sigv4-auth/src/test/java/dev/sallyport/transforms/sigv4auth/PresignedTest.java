package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_ID;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_TOKEN;
import static dev.sallyport.transforms.sigv4auth.Workload.KEY_ID;
import static dev.sallyport.transforms.sigv4auth.Workload.NOW;
import static dev.sallyport.transforms.sigv4auth.Workload.TOKEN;
import static dev.sallyport.transforms.sigv4auth.Workload.accepted;
import static dev.sallyport.transforms.sigv4auth.Workload.harness;
import static dev.sallyport.transforms.sigv4auth.Workload.presigned;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Presigned URLs: docs/spec/proxy-config.md, section "sigv4_auth"; docs/spec/decisions.md, section 7. */
class PresignedTest {

    private static final String S3 = "https://bucket.s3.eu-west-1.amazonaws.com/a%20key/b+c?versions&prefix=x%2Fy";
    private static final String SQS = "https://sqs.eu-west-1.amazonaws.com/123/queue?b=2&a=1";

    private static String hash(String text) {
        return Verifier.hex(Verifier.sha256(text.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource({"false, s3", "true, s3", "false, sqs", "true, sqs"})
    void presignedUrlKeepsDateAndExpiry(boolean token, String service) {
        try (TransformHarness harness = harness(token).start()) {
            harness.time().advance(Duration.ofMinutes(14));
            String url = presigned(service.equals("s3") ? S3 : SQS, service) + "&X-Amz-Security-Token=" + FAKE_TOKEN
                    + "&z=%7e";
            ExchangeResult result = harness.send(TestRequest.get(url).header("X-Amz-Meta-Unsigned", "x"));

            Workload.verifier(harness.time().clock(), token).verify(result.sent());
            assertThat(result.sent().target())
                    .contains("X-Amz-Date=" + NOW + "&X-Amz-Expires=900&", "&z=%7e")
                    .startsWith(service.equals("s3") ? "/a%20key/b+c?versions&prefix=x%2Fy&" : "/123/queue?b=2&a=1&")
                    .doesNotContain(FAKE_ID, FAKE_TOKEN, Workload.FAKE_SIGNATURE);
            assertThat(result)
                    .hasAnnotation(
                            "sigv4_auth",
                            "injected",
                            token
                                    ? List.of("query:X-Amz-Credential", "query:X-Amz-Security-Token")
                                    : List.of("query:X-Amz-Credential"))
                    .doesNotShow(KEY_ID)
                    .doesNotShow(TOKEN);
        }
    }

    @Test
    void presignedUploadIsUnsignedUnlessTheHashIsDeclared() {
        try (TransformHarness harness = harness(false).maxRequestBody(4).start()) {
            TestRequest put = TestRequest.of("PUT", presigned(S3, "s3")).body("some content");
            accepted(harness, put, false);
            accepted(harness, put.header("X-Amz-Content-Sha256", hash("some content")), false);
            assertThat(harness.send(put.header("X-Amz-Content-Sha256", hash("other"))))
                    .isRefused(400, "payload_hash_mismatch");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "X-Amz-Date=20300101T000000Z, X-Amz-Date=20300102T000000Z",
        "X-Amz-Date=20300101T000000Z, X-Amz-Date=today",
        "X-Amz-SignedHeaders=host, X-Amz-SignedHeaders=host&X-Amz-SignedHeaders=host",
        "X-Amz-SignedHeaders=host, x=y",
        "X-Amz-Expires=900, X-Amz-Security-Token=a&X-Amz-Security-Token=b",
        "aws4_request, aws5_request"
    })
    void presignedUrlThatCannotBeReadIs400(String part, String instead) {
        try (TransformHarness harness = harness(false).start()) {
            assertThat(harness.send(TestRequest.get(presigned(S3, "s3").replace(part, instead))))
                    .isRefused(400, "malformed_sigv4");
        }
    }

    @Test
    void presignedUrlOfVersion4AIs400() {
        try (TransformHarness harness = harness(false).start()) {
            assertThat(harness.send(
                            TestRequest.get(presigned(S3, "s3").replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"))))
                    .isRefused(400, "sigv4a_not_supported");
        }
    }
}
