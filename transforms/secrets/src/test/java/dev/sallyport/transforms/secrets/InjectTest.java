package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static dev.sallyport.transforms.secrets.Fixture.harness;
import static dev.sallyport.transforms.secrets.Fixture.inject;
import static dev.sallyport.transforms.secrets.Fixture.replace;
import static dev.sallyport.transforms.secrets.Fixture.secrets;
import static dev.sallyport.transforms.secrets.Fixture.use;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "secrets"; docs/spec/decisions.md, section 6. */
class InjectTest {

    private static final String URL = "https://api.example.com/v1";

    @Test
    void headerIsSentInTheCasingGiven() {
        try (TransformHarness harness = secrets(inject("header: x-API-key"))) {
            ExchangeResult result = harness.send(TestRequest.get(URL));

            assertThat(result.sent().headers().names()).containsExactly("Host", "x-API-key");
            assertThat(result)
                    .hasForwardedHeader("x-api-key", REAL)
                    .hasAnnotation("secrets", "injected", use("TOKEN", "header:X-Api-Key"))
                    .doesNotShow(REAL);
        }
    }

    @Test
    void headerReplacesEveryExistingValue() {
        try (TransformHarness harness = secrets(inject("header: X-Api-Key"))) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("x-api-key", "mine")
                    .header("Accept", "*/*")
                    .header("X-API-KEY", "mine too"));

            assertThat(result.sent().headers().names()).containsExactly("Host", "X-Api-Key", "Accept");
            assertThat(result).hasForwardedHeader("X-Api-Key", REAL);
        }
    }

    @Test
    void formatterSeesTheValueAndBase64() {
        try (TransformHarness harness =
                secrets(inject("header: Authorization, formatter: 'Basic {{base64 \"user:\" .Value}}'"))) {
            String encoded = Base64.getEncoder().encodeToString(("user:" + REAL).getBytes(StandardCharsets.UTF_8));

            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("Authorization", "Basic " + encoded);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', '?key=s3cr3t%2F%2Bvalue'",
        "'?a=%41&b', '?a=%41&b&key=s3cr3t%2F%2Bvalue'",
        "'?key=mine&a=1', '?key=s3cr3t%2F%2Bvalue&a=1'",
        "'?a=1&k%65y=mine&key=again&b=2', '?a=1&k%65y=s3cr3t%2F%2Bvalue&b=2'",
        "'?key', '?key=s3cr3t%2F%2Bvalue'",
        "'?keys=1', '?keys=1&key=s3cr3t%2F%2Bvalue'"
    })
    void queryParameterIsAppendedOrReplacedInPlace(String before, String after) {
        try (TransformHarness harness = secrets(inject("query_param: key"))) {
            assertThat(harness.send(TestRequest.get(URL + before)))
                    .hasForwardedTarget("/v1" + after)
                    .hasAnnotation("secrets", "injected", use("TOKEN", "query:key"));
        }
    }

    @Test
    void queryParameterNameIsEncoded() {
        try (TransformHarness harness = secrets(inject("query_param: 'a b&c'"))) {
            assertThat(harness.send(TestRequest.get(URL))).hasForwardedTarget("/v1?a%20b%26c=s3cr3t%2F%2Bvalue");
        }
    }

    @Test
    void injectionIsUnconditionalOnMatchingRequestsOnly() {
        String entry =
                "{source: {type: fake, name: TOKEN}, inject: {header: X-Key}, rules: [{host: api.example.com, methods: [GET]}]}";
        try (TransformHarness harness = secrets(entry)) {
            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Key", REAL);
            assertThat(harness.send(TestRequest.of("POST", URL)))
                    .hasForwardedHeader("X-Key")
                    .hasNoAnnotations("secrets");
            assertThat(harness.send(TestRequest.get("https://evil.test/"))).hasForwardedHeader("X-Key");
        }
    }

    @Test
    void injectionFollowsReplacement() {
        try (TransformHarness harness = secrets(inject("query_param: key"), replace(", match_query: true"))) {
            assertThat(harness.send(TestRequest.get(URL + "?t=PLACEHOLDER")))
                    .hasForwardedTarget("/v1?t=s3cr3t%2F%2Bvalue&key=s3cr3t%2F%2Bvalue");
        }
    }

    @Test
    void rotatedValuesAreTakenOver() {
        try (TransformHarness harness = secrets(inject("header: X-Key"))) {
            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Key", REAL);

            harness.rotate("TOKEN", "rotated");

            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Key", "rotated");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"line\n", "line\u0001b", "line\u007f"})
    void valueThatWouldBreakAHeaderIsRefused(String value) {
        FakeSecrets values = new FakeSecrets().set("TOKEN", value);
        try (TransformHarness harness =
                harness(inject("header: X-Key")).secrets(values).start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .isRefused(502, "secret_unusable")
                    .hasAnnotation("secrets", "injected", null)
                    .doesNotShow("line");
        }
    }

    @Test
    void ofTwoEntriesForOnePlaceTheFirstThatMatchesInjectsAndTheOtherIsAnnotated() {
        String second = "{source: {type: fake, name: OTHER}, inject: {header: x-key}}";
        String elsewhere =
                "{source: {type: fake, name: TOKEN}, inject: {header: X-Key}, rules: [{host: other.example.com}]}";
        try (TransformHarness harness = secrets(elsewhere, inject("header: X-Key"), second)) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("X-Key", REAL)
                    .hasAnnotation("secrets", "injected", use("TOKEN", "header:X-Key"))
                    .hasAnnotation("secrets", "injection_skipped", use("OTHER", "header:X-Key"));
        }
    }

    @Test
    void hostOnlyRequestsPassUntouched() {
        try (TransformHarness harness = secrets(inject("header: X-Key"))) {
            assertThat(harness.send(TestRequest.hostOnly("api.example.com")).forwarded())
                    .isNotNull();
        }
    }
}
