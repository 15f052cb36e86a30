package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static dev.sallyport.transforms.secrets.Fixture.harness;
import static dev.sallyport.transforms.secrets.Fixture.secrets;
import static dev.sallyport.transforms.secrets.Fixture.use;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A placeholder on its way to a host outside its rules: docs/spec/decisions.md, section 6. */
class MisdirectTest {

    private static final String HERE = "https://api.example.com/v1";
    private static final String ELSEWHERE = "https://evil.test/v1";
    private static final String KEY = "placeholder_misdirected";
    private static final String EVERYTHING =
            "proxy_value: PLACEHOLDER, match_body: true, match_query: true, match_path: true";

    private static String entry(String replace, String more) {
        return "{source: {type: fake, name: TOKEN}, replace: {" + replace + "}, rules: [{host: api.example.com}]" + more
                + "}";
    }

    private static String annotating(String replace) {
        return entry(replace, "");
    }

    private static String rejecting(String replace) {
        return entry(replace, ", on_misdirect: reject");
    }

    @Test
    void placeholderStaysAsItIsAndIsAnnotated() {
        try (TransformHarness harness = secrets(annotating(EVERYTHING))) {
            ExchangeResult result = harness.send(
                    TestRequest.post("https://evil.test/PLACEHOLDER?q=PLACEHOLDER", "text/plain", "a PLACEHOLDER")
                            .header("x-tOKEN", "PLACEHOLDER")
                            .header("Authorization", "Basic " + base64("u:PLACEHOLDER")));

            assertThat(result)
                    .isForwarded()
                    .hasForwardedTarget("/PLACEHOLDER?q=PLACEHOLDER")
                    .hasForwardedHeader("X-Token", "PLACEHOLDER")
                    .hasForwardedHeader("Content-Length", "13")
                    .hasForwardedBody("a PLACEHOLDER")
                    .hasAnnotation(
                            "secrets",
                            KEY,
                            use("TOKEN", "header:X-Token", "header:Authorization", "query:q", "path", "body"))
                    .hasAnnotation("secrets", "swapped", null)
                    .doesNotShow(REAL);
        }
    }

    @Test
    void onlyThePlacesThatTheEntryScansCount() {
        try (TransformHarness harness =
                secrets(annotating("proxy_value: PLACEHOLDER, match_headers: [X-Token], match_query: true"))) {
            assertThat(harness.send(TestRequest.post("https://evil.test/PLACEHOLDER", "text/plain", "PLACEHOLDER")
                            .header("X-Other", "PLACEHOLDER")))
                    .isForwarded()
                    .hasNoAnnotations("secrets");
            assertThat(harness.send(TestRequest.get(ELSEWHERE + "?q=PLACEHOLDER")))
                    .hasAnnotation("secrets", KEY, use("TOKEN", "query:q"));
        }
    }

