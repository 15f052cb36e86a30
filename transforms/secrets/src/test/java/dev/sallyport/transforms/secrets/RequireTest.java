package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static dev.sallyport.transforms.secrets.Fixture.harness;
import static dev.sallyport.transforms.secrets.Fixture.replace;
import static dev.sallyport.transforms.secrets.Fixture.secrets;
import static dev.sallyport.transforms.secrets.Fixture.use;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import org.junit.jupiter.api.Test;

/**
 * {@code require}, and {@code optional} sources without a value: docs/spec/proxy-config.md, section "secrets", and
 * docs/spec/decisions.md, section 6.
 */
class RequireTest {

    private static final String URL = "https://api.example.com/v1";
    private static final String OPTIONAL = "{type: fake, name: MISSING, optional: true}";

    @Test
    void requiredPlaceholderThatIsAbsentIsRefused() {
        try (TransformHarness harness = secrets(replace(", require: true, match_headers: [Authorization]"))) {
            ExchangeResult result = harness.send(TestRequest.get(URL).header("X-Elsewhere", "PLACEHOLDER"));

            assertThat(result).isRefused(403, "placeholder_required");
            assertThat(result.body()).contains("transforms[0].secrets[0]").doesNotContain("PLACEHOLDER");
        }
    }

    @Test
    void requiredPlaceholderMayBeInAnyScannedLocation() {
        try (TransformHarness harness = secrets(replace(", require: true, match_query: true, match_path: true"))) {
            assertThat(harness.send(TestRequest.get(URL).header("X", "PLACEHOLDER")))
                    .isForwarded();
            assertThat(harness.send(TestRequest.get(URL + "?q=PLACEHOLDER"))).isForwarded();
            assertThat(harness.send(TestRequest.get(URL + "/PLACEHOLDER"))).isForwarded();
        }
    }

    @Test
    void requireAppliesToMatchingRequestsOnly() {
        String entry = "{source: {type: fake, name: TOKEN}, replace: {proxy_value: PLACEHOLDER, require: true},"
                + " rules: [{host: api.example.com}]}";
        try (TransformHarness harness = secrets(entry)) {
            assertThat(harness.send(TestRequest.get("https://other.test/"))).isForwarded();
            assertThat(harness.send(TestRequest.get(URL))).isRefused(403, "placeholder_required");
        }
    }

    /** What cannot be seen cannot be found: a host-only request that an entry covers carries no placeholder. */
    @Test
    void requireRefusesWhereOnlyTheHostIsSeen() {
        String entry = "{source: {type: fake, name: TOKEN},"
                + " replace: {proxy_value: PLACEHOLDER, require: true, match_body: true}, rules: [%s]}";
        try (TransformHarness harness = secrets(entry.formatted("{host: api.example.com}"))) {
            assertThat(harness.send(TestRequest.hostOnly("api.example.com")).status())
                    .isEqualTo(403);
            assertThat(harness.send(TestRequest.hostOnly("other.test")).forwarded())
                    .isNotNull();
        }
        try (TransformHarness harness = secrets(entry.formatted("{host: api.example.com, paths: [/v1/*]}"))) {
            assertThat(harness.send(TestRequest.hostOnly("api.example.com")).forwarded())
                    .isNotNull();
        }
    }

    @Test
    void requiredPlaceholderIsLookedForInTheBodyLast() {
        try (TransformHarness harness = secrets(replace(", require: true, match_body: true"))) {
            assertThat(harness.send(TestRequest.post(URL, "application/json", "{\"t\":\"PLACEHOLDER\"}")
                            .inPieces(4)))
                    .isForwarded()
                    .hasForwardedBody("{\"t\":\"" + REAL + "\"}")
                    .hasAnnotation("secrets", "swapped", use("TOKEN", "body"));
            assertThat(harness.send(TestRequest.post(URL, "application/json", "{}")))
                    .isRefused(403, "placeholder_required");
            assertThat(harness.send(TestRequest.get(URL))).isRefused(403, "placeholder_required");
        }
    }

