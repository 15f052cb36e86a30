package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.TestOrigin;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields that ask an origin for another method or path go around no rule (docs/spec/decisions.md, section 20). */
@Timeout(120)
class OverrideFieldsTest {

    private static final String[] OVERRIDES = {
        "X-HTTP-Method-Override: DELETE",
        "x-http-method: DELETE",
        "X-Method-Override: DELETE",
        "X-Original-URL: /admin",
        "X-Rewrite-Url: /admin"
    };

    @TempDir
    Path folder;

    /** What the origin got, and what the record says was dropped. */
    private record Passed(String head, JsonNode dropped) {}

    private Passed pass(String rule) throws Exception {
        String sections = "transforms:\n  - name: allowlist\n    config: {rules: [{cidr: 127.0.0.1, " + rule + "}]}\n";
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok(request.head()));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []")
                        .catalog(Tenants.catalog())
                        .sections(sections)
                        .start()) {
            String head = proxy.get(origin, "/x", OVERRIDES).body();
            return new Passed(head, proxy.record().path("dropped_override"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"methods: [GET]", "paths: [/x, /y]", "methods: [get, post], paths: ['/*']"})
    void areNotForwardedWhereARuleDecidesByMethodOrPath(String rule) throws Exception {
        Passed passed = pass(rule);

        assertThat(passed.head().toLowerCase(Locale.ROOT))
                .startsWith("get /x http/1.1")
                .doesNotContain("\nx-");
        assertThat(passed.dropped())
                .extracting(JsonNode::asText)
                .containsExactly(
                        "X-HTTP-Method-Override",
                        "X-HTTP-Method",
                        "X-Method-Override",
                        "X-Original-URL",
                        "X-Rewrite-URL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ports: []", "methods: ['*']", "paths: ['/*']", "methods: [GET], keep_overrides: true"})
    void areForwardedWhereNoRuleDoesOrTheRuleSaysSo(String rule) throws Exception {
        Passed passed = pass(rule);

        assertThat(passed.head()).contains(OVERRIDES);
        assertThat(passed.dropped().isMissingNode()).isTrue();
    }

    /** A rule for another host has no say. */
    @Test
    void areForwardedToOtherHosts() throws Exception {
        Passed passed = pass("}, {host: api.example.com, methods: [GET]");

        assertThat(passed.head()).contains(OVERRIDES);
    }
}
