package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Credentials on their way to an origin that is spoken to without TLS. */
class PlaintextTest {

    private static final String CODE = "plaintext_credential";
    private static final String BODIES = Fixture.replace(", match_body: true, match_query: true, match_path: true");
    private static final String ALLOWED = BODIES.substring(0, BODIES.length() - 1) + ", allow_plaintext: true}";
    private static final String OTHER =
            "{source: {type: fake, name: OTHER}, replace: {proxy_value: ELSEWHERE, match_body: true}}";

    private static ExchangeResult far(TestRequest request, String... entries) {
        try (TransformHarness harness = Fixture.harness(entries).far().start()) {
            return harness.send(request);
        }
    }

    private static TestRequest post(String body) {
        return TestRequest.post("http://a.test/", "text/plain", body);
    }

    @Test
    void aSwappedHeaderIsRefused() {
        assertThat(far(TestRequest.get("http://a.test/").header("X-Token", "PLACEHOLDER"), BODIES))
                .isRefused(403, CODE);
    }

    @Test
    void aSwappedQueryIsRefused() {
        assertThat(far(TestRequest.get("http://a.test/?q=PLACEHOLDER"), BODIES)).isRefused(403, CODE);
    }

    @Test
    void aSwappedPathIsRefused() {
        assertThat(far(TestRequest.get("http://a.test/v1/PLACEHOLDER"), BODIES)).isRefused(403, CODE);
    }

    @Test
    void aSwappedBodyIsRefusedAndNothingOfItLeaves() {
        assertThat(far(post("a PLACEHOLDER"), BODIES)).isRefused(403, CODE);
    }

    @Test
    void anInjectedValueIsRefused() {
        assertThat(far(TestRequest.get("http://a.test/"), Fixture.inject("header: X-Key")))
                .isRefused(403, CODE);
        assertThat(far(TestRequest.get("http://a.test/"), Fixture.inject("query_param: key")))
                .isRefused(403, CODE);
    }

    /** When the trailers come, the rest of the request has left for the origin already. */
    @Test
    void aSwappedTrailerIsRefusedAndTheRequestNotCompleted() {
        ExchangeResult refused = far(post("a").trailer("X-Sum", "PLACEHOLDER"), BODIES);

        assertThat(refused).isRefused(403, CODE).doesNotShow(Fixture.REAL);
        assertThat(refused.body()).contains("\"transform\":\"secrets\"");
    }

    /** Nothing but the trailers could carry it: no entry looks into bodies. */
    @Test
    void aSwappedTrailerIsRefusedWhereOnlyHeadersAreLookedAt() {
        assertThat(far(post("a").trailer("X-Sum", "PLACEHOLDER"), Fixture.replace("")))
                .isRefused(403, CODE)
                .doesNotShow(Fixture.REAL);
    }

    @Test
    void trailersWithoutPlaceholdersGo() {
        ExchangeResult passed = far(post("a").trailer("X-Sum", "none"), BODIES);

        assertThat(passed).isForwarded();
        assertThat(passed.sent().trailers().all("X-Sum")).containsExactly("none");
    }

    @Test
    void aTrailerGoesOverTlsAndWhereTheEntryAllowsItAndNearby() {
        TestRequest secure =
                TestRequest.post("https://a.test/", "text/plain", "a").trailer("X-Sum", "PLACEHOLDER");
        TestRequest clear = post("a").trailer("X-Sum", "PLACEHOLDER");
        try (TransformHarness nearby = Fixture.secrets(BODIES)) {
            for (ExchangeResult passed : List.of(far(secure, BODIES), far(clear, ALLOWED), nearby.send(clear))) {
                assertThat(passed).isForwarded();
                assertThat(passed.sent().trailers().all("X-Sum")).containsExactly(Fixture.REAL);
            }
        }
    }

    @Test
    void anEntryThatAllowsItDoesNotAllowItForOthersInTrailers() {
        assertThat(far(post("a").trailer("X-Sum", "PLACEHOLDER").trailer("X-Other", "ELSEWHERE"), ALLOWED, OTHER))
                .isRefused(403, CODE);
    }

    @Test
    void overTlsTheyGo() {
        assertThat(far(TestRequest.get("https://a.test/").header("X-Token", "PLACEHOLDER"), BODIES))
                .hasForwardedHeader("X-Token", Fixture.REAL);
    }

    @Test
    void aPlaceholderThatIsNotThereIsNoCredential() {
        assertThat(far(TestRequest.get("http://a.test/").header("X-Token", "none"), BODIES))
                .hasForwardedHeader("X-Token", "none");
        assertThat(far(post("nothing in here"), BODIES)).hasForwardedBody("nothing in here");
    }

    @Test
    void aPlaceholderOfAnotherHostIsNoCredential() {
        String elsewhere = BODIES.substring(0, BODIES.length() - 1) + ", rules: [{host: b.test}]}";

        assertThat(far(post("a PLACEHOLDER").header("X-Token", "PLACEHOLDER"), elsewhere))
                .hasForwardedHeader("X-Token", "PLACEHOLDER")
                .hasForwardedBody("a PLACEHOLDER");
    }

    @Test
    void whereTheEntryAllowsItTheyGo() {
        assertThat(far(post("a PLACEHOLDER").header("X-Token", "PLACEHOLDER"), ALLOWED))
                .hasForwardedHeader("X-Token", Fixture.REAL)
                .hasForwardedBody("a " + Fixture.REAL);
    }

    @Test
    void anEntryThatAllowsItDoesNotAllowItForOthers() {
        assertThat(far(post("nothing").header("X-Token", "PLACEHOLDER"), ALLOWED, OTHER))
                .hasForwardedHeader("X-Token", Fixture.REAL);
        assertThat(far(post("nothing").header("X-Token", "PLACEHOLDER").header("X-Other", "ELSEWHERE"), ALLOWED, OTHER))
                .isRefused(403, CODE);
        assertThat(far(post("an ELSEWHERE").header("X-Token", "PLACEHOLDER"), ALLOWED, OTHER))
                .isRefused(403, CODE);
    }

    @Test
    void nearbyTheyGo() {
        try (TransformHarness harness = Fixture.secrets(BODIES)) {
            assertThat(harness.send(post("a PLACEHOLDER").header("X-Token", "PLACEHOLDER")))
                    .hasForwardedHeader("X-Token", Fixture.REAL)
                    .hasForwardedBody("a " + Fixture.REAL);
        }
    }
}