    @Test
    void bodyIsReadOnlyWhenThePlaceholderIsNowhereElse() {
        try (TransformHarness harness = harness(replace(", require: true, match_body: true"))
                .maxRequestBody(8)
                .start()) {
            TestRequest large = TestRequest.post(URL, "text/plain", "far more than eight bytes PLACEHOLDER");

            assertThat(harness.send(large)).isRefused(413, "body_too_large");
            assertThat(harness.send(large.header("X-Token", "PLACEHOLDER")))
                    .isForwarded()
                    .hasForwardedBody("far more than eight bytes " + REAL);
        }
    }

    @Test
    void unresolvedSourceFailsTheBuildAtItsPlace() {
        assertThat(harness("{source: {type: fake, name: MISSING}, inject: {header: X-Key}}")
                        .problems())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.pointer()).isEqualTo("/transforms/0/config/secrets/0/source");
                    assertThat(problem.message()).contains("MISSING");
                });
    }

    @Test
    void optionalSourceWithoutAValueRefusesWhatNeedsIt() {
        try (TransformHarness harness =
                secrets("{source: " + OPTIONAL + ", replace: {proxy_value: PLACEHOLDER, match_headers: [X-Token]}}")) {
            assertThat(harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER")))
                    .isRefused(403, "secret_unavailable");
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            assertThat(harness.send(TestRequest.get(URL).header("X-Other", "PLACEHOLDER")))
                    .isForwarded();
        }
    }

    @Test
    void optionalSourceWithoutAValueRefusesInjection() {
        try (TransformHarness harness =
                secrets("{source: " + OPTIONAL + ", inject: {header: X-Key}, rules: [{host: api.example.com}]}")) {
            assertThat(harness.send(TestRequest.get(URL))).isRefused(403, "secret_unavailable");
            assertThat(harness.send(TestRequest.get("https://other.test/"))).isForwarded();
        }
    }

    @Test
    void placeholderInABodyIsNeverForwardedWithoutItsValue() {
        try (TransformHarness harness =
                secrets("{source: " + OPTIONAL + ", replace: {proxy_value: PLACEHOLDER, match_body: true}}")) {
            assertThat(harness.send(
                            TestRequest.post(URL, "text/plain", "a PLACEHOLDER").inPieces(3)))
                    .isRefused(403, "secret_unavailable");
            assertThat(harness.send(TestRequest.post(URL, "text/plain", "nothing")))
                    .isForwarded()
                    .hasForwardedBody("nothing");
        }
    }

    @Test
    void optionalSourceIsUsedOnceItHasAValue() {
        FakeSecrets values = Fixture.values();
        String entry = "{source: " + OPTIONAL + ", replace: {proxy_value: PLACEHOLDER, match_body: true}}";
        try (TransformHarness harness = harness(entry).secrets(values).start()) {
            assertThat(harness.send(TestRequest.get(URL).header("X", "PLACEHOLDER")))
                    .isRefused(403, "secret_unavailable");

            harness.rotate("MISSING", "there-now");

            assertThat(harness.send(
                            TestRequest.post(URL, "text/plain", "PLACEHOLDER").header("X", "PLACEHOLDER")))
                    .hasForwardedHeader("X", "there-now")
                    .hasForwardedBody("there-now");
        }
    }

    @Test
    void refusedRequestsAnnotateNoUse() {
        try (TransformHarness harness = secrets(replace(""), "{source: " + OPTIONAL + ", inject: {header: X-Key}}")) {
            ExchangeResult result = harness.send(TestRequest.get(URL).header("X-Token", "PLACEHOLDER"));

            assertThat(result).isRefused(403, "secret_unavailable").doesNotShow(REAL);
            assertThat(result.annotations("secrets")).doesNotContainKeys("swapped", "injected");
        }
    }
}
