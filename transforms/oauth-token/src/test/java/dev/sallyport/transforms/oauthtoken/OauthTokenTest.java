package dev.sallyport.transforms.oauthtoken;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "oauth_token"; docs/spec/decisions.md, sections 3, 6 and 7. */
class OauthTokenTest {

    private static final String STUB =
            "{\"access_token\":\"sallyport-stub-token\",\"expires_in\":3600,\"token_type\":\"Bearer\"}";

    private static final String PLAINTEXT = "http://api.example.com/v1/items";

    private final Setup setup = new Setup();

    @AfterEach
    void close() {
        setup.close();
    }

    /** Refuses everything that it is asked about. */
    private static final class Refusing implements InlineTransform {
        @Override
        public Decision decide(RequestContext context) {
            return Decision.reject(403, "refused", "Refused.");
        }

        @Override
        public Admission onConnect(ConnectContext context) {
            return Admission.refuse("refused", "Refused.");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                             | Authorization | Bearer minted-token-1",
                "', header: X-Access-Token'                     | X-Access-Token | Bearer minted-token-1",
                "', header: x-TOKEN, value_prefix: \"\"'        | x-TOKEN       | minted-token-1",
                "', value_prefix: token'                        | Authorization | token minted-token-1",
                "', value_prefix: \"Zoho-oauthtoken \"'         | Authorization | Zoho-oauthtoken minted-token-1",
                "', value_prefix: \"key=\"'                     | Authorization | key= minted-token-1"
            })
    void headerAndPrefixAreAsConfigured(String more, String header, String value) {
        setup.more = more;
        try (TransformHarness harness = setup.start()) {
            ExchangeResult result = harness.send(TestRequest.get(Setup.URL)
                    .header("X-Token", "mine")
                    .header("AUTHORIZATION", "mine")
                    .header("authorization", "mine too"));
            assertThat(result).hasForwardedHeader(header, value);
            assertThat(result.sent().headers().names()).contains(header);
        }
    }

    @Test
    void firstEntryThatMatchesCounts() {
        String common = Setup.CLIENT_CREDENTIALS + ", token_endpoint: '" + setup.endpoint + "'";
        String tokens = "[{" + common + ", value_prefix: one, rules: [{host: api.example.com, paths: [/one/*]}]}, {"
                + common + ", value_prefix: two, rules: [{host: '*.example.com', methods: [GET]}]}, {"
                + common + ", value_prefix: three, scopes: [x], rules: [{host: '*'}]}]";
        try (TransformHarness harness = setup.builder(tokens).start()) {
            assertThat(harness.send(TestRequest.get("https://api.example.com/one/x")))
                    .hasForwardedHeader("Authorization", "one minted-token-1");
            // It mints as the first one does, and shares its token.
            assertThat(harness.send(TestRequest.get("https://api.example.com/two")))
                    .hasForwardedHeader("Authorization", "two minted-token-1");
            assertThat(harness.send(TestRequest.of("PUT", "https://api.example.com/two")))
                    .hasForwardedHeader("Authorization", "three minted-token-2");
        }
    }