    @Test
    void methodsAndPathsOfTheRulesCountToo() {
        String entry = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: PLACEHOLDER},"
                + " rules: [{host: api.example.com, methods: [GET], paths: [/v1/*]}]}";
        try (TransformHarness harness = secrets(entry)) {
            for (TestRequest other :
                    List.of(TestRequest.of("POST", HERE), TestRequest.get("https://api.example.com/v2"))) {
                assertThat(harness.send(other.header("X-Token", "PLACEHOLDER")))
                        .hasForwardedHeader("X-Token", "PLACEHOLDER")
                        .hasAnnotation("secrets", KEY, use("TOKEN", "header:X-Token"));
            }
        }
    }

    @Test
    void rightDestinationIsNotAnnotated() {
        try (TransformHarness harness = secrets(rejecting(EVERYTHING))) {
            assertThat(harness.send(
                            TestRequest.post(HERE, "text/plain", "PLACEHOLDER").header("X-Token", "PLACEHOLDER")))
                    .isForwarded()
                    .hasForwardedBody(REAL)
                    .hasAnnotation("secrets", KEY, null);
        }
    }

    @Test
    void entriesWithoutRulesCannotBeMisdirected() {
        try (TransformHarness harness = secrets(Fixture.replace(", match_body: true"))) {
            assertThat(harness.send(TestRequest.post(ELSEWHERE, "text/plain", "PLACEHOLDER")))
                    .hasForwardedBody(REAL)
                    .hasAnnotation("secrets", KEY, null);
        }
    }

    @Test
    void placeholderOfAnotherEntryIsNoticedWhereOnesOwnIsSwapped() {
        String other = "{source: {type: fake, name: OTHER}, replace: {proxy_value: STAND_IN, match_body: true},"
                + " rules: [{host: other.test}]}";
        try (TransformHarness harness = secrets(annotating(EVERYTHING), other)) {
            ExchangeResult result = harness.send(
                    TestRequest.post(HERE, "text/plain", "PLACEHOLDER STAND_IN").header("X-Token", "STAND_IN"));

            assertThat(result)
                    .hasForwardedBody(REAL + " STAND_IN")
                    .hasForwardedHeader("X-Token", "STAND_IN")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "body"))
                    .hasAnnotation("secrets", KEY, use("OTHER", "header:X-Token", "body"));
        }
    }

    @Test
    void everyEntryThatSharesThePlaceholderIsNamed() {
        String other = "{source: {type: fake, name: OTHER}, replace: {proxy_value: PLACEHOLDER},"
                + " rules: [{host: other.test}]}";
        try (TransformHarness harness = secrets(annotating("proxy_value: PLACEHOLDER"), other)) {
            ExchangeResult result = harness.send(TestRequest.get(ELSEWHERE).header("X-Token", "PLACEHOLDER"));

            assertThat(result.annotations("secrets").get(KEY))
                    .isEqualTo(List.of(
                            Map.of("secret", "TOKEN", "locations", List.of("header:X-Token")),
                            Map.of("secret", "OTHER", "locations", List.of("header:X-Token"))));
        }
    }

    @Test
    void bodyElsewhereGoesOnByteForByte() throws IOException {
        byte[] coded = gzip("{\"t\": \"PLACEHOLDER\"}" + "x".repeat(200_000));
        try (TransformHarness harness =
                harness(annotating(EVERYTHING)).maxRequestBody(64).start()) {
            ExchangeResult result = harness.send(TestRequest.of("POST", ELSEWHERE)
                    .header("Content-Encoding", "gzip")
                    .header("Digest", "sha-256=abc")
                    .body(coded)
                    .inPieces(100));

            assertThat(result.sent().content()).isEqualTo(coded);
            assertThat(result)
                    .hasForwardedHeader("Content-Length", Integer.toString(coded.length))
                    .hasForwardedHeader("Digest", "sha-256=abc")
                    .hasAnnotation("secrets", KEY, use("TOKEN", "body"));
        }
    }

    @Test
    void trailersElsewhereAreAnnotated() {
        try (TransformHarness harness = secrets(annotating("proxy_value: PLACEHOLDER"))) {
            ExchangeResult result = harness.send(
                    TestRequest.of("POST", ELSEWHERE).chunks("body").trailer("x-sig", "PLACEHOLDER"));

            assertThat(result.sent().trailers().all("X-Sig")).containsExactly("PLACEHOLDER");
            assertThat(result).hasAnnotation("secrets", KEY, use("TOKEN", "trailer:X-Sig"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.test/PLACEHOLDER",
                "https://evil.test/?q=PLACEHOLDER",
                "https://evil.test/?q=PLACE%48OLDER",
                "https://api.example.com.evil.test/PLACEHOLDER"
            })
    void rejectRefusesWithItsOwnCode(String url) {
        try (TransformHarness harness = secrets(rejecting(EVERYTHING))) {
            ExchangeResult result = harness.send(TestRequest.get(url));

            assertThat(result).isRefused(403, KEY).doesNotShow(REAL);
            assertThat(result.body()).contains("transforms[0].secrets[0]").doesNotContain("PLACEHOLDER");
            assertThat(result.annotations("secrets")).containsKey(KEY);
        }
    }

    @Test
    void rejectOfALegacyEntry() {
        try (TransformHarness harness = secrets("{source: {type: fake, name: TOKEN}, proxy_value: PLACEHOLDER,"
                + " rules: [{host: api.example.com}], on_misdirect: reject}")) {
            assertThat(harness.send(TestRequest.get(ELSEWHERE).header("X-Token", "PLACEHOLDER")))
                    .isRefused(403, KEY);
        }
    }

    @Test
    void rejectLooksIntoTheBodyFirst() throws IOException {
        try (TransformHarness harness = secrets(rejecting(EVERYTHING))) {
            assertThat(harness.send(TestRequest.post(ELSEWHERE, "text/plain", "a PLACEHOLDER b")
                            .inPieces(3)))
                    .isRefused(403, KEY)
                    .hasAnnotation("secrets", KEY, use("TOKEN", "body"));
            assertThat(harness.send(TestRequest.of("POST", ELSEWHERE)
                            .header("Content-Encoding", "gzip")
                            .body(gzip("a PLACEHOLDER b"))))
                    .isRefused(403, KEY);
            assertThat(harness.send(TestRequest.post(ELSEWHERE, "text/plain", "a PLACEHOLDEX b")
                            .inPieces(3)))
                    .isForwarded()
                    .hasForwardedHeader("Content-Length", "15")
                    .hasForwardedBody("a PLACEHOLDEX b")
                    .hasNoAnnotations("secrets");
        }
    }

    @Test
    void rejectLimitsNoUploadElsewhere() throws IOException {
        byte[] coded = gzip("y".repeat(300_000));
        try (TransformHarness harness =
                harness(rejecting(EVERYTHING)).maxRequestBody(64).start()) {
            String filler = "x".repeat(100_000);
            assertThat(harness.send(
                            TestRequest.post(ELSEWHERE, "text/plain", filler).inPieces(1000)))
                    .isForwarded()
                    .hasForwardedHeader("Content-Length", "100000")
                    .hasForwardedBody(filler);
            ExchangeResult result = harness.send(TestRequest.of("POST", ELSEWHERE)
                    .header("Content-Encoding", "gzip")
                    .body(coded));
            assertThat(result).isForwarded();
            assertThat(result.sent().content()).isEqualTo(coded);
        }
    }

    /** The head has left by then: the request is broken off before the placeholder is complete. */
    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/grpc"})
    void rejectBreaksOffABodyThatCouldNotBeReadWhole(String type) {
        try (TransformHarness harness =
                harness(rejecting(EVERYTHING)).maxRequestBody(64).start()) {
            ExchangeResult result = harness.send(TestRequest.post(ELSEWHERE, type, "x".repeat(5_000) + "PLACEHOLDER")
                    .inPieces(7));

            assertThat(result).isRefused(403, KEY);
            assertThat(result.forwarded() == null || !result.forwarded().complete())
                    .isTrue();
            assertThat(result.forwarded() == null ? "" : result.forwarded().body())
                    .doesNotContain("PLACEHOLDER");
            assertThat(result).hasAnnotation("secrets", KEY, use("TOKEN", "body"));
        }
    }

    @Test
    void rejectRefusesWhereAnotherEntrySwaps() {
        String other = "{source: {type: fake, name: OTHER}, replace: {proxy_value: STAND_IN, match_body: true},"
                + " rules: [{host: evil.test}]}";
        try (TransformHarness harness =
                harness(rejecting(EVERYTHING), other).maxRequestBody(64).start()) {
            assertThat(harness.send(TestRequest.post(ELSEWHERE, "text/plain", "STAND_IN and PLACEHOLDER")))
                    .isRefused(403, KEY);
            assertThat(harness.send(TestRequest.post(ELSEWHERE, "text/plain", "STAND_IN and PLACEHOLDEX")))
                    .hasForwardedBody("other-value and PLACEHOLDEX");
            String filler = "x".repeat(5_000);
            ExchangeResult late = harness.send(TestRequest.post(ELSEWHERE, "text/plain", filler + "PLACEHOLDER")
                    .inPieces(100));
            assertThat(late).isRefused(403, KEY);
        }
    }

    @Test
    void withheldCredentialsMeanNoLook() {
        try (TransformHarness harness = TransformHarness.of("""
                        transforms:
                          - name: secrets
                            config:
                              secrets: [%s]
                        """.formatted(rejecting(EVERYTHING)))
                .secrets(Fixture.values())
                .then("warner", Capabilities.none(), (InlineTransform) context -> Decision.proceedWithoutCredentials())
                .start()) {
            assertThat(harness.send(TestRequest.get(HERE).header("X-Token", "PLACEHOLDER")))
                    .isForwarded()
                    .hasForwardedHeader("X-Token", "PLACEHOLDER")
                    .hasAnnotation("secrets", "skipped", "not_allowlisted")
                    .hasAnnotation("secrets", KEY, null);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
