package dev.sallyport.transforms.allowlist;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.TunnelResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "allowlist"; docs/spec/decisions.md, sections 1, 3 and 6 (warn). */
class AllowlistTest {

    @Test
    void emptyListDeniesEverything() {
        try (TransformHarness harness = allowlist("{}")) {
            assertThat(harness.send(TestRequest.get("https://example.com/"))).isRefused(403, "destination_not_allowed");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, https://example.com/any?x=1, true",
        "example.com, https://EXAMPLE.com:8443/, true",
        "example.com, https://a.example.com/, false",
        "'*.example.com', https://a.b.example.com/, true",
        "'*.example.com', https://example.com/, true",
        "'*.example.com', https://notexample.com/, false",
        "'*', https://anything.test/, true"
    })
    void domainsAllowAllMethodsAndPaths(String domain, String url, boolean allowed) {
        try (TransformHarness harness = allowlist("{domains: ['" + domain + "']}")) {
            for (String method : List.of("GET", "DELETE")) {
                assertThat(harness.send(TestRequest.of(method, url)).forwarded() != null)
                        .isEqualTo(allowed);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, http://10.1.2.3/, true",
        "10.0.0.0/8, http://11.1.2.3/, false",
        "10.0.0.0/8, http://ten.example.com/, false",
        "203.0.113.7, http://203.0.113.7/, true"
    })
    void cidrsMatchAddressLiteralsOnly(String cidr, String url, boolean allowed) {
        try (TransformHarness harness = allowlist("{cidrs: ['" + cidr + "']}")) {
            assertThat(harness.send(TestRequest.get(url)).forwarded() != null).isEqualTo(allowed);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, https://api.example.com/v1/items, true",
        "GET, https://api.example.com/v1, true",
        "GET, https://api.example.com/v1x, false",
        "POST, https://api.example.com/v1/items, false",
        "GET, https://other.example.com/v1/items, false",
        "GET, https://flat.example.com/, true"
    })
    void anyRuleOrFlatEntryAllows(String method, String url, boolean allowed) {
        String config =
                "{domains: [flat.example.com], rules: [{host: api.example.com, methods: [get], paths: [/v1/*]}]}";
        try (TransformHarness harness = allowlist(config)) {
            assertThat(harness.send(TestRequest.of(method, url)).forwarded() != null)
                    .isEqualTo(allowed);
        }
    }

    @Test
    void refusalNamesTheHostAndNotThePolicy() {
        try (TransformHarness harness = allowlist("{domains: [internal-name.example.com]}")) {
            ExchangeResult result = harness.send(TestRequest.get("https://evil.test/path"));

            assertThat(result).isRefused(403, "destination_not_allowed").doesNotShow("internal-name");
            assertThat(result.body()).contains("evil.test").doesNotContain("/path");
            assertThat(result.audit()).containsEntry("rejected_by", "allowlist");
        }
    }

    @Test
    void hostOnlyRequestsAreMatchedByHostAlone() {
        String config = "{domains: [a.example.com], rules: [{host: b.example.com, paths: [/v1/*]}]}";
        try (TransformHarness harness = allowlist(config)) {
            assertThat(harness.send(TestRequest.hostOnly("a.example.com")).forwarded())
                    .isNotNull();
            assertThat(harness.send(TestRequest.hostOnly("b.example.com")).status())
                    .isEqualTo(403);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com:443, true",
        "other.example.com:443, false",
        "203.0.113.9:443, true", // the name is still to come
    })
    void tunnelsAreRefusedOnlyToHostsThatNoRuleCouldAllow(String target, boolean open) {
        try (TransformHarness harness =
                allowlist("{rules: [{host: api.example.com, methods: [POST], paths: [/v1]}]}")) {
            TunnelResult tunnel = harness.connect(target);

            assertThat(tunnel.open()).isEqualTo(open);
            if (!open) {
                assertThat(tunnel.status()).isEqualTo(403);
                assertThat(tunnel.code()).isEqualTo("destination_not_allowed");
            }
        }
    }

    @Test
    void warnLetsEveryTunnelOpen() {
        try (TransformHarness harness = allowlist("{domains: [example.com], warn: true}")) {
            assertThat(harness.connect("other.test:443").open()).isTrue();
        }
    }

    @Test
    void warnNotesAndGoesOnWithoutCredentials() {
        InlineTransform injector = context -> Decision.proceed(
                Edits.builder().sensitive().setHeader("Authorization", "real").build());
        Capabilities injects = Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
        try (TransformHarness harness = TransformHarness.of(yaml("{domains: [example.com], warn: true}"))
                .then("injector", injects, injector)
                .start()) {
            ExchangeResult listed = harness.send(TestRequest.get("https://example.com/"));
            ExchangeResult unlisted = harness.send(TestRequest.get("https://other.test/"));

            assertThat(listed)
                    .isForwarded()
                    .hasForwardedHeader("Authorization", "real")
                    .hasNoAnnotations("allowlist");
            assertThat(unlisted)
                    .isForwarded()
                    .hasForwardedHeader("Authorization")
                    .hasAnnotation("allowlist", "action", "warn")
                    .hasAnnotation("injector", "skipped", "not_allowlisted");
            assertThat(unlisted.audit()).containsEntry("level", "WARN").containsEntry("msg", "request");
        }
    }

    @Test
    void everyProblemIsReportedAtItsPlace() {
        assertThat(TransformHarness.of(
                                yaml("{domains: ['ok.test', 'https://bad/', ''], cidrs: ['10.0.0.0/99', '::/0', 'x']}"))
                        .problems())
                .extracting(ConfigProblem::pointer)
                .containsExactlyInAnyOrder(
                        "/transforms/0/config/domains/1",
                        "/transforms/0/config/domains/2",
                        "/transforms/0/config/cidrs/0",
                        "/transforms/0/config/cidrs/2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"domains: ['https://bad/']", "domains: ['']", "cidrs: ['10.0.0.0/99']", "cidrs: ['host']"})
    void malformedEntryIsAConfigurationError(String field) {
        String key = field.substring(0, field.indexOf(':'));

        assertThat(TransformHarness.of(yaml("{" + field + "}")).problems())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.pointer()).isEqualTo("/transforms/0/config/" + key + "/0");
                    assertThat(problem.expected()).isNotEmpty();
                });
    }

    @Test
    void declaresNothingBecauseItOnlyJudges() {
        Capabilities declared =
                new AllowlistFactory().capabilities(new AllowlistConfig(List.of(), List.of(), List.of(), true, false));

        assertThat(declared.reads()).isEmpty();
        assertThat(declared.writes()).isEmpty();
        assertThat(declared.effects()).isEmpty();
        assertThat(declared.scope()).isEmpty();
    }

    @Test
    void configurationShowsNoValues() {
        AllowlistConfig config =
                new AllowlistConfig(List.of("internal.example.com"), List.of(), List.of(), false, false);

        assertThat(config.toString()).doesNotContain("internal");
    }

    private static TransformHarness allowlist(String config) {
        return TransformHarness.of(yaml(config)).start();
    }

    private static String yaml(String config) {
        return """
                transforms:
                  - name: allowlist
                    config: %s
                """.formatted(config);
    }
}
