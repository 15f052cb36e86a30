package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 1, laws 3 and 6: needs and effects are declared; secrets never leave by another door. */
class LeakTest {

    private record Source(String name) {}

    private static final SecretRef REFERENCE = new SecretRef("fake", new Source("TOKEN"), "", false, "");

    @Test
    void textFormsShowNoValues() {
        SecretsConfig config =
                config(new SecretsConfig.Replace("PLACEHOLDER", List.of("X"), true, true, true, true, true));

        assertThat(config.toString()
                        + config.secrets()
                        + config.secrets().getFirst().replace()
                        + new SecretsConfig.Inject("X-Key", null, "formatter", true))
                .doesNotContain("PLACEHOLDER", "TOKEN", "X-Key", "formatter");
    }

    @Test
    void laterTransformsThatDiscloseSeePlaceholdersOnly() {
        AtomicReference<String> seen = new AtomicReference<>("");
        InlineTransform discloser = context -> {
            seen.set(context.head().target() + context.head().headers().first("X-Token"));
            return Decision.proceed();
        };
        Capabilities discloses =
                Capabilities.builder().effects(Effect.DISCLOSES_CONTENT).build();
        try (TransformHarness harness = Fixture.harness(Fixture.replace(", match_query: true, match_path: true"))
                .then("discloser", discloses, discloser)
                .start()) {
            ExchangeResult result = harness.send(
                    TestRequest.get("https://a.test/PLACEHOLDER?q=PLACEHOLDER").header("X-Token", "PLACEHOLDER"));

            assertThat(result).hasForwardedHeader("X-Token", REAL);
            assertThat(seen.get()).doesNotContain("s3cr3t").startsWith("/PLACEHOLDER?q=PLACEHOLDER");
        }
    }

    @Test
    void withheldCredentialsMeanNoSwapAndNoInjection() {
        InlineTransform warner = context -> Decision.proceedWithoutCredentials();
        try (TransformHarness harness = Fixture.harness(
                        Fixture.replace(", match_body: true"), Fixture.inject("header: X-Key"))
                .then("warner", Capabilities.none(), warner)
                .start()) {
            assertThat(harness.send(TestRequest.post("https://a.test/", "text/plain", "PLACEHOLDER")
                            .header("X-Token", "PLACEHOLDER")))
                    .isForwarded()
                    .hasForwardedBody("PLACEHOLDER")
                    .hasForwardedHeader("X-Token", "PLACEHOLDER")
                    .hasForwardedHeader("X-Key")
                    .hasAnnotation("secrets", "skipped", "not_allowlisted");
        }
    }

    @Test
    void declaresExactlyWhatTheEntriesNeed() {
        SecretsFactory factory = new SecretsFactory();

        Capabilities headers = factory.capabilities(
                config(new SecretsConfig.Replace("P", List.of(), false, false, false, true, true)));
        Capabilities body = factory.capabilities(
                config(new SecretsConfig.Replace("P", List.of(), true, false, false, false, false)));
        Capabilities requiredBody =
                factory.capabilities(config(new SecretsConfig.Replace("P", List.of(), true, true, true, true, false)));

        assertThat(headers.effects()).containsExactly(Effect.INJECTS_CREDENTIAL);
        assertThat(headers.writes()).containsExactlyInAnyOrder(Part.REQUEST_HEADERS, Part.REQUEST_TRAILERS);
        assertThat(headers.reads()).isEmpty();
        assertThat(body.writes()).containsExactlyInAnyOrder(Part.REQUEST_BODY, Part.MESSAGES);
        assertThat(body.reads()).isEmpty();
        assertThat(requiredBody.writes())
                .containsExactlyInAnyOrder(Part.REQUEST_BODY, Part.MESSAGES, Part.PATH, Part.QUERY);
        assertThat(requiredBody.reads()).containsExactly(Part.REQUEST_BODY);
        assertThat(factory.capabilities(new SecretsConfig(List.of())).effects()).isEmpty();
    }

    /** Placeholders are looked for everywhere; credentials go where the rules are. */
    @Test
    void effectsStayWithinTheRules() {
        SecretsFactory factory = new SecretsFactory();
        List<Rule> rules = List.of(Rule.host("api.example.com"));
        SecretsConfig.Replace replace = new SecretsConfig.Replace("P", List.of(), false, false, false, false, true);
        SecretsConfig.Inject inject = new SecretsConfig.Inject("X-Key", null, null, true);

        Capabilities replaces = factory.capabilities(config(null, replace, rules));
        Capabilities injects = factory.capabilities(config(inject, null, rules));

        assertThat(replaces.scope()).isEmpty();
        assertThat(replaces.effectScope()).isEqualTo(rules);
        assertThat(injects.scope()).isEqualTo(rules);
        assertThat(injects.effectScope()).isEqualTo(rules);
    }

    private static SecretsConfig config(SecretsConfig.Replace replace) {
        return config(replace, RedactResponse.OFF);
    }

    private static SecretsConfig config(SecretsConfig.Replace replace, RedactResponse when) {
        return config(null, replace, List.of(), when);
    }

    private static SecretsConfig config(SecretsConfig.Inject inject, SecretsConfig.Replace replace, List<Rule> rules) {
        return config(inject, replace, rules, RedactResponse.SWAPPED);
    }

    private static SecretsConfig config(
            SecretsConfig.Inject inject, SecretsConfig.Replace replace, List<Rule> rules, RedactResponse when) {
        return new SecretsConfig(List.of(new SecretsConfig.Entry(
                REFERENCE, inject, replace, rules, null, false, when, null, List.of(), null, null, null, null)));
    }
}