    @Test
    void otherDestinationsAreLeftAlone() {
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get("https://other.example.com/")))
                    .hasForwardedHeader("Authorization")
                    .hasNoAnnotations("oauth_token");
        }
        assertThat(setup.server.asked).hasValue(0);
    }

    @Test
    void tokenIsRenewedBehindRequestsAheadOfItsEnd() throws Exception {
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            harness.time().advance(Duration.ofSeconds(3539));
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            harness.time().advance(Duration.ofSeconds(1));
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            String used = "";
            for (int i = 0; i < 3000 && !used.endsWith("2"); i++) {
                used = harness.send(TestRequest.get(Setup.URL)).sent().header("Authorization");
            }
            assertThat(used).isEqualTo("Bearer minted-token-2");
            assertThat(setup.server.asked).hasValue(2);
        }
    }

    @Test
    void answerWithoutExpiresInCountsFiveMinutes() {
        setup.server.instead = request -> TestResponse.ok(
                "{\"access_token\":\"minted-token-" + setup.server.asked + "\",\"token_type\":\"Bearer\"}");
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
            harness.time().advance(Duration.ofSeconds(239));
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
            assertThat(setup.server.asked).hasValue(1);
            harness.time().advance(Duration.ofSeconds(61));
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-2");
        }
    }

    @Test
    void changedCredentialIsUsedAndTheOldTokenGivenUp() {
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
            harness.rotate("SECRET", "n3w-secret");
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .isRefused(502, "token_unavailable")
                    .doesNotShow("n3w-secret");
            assertThat(setup.server.form).containsEntry("client_secret", "n3w-secret");
        }
    }

    @Test
    void missingCredentialIs502UntilItIsThere() {
        setup.entry = Setup.CLIENT_CREDENTIALS.replace("name: SECRET", "name: SECRET, optional: true");
        setup.secrets.remove("SECRET");
        try (TransformHarness harness = setup.start()) {
            ExchangeResult result = harness.send(TestRequest.get(Setup.URL));
            assertThat(result).isRefused(502, "token_unavailable");
            assertThat(result.body()).contains("(credential_unavailable)");
            harness.rotate("SECRET", TokenServer.SECRET);
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "OPTIONS"})
    void tokenEndpointIsAnsweredWithThePlaceholder(String method) {
        try (TransformHarness harness = setup.start()) {
            ExchangeResult result = harness.send(TestRequest.of(method, setup.endpoint + "?a=b"));
            assertThat(result)
                    .hasStatus(200)
                    .hasAnnotation("oauth_token", "stubbed", "oauth2_token_endpoint")
                    .hasAnnotation("oauth_token", "injected", null);
            assertThat(result.body()).isEqualTo(STUB);
            assertThat(result.headers().first("Content-Type")).isEqualTo("application/json");
            assertThat(result.forwarded()).isNull();
        }
        assertThat(setup.server.asked).hasValue(0);
    }

    @Test
    void stubIsTiedToHostAndPath() {
        try (TransformHarness harness = setup.start()) {
            int port = setup.issuerPort();
            assertThat(harness.send(TestRequest.get("http://localhost:" + port + "/oauth/tokens")))
                    .isForwarded();
            assertThat(harness.send(TestRequest.get("http://localhost:" + port + "/oauth/token/")))
                    .isForwarded();
            assertThat(harness.send(TestRequest.get("https://localhost:4711/oauth/token")))
                    .hasStatus(200)
                    .hasAnnotation("oauth_token", "stubbed", "oauth2_token_endpoint");
            assertThat(harness.send(TestRequest.get("http://example.com:" + port + "/oauth/token")))
                    .isForwarded();
            assertThat(harness.send(TestRequest.get("http://LOCALHOST.:" + port + "/oauth/%74oken")))
                    .hasStatus(200)
                    .hasAnnotation("oauth_token", "stubbed", "oauth2_token_endpoint");
        }
    }

    @Test
    void stubComesBeforeTheRules() {
        setup.endpoint = "https://api.example.com/token";
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get("https://api.example.com/token")))
                    .hasAnnotation("oauth_token", "stubbed", "oauth2_token_endpoint");
        }
    }

    @Test
    void whatStandsAfterIsNotAskedAboutTheTokenEndpoint() {
        try (TransformHarness harness = setup.builder()
                .then("refusing", Capabilities.none(), new Refusing())
                .start()) {
            assertThat(harness.send(TestRequest.get(setup.endpoint))).hasStatus(200);
            assertThat(harness.send(TestRequest.get(Setup.URL))).isRefused(403, "refused");
            assertThat(harness.connect("localhost:" + setup.issuerPort()).open())
                    .isTrue();
            assertThat(harness.connect("localhost:443").open()).isTrue();
            assertThat(harness.send(TestRequest.get("https://localhost/other"))).isRefused(403, "refused");
            assertThat(harness.connect("api.example.com:443").open()).isFalse();
        }
    }

    @Test
    void nothingIsMintedWhereCredentialsAreWithheld() {
        InlineTransform warning = context -> Decision.proceedWithoutCredentials();
        try (TransformHarness harness =
                setup.builder().then("warning", Capabilities.none(), warning).start()) {
            setup.server.asked.set(0);
            ExchangeResult result = harness.send(TestRequest.get(Setup.URL));
            assertThat(result)
                    .hasForwardedHeader("Authorization")
                    .hasAnnotation("oauth_token", "skipped", "not_allowlisted")
                    .hasAnnotation("oauth_token", "injected", null);
        }
    }

    @Test
    void tokenDoesNotComeBack() {
        try (TransformHarness harness = setup.builder()
                .upstream(request -> TestResponse.ok("you sent " + request.header("Authorization"))
                        .header("X-Echo", request.header("Authorization")))
                .start()) {
            ExchangeResult result = harness.send(
                    TestRequest.get(Setup.URL).header("Range", "bytes=3-").header("Accept-Encoding", "gzip, unknown"));
            assertThat(result)
                    .hasForwardedHeader("Range")
                    .hasForwardedHeader("Accept-Encoding", "gzip")
                    .doesNotShow("minted-token");
            assertThat(result.body()).isEqualTo("you sent Bearer sallyport-stub-token");
            assertThat(result.headers().first("X-Echo")).isEqualTo("Bearer sallyport-stub-token");
            assertThat(result.responseAnnotations("oauth_token"))
                    .containsEntry(
                            "redacted",
                            List.of(Map.of("secret", "access_token", "locations", List.of("header:X-Echo", "body"))));
        }
    }

    @Test
    void redactionCanBeOff() {
        setup.more = ", redact_response: off";
        try (TransformHarness harness = setup.builder()
                .upstream(request -> TestResponse.ok("you sent " + request.header("Authorization")))
                .start()) {
            ExchangeResult result = harness.send(TestRequest.get(Setup.URL).header("Range", "bytes=3-"));
            assertThat(result).hasForwardedHeader("Range", "bytes=3-");
            assertThat(result.body()).isEqualTo("you sent Bearer minted-token-1");
        }
    }

    @Test
    void withoutTlsNothingIsMintedForAnOriginThatIsFar() {
        try (TransformHarness harness = setup.builder().far().start()) {
            assertThat(harness.send(TestRequest.get(PLAINTEXT))).isRefused(403, "plaintext_credential");
            assertThat(setup.server.asked).hasValue(0);

            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            harness.time().advance(Duration.ofSeconds(3590));

            assertThat(harness.send(TestRequest.get(PLAINTEXT))).isRefused(403, "plaintext_credential");
            assertThat(setup.server.asked).hasValue(1);
        }
    }

    @Test
    void withoutTlsATokenGoesToAnOriginNearby() {
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(PLAINTEXT)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            assertThat(harness.send(TestRequest.get(PLAINTEXT)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
        }
    }

    @Test
    void withoutTlsATokenGoesWhereItsEntryAllowsIt() {
        setup.more = ", allow_plaintext: true";
        try (TransformHarness harness = setup.builder().far().start()) {
            assertThat(harness.send(TestRequest.get(PLAINTEXT)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            assertThat(harness.send(TestRequest.get(PLAINTEXT)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
        }
    }
}
