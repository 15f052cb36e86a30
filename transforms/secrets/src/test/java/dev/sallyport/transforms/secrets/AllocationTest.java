package dev.sallyport.transforms.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testkit.Allocations;
import dev.sallyport.testkit.TestContext;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.match.CompiledRules;
import dev.sallyport.toolkit.scan.Placeholders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 6: a request without placeholders costs no object, whatever is configured. */
class AllocationTest {

    private record Fixed(String name, SecretValue value) implements Secret {
        @Override
        public boolean available() {
            return true;
        }

        @Override
        public long version() {
            return 1;
        }
    }

    @Test
    void requestWithoutPlaceholdersCostsNoObject() throws ConfigException {
        RuleSet rules = CompiledRules.of(List.of(Rule.host("api.example.com")));
        Secrets secrets = secrets(rules, false);
        TestContext request = TestContext.of(TestRequest.get("https://api.example.com/a%20b/c?q=%41&token=none")
                .header("Authorization", "Basic dXNlcjpwYXNzd29yZA==")
                .header("Accept", "*/*")
                .header("Cookie", "a=b; c=d"));

        assertThat(secrets.decide(request)).isSameAs(Decision.proceed());
        assertThat(Allocations.bytesPerCall(() -> secrets.decide(request))).isZero();
    }

    @Test
    void requestToAnotherDestinationCostsNoObject() throws ConfigException {
        RuleSet rules = CompiledRules.of(List.of(Rule.host("other.example.com")));
        Secrets secrets = secrets(rules, true);
        TestContext request = TestContext.of(TestRequest.get("https://api.example.com/a%20b/c?q=%41&token=none")
                .header("Authorization", "Basic dXNlcjpwYXNzd29yZA==")
                .header("Cookie", "a=b; c=%64"));

        assertThat(secrets.decide(request)).isSameAs(Decision.proceed());
        assertThat(Allocations.bytesPerCall(() -> secrets.decide(request))).isZero();
    }

    @Test
    void bodyThatNoEntryScansCostsNoObject() throws ConfigException {
        RuleSet rules = CompiledRules.of(List.of(Rule.host("other.example.com")));
        Secrets secrets = secrets(rules, false);
        TestContext request = TestContext.of(TestRequest.post("https://api.example.com/", "text/plain", "some body"));

        assertThat(Allocations.bytesPerCall(() -> secrets.decide(request))).isZero();
    }

    private static Secrets secrets(RuleSet rules, boolean matchBody) {
        Plan plan = plan(rules, matchBody);
        return new Secrets(plan);
    }

    private static Plan plan(RuleSet rules, boolean matchBody) {
        SecretsConfig.Replace replace =
                new SecretsConfig.Replace("PLACEHOLDER", List.of(), matchBody, true, true, false, true);
        Secret secret = new Fixed("TOKEN", SecretValue.of("real"));
        EntryCredential credential = new EntryCredential(0, "", secret, null, RedactResponse.OFF, null, null);
        Replacement replacement =
                new Replacement(0, 0, secret, rules, replace, HeaderPatterns.of(List.of()), true, false, credential);
        return new Plan(
                Placeholders.of(List.of("PLACEHOLDER".getBytes(StandardCharsets.US_ASCII))),
                List.of(List.of(replacement)),
                HeaderPatterns.of(List.of()),
                new EntryGroup<>(List.of(), null),
                new EntryGroup<>(List.of(replacement), rules),
                new EntryGroup<>(matchBody ? List.of(replacement) : List.of(), rules),
                new EntryGroup<>(List.of(), null),
                new EntryGroup<>(List.of(), null));
    }
}
