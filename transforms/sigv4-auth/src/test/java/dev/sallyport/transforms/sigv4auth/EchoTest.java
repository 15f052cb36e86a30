package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_SIGNATURE;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_TOKEN;
import static dev.sallyport.transforms.sigv4auth.Workload.KEY_ID;
import static dev.sallyport.transforms.sigv4auth.Workload.TOKEN;
import static dev.sallyport.transforms.sigv4auth.Workload.harness;
import static dev.sallyport.transforms.sigv4auth.Workload.presigned;
import static dev.sallyport.transforms.sigv4auth.Workload.signed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Credential;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.Upstream;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What services tell about a request must not show the workload what it was signed with. */
class EchoTest {

    private static final String S3 = "https://bucket.s3.eu-west-1.amazonaws.com/key?a=b";
    private static final String SQS = "https://sqs.eu-west-1.amazonaws.com/123/queue";
    private static final String NOTHING = Verifier.hex(Verifier.sha256(new byte[0]));

    private static final Upstream REFUSING = request -> TestResponse.status(403)
            .header("X-Echo", all(request))
            .body("<Error><AWSAccessKeyId>" + KEY_ID + "</AWSAccessKeyId>" + all(request) + "</Error>");

    /** Everything that the request says. */
    private static String all(ForwardedRequest request) {
        return request.target() + " " + request.headers();
    }

    @Test
    void refusalShowsTheWorkloadItsOwnCredentials() {
        try (TransformHarness harness = harness(true).upstream(REFUSING).start()) {
            for (TestRequest request : List.of(
                    signed(TestRequest.get(S3), "s3", NOTHING).header("X-Amz-Security-Token", FAKE_TOKEN),
                    signed(TestRequest.get(SQS), "sqs", "").header("X-Amz-Security-Token", FAKE_TOKEN),
                    TestRequest.get(presigned(S3, "s3") + "&X-Amz-Security-Token=" + FAKE_TOKEN))) {
                ExchangeResult result = harness.send(request);

                assertThat(result).hasStatus(403).doesNotShow(KEY_ID).doesNotShow(TOKEN);
                assertThat(result)
                        .doesNotShow(
                                TOKEN.replace("/", "%2F").replace("+", "%2B").replace("=", "%3D"));
                assertThat(result.body()).contains(Credential.MARKER, FAKE_SIGNATURE);
                assertThat(result.headers().first("X-Echo")).contains(Credential.MARKER, FAKE_SIGNATURE);
                assertThat(result.responseAnnotations("sigv4_auth").get("redacted"))
                        .asInstanceOf(InstanceOfAssertFactories.LIST)
                        .contains(Map.of("secret", "access_key_id", "locations", List.of("header:X-Echo", "body")));
            }
        }
    }

    @Test
    void redirectOfAPresignedUrlCannotBeFollowedPastTheProxy() {
        Upstream redirecting = request -> TestResponse.status(307)
                .header("Location", "https://bucket.s3.eu-west-2.amazonaws.com" + request.target());
        try (TransformHarness harness = harness(true).upstream(redirecting).start()) {
            String url = presigned(S3, "s3");
            ExchangeResult result = harness.send(TestRequest.get(url));

            assertThat(result.headers().first("Location"))
                    .contains(FAKE_SIGNATURE, Credential.MARKER)
                    .doesNotContain(KEY_ID);
            assertThat(result).doesNotShow(result.sent().target().replaceAll(".*Signature=", ""));
        }
    }

    @Test
    void objectsPassUntouchedAndInParts() {
        Upstream serving = request -> TestResponse.status(206)
                .header("X-Echo", request.header("X-Amz-Security-Token"))
                .header("ETag", "\"1\"")
                .body("an object that tells of " + KEY_ID);
        try (TransformHarness harness = harness(true).upstream(serving).start()) {
            ExchangeResult result = harness.send(signed(TestRequest.get(S3), "s3", NOTHING)
                    .header("Range", "bytes=0-99")
                    .header("Accept-Encoding", "unheard-of"));

            assertThat(result)
                    .hasStatus(206)
                    .hasForwardedHeader("Range", "bytes=0-99")
                    .hasForwardedHeader("Accept-Encoding", "unheard-of");
            assertThat(result.body()).isEqualTo("an object that tells of " + KEY_ID);
            assertThat(result.headers().first("X-Echo")).isEqualTo(Credential.MARKER);
        }
    }

    @Test
    void answersOfOtherServicesAreLookedThrough() {
        Upstream echoing = request -> TestResponse.ok(all(request));
        try (TransformHarness harness = harness(true).upstream(echoing).start()) {
            ExchangeResult result = harness.send(TestRequest.get(SQS)
                    .header("X-Amz-Date", Workload.NOW)
                    .header("Range", "bytes=0-99")
                    .header("Accept-Encoding", "gzip, unheard-of")
                    .header("Authorization", Workload.authorization("sqs", "accept-encoding;host;range;x-amz-date")));

            assertThat(result).hasStatus(200).doesNotShow(KEY_ID).doesNotShow(TOKEN);
            assertThat(result).hasForwardedHeader("Range").hasForwardedHeader("Accept-Encoding", "gzip");
            assertThat(result).hasAnnotation("sigv4_auth", "dropped_range", List.of("Range"));
            assertThat(result.body()).contains(Credential.MARKER);
            Workload.verifier(harness.time().clock(), true).verify(result.sent());
        }
    }

    @Test
    void offLeavesResponsesAlone() {
        try (TransformHarness harness =
                harness(true, "redact_response: off").upstream(REFUSING).start()) {
            ExchangeResult result =
                    harness.send(signed(TestRequest.get(SQS), "sqs", "").header("Range", "bytes=0-9"));
            assertThat(result.body()).contains(KEY_ID, TOKEN);
            assertThat(result).hasForwardedHeader("Range", "bytes=0-9");
        }
    }
}
