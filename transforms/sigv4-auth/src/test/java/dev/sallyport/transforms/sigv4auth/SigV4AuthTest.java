package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_ID;
import static dev.sallyport.transforms.sigv4auth.Workload.FAKE_TOKEN;
import static dev.sallyport.transforms.sigv4auth.Workload.KEY_ID;
import static dev.sallyport.transforms.sigv4auth.Workload.NOW;
import static dev.sallyport.transforms.sigv4auth.Workload.SECRET;
import static dev.sallyport.transforms.sigv4auth.Workload.TOKEN;
import static dev.sallyport.transforms.sigv4auth.Workload.accepted;
import static dev.sallyport.transforms.sigv4auth.Workload.authorization;
import static dev.sallyport.transforms.sigv4auth.Workload.harness;
import static dev.sallyport.transforms.sigv4auth.Workload.presigned;
import static dev.sallyport.transforms.sigv4auth.Workload.signed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "sigv4_auth"; docs/spec/decisions.md, section 7. */
class SigV4AuthTest {

    private static final String S3 = "https://bucket.s3.eu-west-1.amazonaws.com/a%20key/b+c?versions&prefix=x%2Fy";
    private static final String SQS = "https://sqs.eu-west-1.amazonaws.com/123/queue?b=2&a=1";
    private static final String EMPTY = Verifier.hex(Verifier.sha256(new byte[0]));

