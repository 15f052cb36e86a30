package dev.sallyport.transforms.oauthtoken;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6749, 4.3, 4.4 and 6; RFC 7523, 2.1: what the issuer is asked, by an issuer that enforces it. */
class GrantsTest {

    private final Setup setup = new Setup();

    @AfterEach
    void close() {
        setup.close();
    }

    private static String entry(String grant) {
        return switch (grant) {
            case "client_credentials" -> Setup.CLIENT_CREDENTIALS;
            case "password" -> Setup.PASSWORD;
            case "refresh_token" -> Setup.REFRESH_TOKEN;
            default -> Setup.JWT_BEARER;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"client_credentials", "password", "refresh_token", "jwt_bearer"})
    void issuerAcceptsEachGrantAndTheTokenIsInjected(String grant) {
        setup.entry = entry(grant);
        try (TransformHarness harness = setup.start()) {
            ExchangeResult result =
                    harness.send(TestRequest.get(Setup.URL).header("authorization", "Bearer sallyport-stub-token"));

            assertThat(result)
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1")
                    .hasAnnotation("oauth_token", "injected", List.of("header:Authorization"))
                    .hasAnnotation("oauth_token", "grant", grant)
                    .doesNotShow("minted-token");
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
            assertThat(setup.server.asked).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"client_credentials", "password", "refresh_token"})
    void basicCarriesTheClientEncodedAsInAForm(String grant) {
        setup.entry = entry(grant);
        setup.more = ", client_auth: basic";
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
        }
        assertThat(setup.issuer.requests())
                .singleElement()
                .satisfies(request ->
                        assertThat(request.body()).doesNotContain("client_id").doesNotContain("client_secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"password", "refresh_token"})
    void publicClientShowsItsNameOnly(String grant) {
        setup.entry = entry(grant).replace(", client_secret: {type: fake, name: SECRET}", "");
        setup.server.instead = request -> TokenServer.error(400, "invalid_client");
        try (TransformHarness harness = setup.start()) {
            harness.send(TestRequest.get(Setup.URL));
        }
        assertThat(setup.server.form)
                .containsEntry("client_id", TokenServer.CLIENT)
                .doesNotContainKey("client_secret");
    }

    @ParameterizedTest
    @CsvSource({"client_credentials, true", "password, true", "refresh_token, true", "jwt_bearer, false"})
    void scopesAndAudienceAreAskedFor(String grant, boolean asParameter) {
        setup.entry = entry(grant);
        setup.more = ", scopes: [read, 'write:all']" + (asParameter ? ", audience: 'https://api.example.com'" : "");
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
        }
        assertThat(setup.server.form).containsEntry("scope", "read write:all");
        if (asParameter) {
            assertThat(setup.server.form).containsEntry("audience", "https://api.example.com");
        } else {
            assertThat(setup.server.form).doesNotContainKey("audience");
        }
    }

    @Test
    void nothingIsAskedForWhatIsNotConfigured() {
        try (TransformHarness harness = setup.start()) {
            harness.send(TestRequest.get(Setup.URL));
        }
        assertThat(setup.server.form).containsOnlyKeys("grant_type", "client_id", "client_secret");
    }

    @Test
    void keyMayBePkcs1() {
        setup.entry = Setup.JWT_BEARER;
        setup.secrets.set("KEY", "# the key\n" + Keys.pkcs1().replace("\n", "\r\n"));
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-1");
        }
    }

    @Test
    void assertionWithAnotherKeyIsRefusedByTheIssuer() {
        setup.entry = Setup.JWT_BEARER;
        setup.secrets.set("KEY", Keys.pkcs8(Keys.generate("RSA", 2048).getPrivate()));
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL))).isRefused(502, "token_unavailable");
        }
    }

    @Test
    void keyThatTurnsUnusableIsAFailedMint() {
        setup.entry = Setup.JWT_BEARER;
        try (TransformHarness harness = setup.start()) {
            harness.rotate("KEY", "not a key any more");
            ExchangeResult result = harness.send(TestRequest.get(Setup.URL));
            assertThat(result).isRefused(502, "token_unavailable").doesNotShow("not a key any more");
            assertThat(result.body()).contains("(private_key_unusable)");
        }
        assertThat(setup.server.asked).hasValue(0);
    }

    @Test
    void headersOfTheRequestForATokenAreAdded() {
        setup.more = ", token_endpoint_headers: {X-aPI-Key: {type: fake, name: PASSWORD},"
                + " accept: {type: fake, name: KID}}";
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
        }
        assertThat(setup.issuer.requests()).singleElement().satisfies(request -> {
            assertThat(request.headers().all("X-Api-Key")).containsExactly(TokenServer.PASSWORD);
            assertThat(request.headers().all("Accept")).containsExactly("key-7");
        });
    }

    @Test
    void headerThatWouldBreakALineIsAFailedMint() {
        setup.more = ", token_endpoint_headers: {X-Key: {type: fake, name: KEY}}";
        try (TransformHarness harness = setup.start()) {
            ExchangeResult result = harness.send(TestRequest.get(Setup.URL));
            assertThat(result).isRefused(502, "token_unavailable");
            assertThat(result.body()).contains("(credential_unusable)");
        }
    }

    @Test
    void newRefreshTokenReplacesTheOldOneUntilTheConfiguredOneChanges() {
        setup.entry = Setup.REFRESH_TOKEN;
        setup.server.rotates = true;
        setup.server.lifetime = 1;
        try (TransformHarness harness = setup.start()) {
            for (int i = 1; i <= 3; i++) {
                assertThat(harness.send(TestRequest.get(Setup.URL)))
                        .hasForwardedHeader("Authorization", "Bearer minted-token-" + i);
                assertThat(setup.server.form)
                        .containsEntry("refresh_token", i == 1 ? TokenServer.REFRESH : "rotated-refresh-" + (i - 1));
                harness.time().advance(Duration.ofSeconds(2));
            }
            setup.server.valid.add("another-one");
            harness.rotate("REFRESH", "another-one");
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
            assertThat(setup.server.form).containsEntry("refresh_token", "another-one");
        }
    }

    @Test
    void otherCredentialThatChangesDoesNotBringTheOldRefreshTokenBack() {
        setup.entry = Setup.REFRESH_TOKEN + ", token_endpoint_headers: {X-Key: {type: fake, name: PASSWORD}}";
        setup.server.rotates = true;
        try (TransformHarness harness = setup.start()) {
            assertThat(harness.send(TestRequest.get(Setup.URL))).isForwarded();
            harness.rotate("PASSWORD", "another");
            assertThat(harness.send(TestRequest.get(Setup.URL)))
                    .hasForwardedHeader("Authorization", "Bearer minted-token-2");
            assertThat(setup.server.form).containsEntry("refresh_token", "rotated-refresh-1");
        }
    }
}
