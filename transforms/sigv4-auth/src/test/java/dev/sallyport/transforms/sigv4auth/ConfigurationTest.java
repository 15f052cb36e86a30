package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/proxy-config.md, section "sigv4_auth": what may stand in a configuration. */
class ConfigurationTest {

    private static final String KEYS =
            "access_key_id: {type: fake, name: ID}, secret_access_key: {type: fake, name: SECRET}";
    private static final String RULES = ", rules: [{host: api.example.com}]";

    private static List<ConfigProblem> problems(String config) {
        return TransformHarness.of("transforms: [{name: sigv4_auth, config: {" + config + "}}]")
                .secrets(Workload.secrets().set("BAD", "two words").set("SLASH", "AKID/0123456789"))
                .problems();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "access_key_id: {type: fake, name: ID}                                         | /secret_access_key",
                "secret_access_key: {type: fake, name: SECRET}                                 | /access_key_id",
                "session_token: {type: fake, name: TOKEN}                                      | /access_key_id",
                "KEYS, credentials_provider: {type: workload_identity}                         | /credentials_provider",
                "session_token: {type: fake, name: TOKEN}, credentials_provider: {type: workload_identity} | /credentials_provider",
                "credentials_provider: {type: instance}                                        | /credentials_provider/type",
                "credentials_provider: {region: eu-west-1}                                     | /credentials_provider/type",
                "credentials_provider: {type: workload_identity, region: 'a b'}                | /credentials_provider/region",
                "KEYS, allowed_regions: ['']                                                   | /allowed_regions/0",
                "KEYS, allowed_services: [s3, 'a b']                                           | /allowed_services/1",
                "KEYS, unsigned_payload: perhaps                                               | /unsigned_payload",
                "KEYS, allow_chunked_body: perhaps                                             | /allow_chunked_body",
                "KEYS, redact_response: perhaps                                                | /redact_response",
                "access_key_id: {type: fake, name: BAD}, secret_access_key: {type: fake, name: SECRET} | /access_key_id",
                "access_key_id: {type: fake, name: SLASH}, secret_access_key: {type: fake, name: SECRET} | /access_key_id",
                "KEYS, session_token: {type: fake, name: BAD}                                  | /access_key_id"
            })
    void errorsSayWhere(String config, String pointer) {
        assertThat(problems(config.replace("KEYS", KEYS) + RULES))
                .extracting(ConfigProblem::pointer)
                .anySatisfy(at -> assertThat(at).endsWith("/config" + pointer));
    }

    @Test
    void atLeastOneRuleIsNeeded() {
        assertThat(problems(KEYS + ", rules: []"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.pointer()).endsWith("/config/rules"));
        assertThat(problems(KEYS)).isNotEmpty();
        assertThat(problems(KEYS + RULES)).isEmpty();
    }

    @Test
    void nothingIsSignedWhereThePolicyOnlyWarns() {
        InlineTransform warning = context -> Decision.proceedWithoutCredentials();
        TestRequest request =
                Workload.signed(TestRequest.get("https://sqs.eu-west-1.amazonaws.com/123/queue"), "sqs", "");
        try (TransformHarness harness = Workload.harness(true)
                .then("warning", Capabilities.none(), warning)
                .start()) {
            ExchangeResult result = harness.send(request);
            assertThat(result)
                    .hasForwardedHeader(
                            "Authorization", Workload.authorization("sqs", "host;x-amz-content-sha256;x-amz-date"))
                    .hasForwardedHeader("X-Amz-Security-Token")
                    .hasAnnotation("sigv4_auth", "skipped", "not_allowlisted");
        }
    }

    @Test
    void textOfTheConfigurationShowsNoValues() {
        assertThat(Lent.config(true).toString()).doesNotContain("ID", "SECRET", "TOKEN");
    }
}
