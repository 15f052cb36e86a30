package dev.sallyport.transforms.oauthtoken;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.TransformHarness;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "Errors": a mint that fails is a 502 that tells what is safe to tell. */
class FailuresTest {

    private final Setup setup = new Setup();

    @AfterEach
    void close() {
        setup.close();
    }

    private static void assertFails(ExchangeResult result, String grant, String reason) {
        assertThat(result)
                .isRefused(502, "token_unavailable")
                .hasAnnotation("oauth_token", "rejected", "token_unavailable")
                .hasAnnotation("oauth_token", "error", reason)
                .hasAnnotation("oauth_token", "grant", grant)
                .doesNotShow(TokenServer.SECRET)
                .doesNotShow(TokenServer.REFRESH)
                .doesNotShow(TokenServer.PASSWORD)
                .doesNotShow("minted-token")
                .doesNotShow(TokenServer.TEXT);
        assertThat(result.body())
                .contains(
                        "\"detail\":\"No access token could be minted with the grant " + grant + " (" + reason + ").\"")
                .contains("transforms[0].tokens[0]");
    }

    private void assertFails(String reason) {
        try (TransformHarness harness = setup.start()) {
            assertFails(harness.send(TestRequest.get(Setup.URL)), "client_credentials", reason);
        }
    }

    @Test
    void wrongClient() {
        setup.secrets.set("SECRET", "wrong-secret");
        assertFails("invalid_client");
    }

    @Test
    void wrongPassword() {
        setup.entry = Setup.PASSWORD;
        setup.secrets.set("PASSWORD", "wrong-password");
        try (TransformHarness harness = setup.start()) {
            assertFails(harness.send(TestRequest.get(Setup.URL)), "password", "invalid_grant");
        }
    }

    @Test
    void refreshTokenThatIsNoLongerGood() {
        setup.entry = Setup.REFRESH_TOKEN;
        setup.server.valid.clear();
        try (TransformHarness harness = setup.start()) {
            assertFails(harness.send(TestRequest.get(Setup.URL)), "refresh_token", "invalid_grant");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid_scope, invalid_scope",
        "400, made_up_by_the_endpoint, token_endpoint_http_400",
        "500, server_error, server_error",
        "503, '', token_endpoint_http_503",
        "200, invalid_grant, invalid_grant",
        "200, made_up, token_endpoint_answer"
    })
    void onlyRegisteredCodesAreShown(int status, String code, String reason) {
        setup.server.instead = request -> TokenServer.error(status, code);
        assertFails(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>text-of-the-endpoint</html>",
                "[]",
                "null",
                "{\"token_type\":\"Bearer\"}",
                "{\"access_token\":\"\"}",
                "{\"access_token\":17}",
                "{\"access_token\":[\"minted-token\"]}",
                "{\"access_token\":\"minted\\ntoken\"}",
                "{\"access_token\":\"minted\\u0000token\"}",
                "{\"access_token\":\"t\\u00f6ken\"}",
                "{\"access_token\":\"a\",\"access_token\":\"minted-token\",\"expires_in\":10}",
                "{\"access_token\":\"minted-token\",\"expires_in\":10}{}",
                "{\"access_token\":\"minted-token\",\"x\":{\"a\":1,\"a\":2}}",
                "{\"access_token\":\"minted-token\""
            })
    void answerWithoutAUsableToken(String body) {
        setup.server.instead = request -> TestResponse.ok(body);
        assertFails("token_endpoint_answer");
    }

    /** Five minutes where there is no sensible lifetime. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"3600\" | 3500",
                "3600.0 | 3500",
                "9223372036854775807 | 31000000",
                "99999999999999999999 | 280",
                "\"soon\" | 280",
                "null | 280",
                "0 | 280",
                "-1 | 280",
                "{} | 280"
            })
    void lifetimeIsNoReasonToFail(String expiresIn, int seconds) {
        setup.server.instead = request -> TestResponse.ok("{\"access_token\":\""
                + TokenServer.value(setup.server.asked.get()) + "\",\"expires_in\":" + expiresIn + "}");
        try (TransformHarness harness = setup.start()) {
            for (int i = 0; i < 2; i++) {
                assertThat(harness.send(TestRequest.get(Setup.URL)))
                        .hasForwardedHeader("Authorization", "Bearer minted-token-1");
                harness.time().advance(Duration.ofSeconds(seconds));
            }
        }
    }

    @Test
    void redirectIsNotFollowed() {
        setup.server.instead =
                request -> TestResponse.status(307).header("Location", setup.issuer.url() + "/elsewhere");
        assertFails("token_endpoint_http_307");
        assertThat(setup.server.asked).hasValue(1);
    }

    @Test
    void nobodyIsThere() {
        TestUpstream gone = TestUpstream.http(setup.server);
        gone.close();
        setup.endpoint = gone.url() + "/oauth/token";
        assertFails("token_endpoint_unreachable");
    }

    @Test
    void nobodyAnswersInTime() {
        HttpCaller silent = call -> {
            assertThat(call.timeout()).isEqualTo(Duration.ofSeconds(15));
            return CompletableFuture.failedFuture(new TimeoutException(TokenServer.TEXT));
        };
        try (TransformHarness harness = setup.builder().http(silent).start()) {
            assertFails(harness.send(TestRequest.get(Setup.URL)), "client_credentials", "token_endpoint_timeout");
        }
    }

    @Test
    void failureStandsForASecondAndThenOneMoreMintIsTried() {
        setup.server.instead = request -> TokenServer.error(400, "invalid_request");
        try (TransformHarness harness = setup.start()) {
            for (int i = 0; i < 5; i++) {
                assertFails(harness.send(TestRequest.get(Setup.URL)), "client_credentials", "invalid_request");
            }
            assertThat(setup.server.asked).hasValue(1);
            setup.server.instead = null;
            harness.time().advance(Duration.ofSeconds(1));
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-2");
        }
    }

    @ParameterizedTest
    @CsvSource({"429, 20, 20", "503, 20, 20", "429, date, 20", "429, nonsense, 1", "400, 20, 1", "429, 99999, 300"})
    void issuerIsLeftAloneForAsLongAsItAsked(int status, String retryAfter, int seconds) {
        try (TransformHarness harness = setup.start()) {
            String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                    harness.time().clock().instant().plusSeconds(20).atOffset(ZoneOffset.UTC));
            setup.server.instead = request ->
                    TestResponse.status(status).header("Retry-After", retryAfter.equals("date") ? date : retryAfter);
            String reason = "token_endpoint_http_" + status;
            assertFails(harness.send(TestRequest.get(Setup.URL)), "client_credentials", reason);
            setup.server.instead = null;
            harness.time().advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertFails(harness.send(TestRequest.get(Setup.URL)), "client_credentials", reason);
            assertThat(setup.server.asked).hasValue(1);
            harness.time().advance(Duration.ofMillis(1));
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
        }
    }
}
