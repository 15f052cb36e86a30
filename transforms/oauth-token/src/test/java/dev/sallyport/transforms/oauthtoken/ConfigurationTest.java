package dev.sallyport.transforms.oauthtoken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "oauth_token": what is required, and what is refused, with its place. */
class ConfigurationTest {

    private static final String SECRET = "{type: fake, name: ID}";

    private final Setup setup = new Setup();

    @AfterEach
    void close() {
        setup.close();
    }

    private static void assertOnly(List<ConfigProblem> problems, String pointer) {
        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.pointer()).endsWith("/config" + pointer);
            assertThat(problem.toString()).doesNotContain("s3cr3t").doesNotContain("BEGIN");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "client_credentials, client_id",
        "client_credentials, client_secret",
        "password, username",
        "password, password",
        "password, client_id",
        "refresh_token, refresh_token",
        "refresh_token, client_id",
        "jwt_bearer, issuer",
        "jwt_bearer, subject",
        "jwt_bearer, private_key",
        "jwt_bearer, audience"
    })
    void grantNeedsItsCredentials(String grant, String missing) {
        setup.entry = entry(grant).replaceFirst(", " + missing + ": ('[^']*'|\\{[^}]*})", "");
        assertOnly(setup.builder().problems(), "/tokens/0/" + missing);
    }

    /** A field of iron-proxy, whose default there lets requests go on without their token. */
    @Test
    void noRequestGoesOnWithoutItsToken() {
        setup.entry = Setup.CLIENT_CREDENTIALS + ", require: true";
        assertThat(setup.builder().problems()).isEmpty();
        setup.entry = Setup.CLIENT_CREDENTIALS + ", require: false";
        assertOnly(setup.builder().problems(), "/tokens/0/require");
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
    @CsvSource({
        "client_credentials, refresh_token",
        "client_credentials, username",
        "client_credentials, private_key_id",
        "password, issuer",
        "refresh_token, password",
        "jwt_bearer, client_id",
        "jwt_bearer, client_secret"
    })
    void grantHasNoUseForOthers(String grant, String extra) {
        setup.entry = entry(grant) + ", " + extra + ": " + SECRET;
        assertOnly(setup.builder().problems(), "/tokens/0/" + extra);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ", grant2: x                                        | /tokens/0/grant2",
                ", scopes: ['a b']                                  | /tokens/0/scopes/0",
                ", scopes: [a, '']                                  | /tokens/0/scopes/1",
                ", header: 'a b'                                    | /tokens/0/header",
                ", header: Host                                     | /tokens/0/header",
                ", value_prefix: \"a\\tb\"                          | /tokens/0/value_prefix",
                ", client_auth: header                              | /tokens/0/client_auth",
                ", audience: ''                                     | /tokens/0/audience",
                ", redact_response: sometimes                       | /tokens/0/redact_response",
                ", token_endpoint_headers: {'a b': {type: fake, name: ID}}           | /tokens/0/token_endpoint_headers/a b",
                ", token_endpoint_headers: {Content-Length: {type: fake, name: ID}}  | /tokens/0/token_endpoint_headers/Content-Length",
                ", token_endpoint_headers: {content-type: {type: fake, name: ID}}    | /tokens/0/token_endpoint_headers/content-type",
                ", client_auth: basic, token_endpoint_headers: {authorization: {type: fake, name: ID}} | /tokens/0/token_endpoint_headers/authorization"
            })
    void fieldIsRefused(String more, String pointer) {
        setup.more = more;
        assertOnly(setup.builder().problems(), pointer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "login.example.com/token",
                "ftp://login.example.com/token",
                "https:///token",
                "https://user:s3cr3t@login.example.com/token",
                "https://login.example.com/token#a",
                "https://a b/"
            })
    void endpointIsAnAbsoluteUrl(String url) {
        setup.endpoint = url;
        assertOnly(setup.builder().problems(), "/tokens/0/token_endpoint");
    }

    @Test
    void grantIsOneOfFour() {
        setup.entry = Setup.CLIENT_CREDENTIALS.replace("grant: client_credentials", "grant: authorization_code");
        assertOnly(setup.builder().problems(), "/tokens/0/grant");
    }

    @Test
    void basicNeedsASecret() {
        setup.entry = Setup.PASSWORD.replace(", client_secret: {type: fake, name: SECRET}", "");
        setup.more = ", client_auth: basic";
        assertOnly(setup.builder().problems(), "/tokens/0/client_auth");
    }

    @Test
    void tokensAndRulesAreNeeded() {
        assertOnly(setup.builder("[]").problems(), "/tokens");
        String noRules = "[{" + Setup.CLIENT_CREDENTIALS + ", token_endpoint: 'https://a.example/t', rules: []}]";
        assertOnly(setup.builder(noRules).problems(), "/tokens/0/rules");
        assertOnly(setup.builder(noRules.replace(", rules: []", "")).problems(), "/tokens/0/rules");
        String noEndpoint = "[{" + Setup.CLIENT_CREDENTIALS + ", rules: [{host: a.example}]}]";
        assertOnly(setup.builder(noEndpoint).problems(), "/tokens/0/token_endpoint");
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", "ec", "short", "encrypted", "base64", "certificate"})
    void keyIsRsa(String kind) {
        setup.entry = Setup.JWT_BEARER;
        setup.secrets.set(
                "KEY",
                switch (kind) {
                    case "ec" -> Keys.pkcs8(Keys.generate("EC", 256).getPrivate());
                    case "short" -> Keys.pkcs8(Keys.generate("RSA", 1024).getPrivate());
                    case "encrypted" -> Keys.pem("ENCRYPTED PRIVATE KEY", new byte[40]);
                    case "base64" -> "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
                    case "certificate" -> Keys.pem("CERTIFICATE", new byte[40]);
                    default -> "s3cr3t garbage";
                });
        assertOnly(setup.builder().problems(), "/tokens/0/private_key");
    }
}