    private static String hash(String text) {
        return Verifier.hex(Verifier.sha256(text.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource({"false, s3", "true, s3", "false, sqs", "true, sqs"})
    void signsWithTheRealCredentials(boolean token, String service) {
        try (TransformHarness harness = harness(token).start()) {
            TestRequest request = signed(TestRequest.get(service.equals("s3") ? S3 : SQS), service, EMPTY)
                    .header("X-Amz-Security-Token", FAKE_TOKEN)
                    .header("x-amz-meta-note", "  two   spaces ");

            ExchangeResult result = harness.send(request);

            Workload.verifier(harness.time().clock(), token).verify(result.sent());
            assertThat(result.sent().headers().toString()).doesNotContain(FAKE_ID, FAKE_TOKEN);
            assertThat(result)
                    .hasForwardedHeader("X-Amz-Date", NOW)
                    .hasAnnotation("sigv4_auth", "service", service)
                    .hasAnnotation("sigv4_auth", "region", "eu-west-1")
                    .hasAnnotation(
                            "sigv4_auth",
                            "injected",
                            token
                                    ? List.of("header:Authorization", "header:X-Amz-Security-Token")
                                    : List.of("header:Authorization"))
                    .doesNotShow(KEY_ID)
                    .doesNotShow(SECRET)
                    .doesNotShow(TOKEN);
        }
    }

    @Test
    void headersKeepTheirPlaceAndCasing() {
        try (TransformHarness harness = harness(true).start()) {
            ExchangeResult result = harness.send(TestRequest.get(SQS)
                    .header("authorization", authorization("sqs", "host;x-amz-date"))
                    .header("x-amz-date", "20200101T000000Z")
                    .header("x-AMZ-security-token", FAKE_TOKEN)
                    .header("Accept", "*/*"));

            assertThat(result.sent().headers().names())
                    .containsExactly("Host", "authorization", "x-amz-date", "x-AMZ-security-token", "Accept");
            Workload.verifier(harness.time().clock(), true).verify(result.sent());
        }
    }

    @ParameterizedTest
    @CsvSource({"299, true", "-299, true", "301, false", "-301, false"})
    void dateIsKeptWithinFiveMinutesOfTheClock(int offset, boolean kept) {
        try (TransformHarness harness = harness(false).start()) {
            harness.time().advance(Duration.ofSeconds(400));
            String sent = "20300101T"
                    + (offset < 0 ? (offset == -299 ? "001139" : "001141") : (offset == 299 ? "000141" : "000139"))
                    + "Z";
            ExchangeResult result = harness.send(TestRequest.get(SQS)
                    .header("X-Amz-Date", sent)
                    .header("Authorization", authorization("sqs", "host;x-amz-date")));

            assertThat(result).hasForwardedHeader("X-Amz-Date", kept ? sent : "20300101T000640Z");
            Workload.verifier(harness.time().clock(), false).verify(result.sent());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "20300101T0000AAZ", "20301301T000000Z"})
    void requestWithoutAUsableDateGetsAFreshOne(String date) {
        try (TransformHarness harness = harness(false).start()) {
            TestRequest request =
                    TestRequest.get(SQS).header("Authorization", authorization("sqs", "host;x-amz-date;date"));
            ExchangeResult result = harness.send(date.isEmpty() ? request : request.header("X-Amz-Date", date));

            assertThat(result).hasForwardedHeader("X-Amz-Date", NOW);
            Workload.verifier(harness.time().clock(), false).verify(result.sent());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AWS4-HMAC-SHA256 Credential=K/20300101/eu-west-1/sqs/aws4_request,SignedHeaders=host;x-amz-date,Signature=S",
                "AWS4-HMAC-SHA256  SignedHeaders=host;x-amz-date ,  Signature=S,Credential=K/20300101/eu-west-1/sqs/aws4_request",
                "AWS4-HMAC-SHA256 Credential=K/20300101/eu-west-1/sqs/aws4_request, SignedHeaders=Host;X-Amz-Date, Signature=S"
            })
    void authorizationIsReadAsClientsWriteIt(String form) {
        String authorization = form.replace("=S", "=" + Workload.FAKE_SIGNATURE);
        authorization = authorization.replace(Workload.FAKE_SIGNATURE + "ignedHeaders", "SignedHeaders");
        try (TransformHarness harness = harness(false).start()) {
            accepted(harness, TestRequest.get(SQS).header("Authorization", authorization), false);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                                                  | missing_sigv4",
                "Bearer token                                                      | missing_sigv4",
                "AWS AKID:c2lnbmF0dXJl                                             | missing_sigv4",
                "AWS4-ECDSA-P256-SHA256 Credential=K/20300101/s3/aws4_request, X=Y | sigv4a_not_supported",
                "AWS4-HMAC-SHA512 Credential=K/1/r/s/aws4_request                  | malformed_sigv4",
                "AWS4-HMAC-SHA256                                                  | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/20300101/r/s/aws4_request, SignedHeaders=host | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/20300101/r/s, SignedHeaders=host, Signature=@ | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/2030/r/s/aws4_request, SignedHeaders=host, Signature=@ | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/20300101/r/s/aws4_request, SignedHeaders=host, Signature=abc | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/20300101/r/s/aws4_request, SignedHeaders=, Signature=@ | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/20300101/r/s/aws4_request, SignedHeaders=host, Signature=@, Signature=@ | malformed_sigv4",
                "AWS4-HMAC-SHA256 Credential=K/20300101/r/s/aws4_request, SignedHeaders=host, Signature=@, X=y | malformed_sigv4"
            })
    void requestThatIsNotSignedSoIs400(String authorization, String code) {
        try (TransformHarness harness = harness(false).start()) {
            TestRequest request = TestRequest.get(SQS);
            ExchangeResult result = harness.send(
                    authorization == null
                            ? request
                            : request.header("Authorization", authorization.replace("@", Workload.FAKE_SIGNATURE)));
            assertThat(result).isRefused(400, code);
            assertThat(result.body()).contains("\"rule\":\"transforms[0].rules[0]\"");
        }
    }

    @Test
    void requestThatIsSignedTwiceIs400() {
        try (TransformHarness harness = harness(false).start()) {
            String authorization = authorization("sqs", "host");
            assertThat(harness.send(TestRequest.get(presigned(SQS, "sqs")).header("Authorization", authorization)))
                    .isRefused(400, "malformed_sigv4");
            assertThat(harness.send(TestRequest.get(presigned(SQS, "sqs")).header("Authorization", "Bearer x")))
                    .isRefused(400, "malformed_sigv4");
            assertThat(harness.send(TestRequest.get(SQS)
                            .header("Authorization", authorization)
                            .header("Authorization", authorization)))
                    .isRefused(400, "malformed_sigv4");
        }
    }

    @Test
    void otherDestinationsAreLeftAlone() {
        try (TransformHarness harness = harness(false).start()) {
            assertThat(harness.send(TestRequest.get("https://example.com/").header("Authorization", "Bearer x")))
                    .hasForwardedHeader("Authorization", "Bearer x")
                    .hasNoAnnotations("sigv4_auth");
        }
    }

    @Test
    void regionsAndServicesOutsideTheSetsAre403() {
        try (TransformHarness harness = harness(
                        false, "allowed_regions: [us-east-1, eu-west-1]", "allowed_services: [s3]")
                .start()) {
            accepted(harness, signed(TestRequest.get(S3), "s3", EMPTY), false);
            assertThat(harness.send(signed(TestRequest.get(SQS), "sqs", EMPTY))).isRefused(403, "service_not_allowed");
            assertThat(harness.send(TestRequest.get(S3)
                            .header("Authorization", authorization("s3", "host").replace("eu-west-1", "eu-west-2"))))
                    .isRefused(403, "region_not_allowed");
            assertThat(harness.send(TestRequest.get(presigned(SQS, "sqs")))).isRefused(403, "service_not_allowed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ID", "SECRET", "TOKEN"})
    void missingCredentialIs502(String missing) {
        FakeSecrets secrets = Workload.secrets().remove(missing);
        try (TransformHarness harness =
                TransformHarness.of("""
                        transforms:
                          - name: sigv4_auth
                            config:
                              access_key_id: {type: fake, name: ID, optional: true}
                              secret_access_key: {type: fake, name: SECRET, optional: true}
                              session_token: {type: fake, name: TOKEN, optional: true}
                              rules: [{host: "*.amazonaws.com"}]
                        """).secrets(secrets).start()) {
            assertThat(harness.send(signed(TestRequest.get(S3), "s3", EMPTY))).isRefused(502, "credential_unavailable");
            assertThat(harness.send(signed(TestRequest.post(SQS, "text/plain", "body"), "sqs", "")))
                    .isRefused(502, "credential_unavailable");
        }
    }

    @Test
    void rotatedCredentialsAreTakenOver() {
        FakeSecrets secrets = Workload.secrets();
        try (TransformHarness harness = harness(false).secrets(secrets).start()) {
            accepted(harness, signed(TestRequest.get(S3), "s3", EMPTY), false);

            harness.rotate("SECRET", "another secret access key");

            ExchangeResult result = harness.send(signed(TestRequest.get(S3), "s3", EMPTY));
            new Verifier(
                            KEY_ID,
                            "another secret access key",
                            null,
                            harness.time().clock())
                    .verify(result.sent());

            harness.rotate("ID", "not usable");
            assertThat(harness.send(signed(TestRequest.get(S3), "s3", EMPTY))).isRefused(502, "credential_unavailable");
        }
    }

    @Test
    void declaredHashIsReusedAndVerifiedWhileTheContentStreams() {
        String content = "content ".repeat(100_000);
        try (TransformHarness harness = harness(false).maxRequestBody(1024).start()) {
            TestRequest request = TestRequest.of("PUT", S3)
                    .body(content)
                    .header("Content-MD5", "c2lnbmVk")
                    .inPieces(1000);
            ExchangeResult right = harness.send(signed(request, "s3", hash(content)));
            assertThat(right).hasForwardedBody(content).hasForwardedHeader("Content-MD5", "c2lnbmVk");
            assertThat(right).hasForwardedHeader("Content-Length", "" + content.length());
            Workload.verifier(harness.time().clock(), false).verify(right.sent());

            ExchangeResult wrong = harness.send(signed(request, "s3", hash("something else")));
            assertThat(wrong.sent().complete()).isFalse();
            assertThat(wrong.sent().content().length)
                    .as("what came before the end")
                    .isLessThan(content.length());
            assertThat(wrong).isRefused(400, "payload_hash_mismatch");
            assertThat(harness.send(signed(TestRequest.get(S3), "s3", hash("x"))))
                    .isRefused(400, "payload_hash_mismatch");
        }
    }

    @Test
    void wrongContentNeverReachesTheUpstreamWhole() {
        try (TransformHarness harness =
                harness(false, "allow_chunked_body: true").start()) {
            for (TestRequest request : List.of(
                    TestRequest.of("PUT", S3).body("tiny"),
                    TestRequest.of("PUT", S3).body("tiny").inPieces(1),
                    TestRequest.of("PUT", S3).chunks("ti", "ny"))) {
                ExchangeResult result = harness.send(signed(request, "s3", hash("other")));
                assertThat(result).isRefused(400, "payload_hash_mismatch");
                assertThat(result.body()).contains("\"rule\":\"transforms[0].rules[0]\"");
            }
        }
    }

    @Test
    void hashIsComputedWhereTheClientDeclaresNone() {
        try (TransformHarness harness = harness(false).maxRequestBody(8).start()) {
            assertThat(accepted(harness, signed(TestRequest.post(SQS, "text/plain", "12345678"), "sqs", ""), false))
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("12345678");
            ExchangeResult s3 = harness.send(signed(TestRequest.of("PUT", S3).body("1234"), "s3", ""));
            assertThat(s3).hasForwardedHeader("X-Amz-Content-Sha256", hash("1234"));
            Workload.verifier(harness.time().clock(), false).verify(s3.sent());
            assertThat(harness.send(signed(TestRequest.post(SQS, "text/plain", "123456789"), "sqs", "")))
                    .isRefused(413, "body_too_large");
        }
    }

    @Test
    void markerForUnsignedContentIsKept() {
        try (TransformHarness harness = harness(false).maxRequestBody(8).start()) {
            assertThat(accepted(
                            harness,
                            signed(TestRequest.of("PUT", S3).body("more than eight"), "s3", "UNSIGNED-PAYLOAD"),
                            false))
                    .hasSize(15);
        }
    }

    @Test
    void unsignedPayloadDoesWithoutHash() {
        try (TransformHarness harness =
                harness(false, "unsigned_payload: true").maxRequestBody(4).start()) {
            for (String payload : List.of("", hash("anything"), "UNSIGNED-PAYLOAD")) {
                ExchangeResult result =
                        harness.send(signed(TestRequest.of("PUT", S3).body("more than four"), "s3", payload));
                assertThat(result).hasForwardedHeader("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD");
                Workload.verifier(harness.time().clock(), false).verify(result.sent());
            }
        }
    }

    @Test
    void contentOfUndeclaredLengthIs400UnlessAllowed() {
        TestRequest chunks = TestRequest.of("PUT", S3).chunks("in ", "pieces");
        try (TransformHarness harness = harness(false).start()) {
            for (String payload : List.of("", hash("in pieces"), "UNSIGNED-PAYLOAD")) {
                assertThat(harness.send(signed(chunks, "s3", payload))).isRefused(400, "chunked_body_not_allowed");
            }
        }
        try (TransformHarness harness =
                harness(false, "allow_chunked_body: true").maxRequestBody(9).start()) {
            for (String payload : List.of("", hash("in pieces"), "UNSIGNED-PAYLOAD")) {
                accepted(harness, signed(chunks, "s3", payload), false);
            }
            assertThat(harness.send(signed(TestRequest.of("PUT", S3).chunks("too ", "many pieces"), "s3", "")))
                    .isRefused(413, "body_too_large");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, sigv4a_not_supported",
        "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER, sigv4a_not_supported",
        "STREAMING-AWS4-HMAC-SHA256-EVENTS, payload_form_not_supported",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, malformed_sigv4",
        "not a hash, malformed_sigv4"
    })
    void formOfContentThatCannotBeSignedIs400(String payload, String code) {
        try (TransformHarness harness = harness(false).start()) {
            TestRequest request = TestRequest.of("PUT", S3);
            if (!code.equals("malformed_sigv4")) {
                request = request.body("some content");
            }
            assertThat(harness.send(signed(request, "s3", payload))).isRefused(400, code);
        }
    }

    @Test
    void withoutTlsASignatureGoesFarOnlyWhereThatIsAllowed() {
        TestRequest plaintext = signed(TestRequest.get(S3.replace("https", "http")), "s3", EMPTY);
        try (TransformHarness harness = harness(false).far().start()) {
            assertThat(harness.send(plaintext)).isRefused(403, "plaintext_credential");
        }
        try (TransformHarness harness = harness(false).start()) {
            assertThat(harness.send(plaintext)).isForwarded();
        }
        try (TransformHarness harness =
                harness(false, "allow_plaintext: true").far().start()) {
            assertThat(harness.send(plaintext)).isForwarded();
        }
    }
}
