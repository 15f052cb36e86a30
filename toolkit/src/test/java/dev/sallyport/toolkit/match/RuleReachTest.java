package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules that are compared with many others. */
class RuleReachTest {

    private static List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        for (String host : List.of(
                "*",
                "*.test",
                "*.a.test",
                "a.test",
                "A.test.",
                "b.a.test",
                "*.b.a.test",
                "x*.a.test",
                "xy.a.test",
                "*.x*.test",
                "10.0.0.1")) {
            rules.add(Rule.host(host));
            rules.add(Rule.host(host).withPorts(443));
            rules.add(Rule.host(host).withPorts(443, 8443).withScheme(Rule.Scheme.HTTPS));
            rules.add(Rule.host(host).withPaths("/v1/*"));
            rules.add(Rule.host(host).withPaths("/V1/a", "/v1/b*"));
            rules.add(Rule.host(host).withPaths("/*"));
        }
        rules.add(Rule.cidr("10.0.0.0/8"));
        rules.add(Rule.cidr("10.0.0.0/16").withPaths("/v1"));
        rules.add(Rule.cidr("0.0.0.0/0"));
        return rules;
    }

    @Test
    void coversWhatTheRelationOfRulesSays() {
        for (Rule wide : rules()) {
            for (Rule narrow : rules()) {
                assertThat(RuleReach.of(wide).covers(RuleReach.of(narrow)))
                        .as("%s covers %s", wide, narrow)
                        .isEqualTo(RuleRelations.covered(narrow, narrow, List.of(wide)));
            }
        }
    }

    @Test
    void whateverCoversARuleIsFoundByItsKeys() {
        for (Rule wide : rules()) {
            for (Rule narrow : rules()) {
                if (RuleReach.of(wide).covers(RuleReach.of(narrow))) {
                    assertThat(RuleReach.of(narrow).widerKeys())
                            .as("%s covers %s", wide, narrow)
                            .contains(RuleReach.of(wide).key());
                }
            }
        }
    }

    @Test
    void aNameIsNotComparedWithOtherNames() {
        assertThat(RuleReach.of(Rule.host("a.test")).widerKeys())
                .contains("a.test", "*.a.test", "*.test")
                .doesNotContain("b.test", "range");
    }
}
