package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CompiledRulesTest {

    private static final Destination API = Destinations.parse("api.example.com", 443, true);
    private static final Destination ADDRESS = Destinations.parse("10.1.2.3", 443, true);

    @Test
    void theLowestRuleThatMatches_isGiven() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(
                Rule.host("other.example.com"),
                Rule.host("api.example.com").withMethods("POST"),
                Rule.host("*").withPaths("/v1/*"),
                Rule.host("*.example.com"),
                Rule.host("api.example.com")));
        assertThat(rules.match(API, "POST", "/v1/a")).isEqualTo(1);
        assertThat(rules.match(API, "GET", "/v1/a")).isEqualTo(2);
        assertThat(rules.match(API, "GET", "/v2")).isEqualTo(3);
        assertThat(rules.match(Destinations.parse("x.org", 443, true), "GET", "/v2"))
                .isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.size()).isEqualTo(5);
    }

    @Test
    void method_isComparedUpperCase_andEmptyOrStarIsAll() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(Rule.host("*").withMethods("get", "Post")));
        assertThat(List.of("GET", "get", "POST")).allMatch(method -> rules.match(API, method, "/") == 0);
        assertThat(List.of("PUT", "GE", "GETT", "")).allMatch(method -> rules.match(API, method, "/") < 0);
        CompiledRules star = CompiledRules.of(List.of(Rule.host("*").withMethods("GET", "*")));
        assertThat(star.match(API, "BREW", "/")).isZero();
        assertThat(star.match(API, "", "")).isZero();
    }

    @Test
    void cidrRule_matchesWhenTheHostIsALiteral_andNamesAreNeverResolved() throws Exception {
        CompiledRules rules =
                CompiledRules.of(List.of(Rule.cidr("127.0.0.0/8"), Rule.cidr("10.1.2.3"), Rule.cidr("::/0")));
        assertThat(rules.match(Destinations.parse("localhost", 80, false), "GET", "/"))
                .isNegative();
        assertThat(rules.match(Destinations.parse("127.0.0.1", 80, false), "GET", "/"))
                .isZero();
        assertThat(rules.match(Destinations.parse("[::ffff:127.0.0.1]", 80, false), "GET", "/"))
                .isZero();
        assertThat(rules.match(ADDRESS, "GET", "/")).isEqualTo(1);
        assertThat(rules.match(Destinations.parse("10.1.2.4", 80, false), "GET", "/"))
                .isNegative();
        assertThat(rules.match(Destinations.parse("2001:db8::1", 80, false), "GET", "/"))
                .isEqualTo(2);
    }

    @Test
    void ports_restrict_andDefaultToAny() throws Exception {
        CompiledRules rules =
                CompiledRules.of(List.of(Rule.host("*.example.com").withPorts(443, 8443), Rule.host("x.org")));
        assertThat(rules.match(API, "GET", "/")).isZero();
        assertThat(rules.match(Destinations.parse("api.example.com", 80, false), "GET", "/"))
                .isNegative();
        assertThat(rules.match(Destinations.parse("x.org", 9, false), "GET", "/"))
                .isEqualTo(1);
    }

    @Test
    void hostOnlyVisibility_rulesThatNameMethodsOrPathsDoNotMatch() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(
                Rule.host("*").withMethods("GET"),
                Rule.host("*").withPaths("/*"),
                Rule.host("*").withPaths("/v1"),
                Rule.host("*.example.com")));
        assertThat(rules.match(API, "", "")).isEqualTo(3);
        assertThat(rules.match(Destinations.parse("x.org", 443, true), "", "")).isNegative();
    }

    @Test
    void emptyRules_matchNothing() throws Exception {
        CompiledRules none = CompiledRules.of(List.of());
        assertThat(none.isEmpty()).isTrue();
        assertThat(none.match(API, "GET", "/")).isEqualTo(RuleSet.NO_MATCH);
        assertThat(none.reaches(API)).isFalse();
        assertThat(none.reachesThrough(ADDRESS)).isFalse();
    }

    @Test
    void reaches_asksForHostAndPortOnly() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(
                Rule.host("api.example.com").withMethods("GET").withPaths("/v1").withPorts(443)));
        assertThat(rules.reaches(API)).isTrue();
        assertThat(rules.reaches(Destinations.parse("api.example.com", 80, false)))
                .isFalse();
        assertThat(rules.reaches(Destinations.parse("x.org", 443, true))).isFalse();
    }

    @Test
    void reachesThrough_aLiteralPassesWhenARuleCouldMatchTheNameThatIsStillToCome() throws Exception {
        CompiledRules names =
                CompiledRules.of(List.of(Rule.host("api.example.com").withPorts(443)));
        assertThat(names.reaches(ADDRESS)).isFalse();
        assertThat(names.reachesThrough(ADDRESS)).isTrue();
        assertThat(names.reachesThrough(Destinations.parse("10.1.2.3", 22, false)))
                .isFalse();
        assertThat(names.reachesThrough(API)).isTrue();
        assertThat(names.reachesThrough(Destinations.parse("x.org", 443, true))).isFalse();
        CompiledRules addresses = CompiledRules.of(List.of(Rule.cidr("192.0.2.0/24"), Rule.host("10.9.9.9")));
        assertThat(addresses.reachesThrough(ADDRESS)).isFalse();
        assertThat(addresses.reachesThrough(Destinations.parse("192.0.2.1", 1, false)))
                .isTrue();
    }

    @Test
    void encodedSlash_isRefusedOnlyWhenSomeRuleJudgesTheTwoReadingsDifferently() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(
                Rule.host("*").withPaths("/projects/*"),
                Rule.host("api.example.com").withPaths("/files/*/raw").withMethods("GET")));
        assertThat(rules.ambiguous(API, "GET", "/projects/group%2Fname")).isFalse();
        assertThat(rules.ambiguous(API, "GET", "/projects%2Fname")).isFalse();
        assertThat(rules.ambiguous(API, "GET", "/projects%2Fname%2Fmore")).isFalse();
        assertThat(rules.ambiguous(API, "GET", "/pro%2Fjects/name")).isFalse();
        assertThat(rules.match(API, "GET", Paths.decode("/pro%2Fjects/name"))).isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.ambiguous(API, "GET", "/files/a%2Fb/raw")).isTrue();
        assertThat(rules.ambiguous(API, "POST", "/files/a%2Fb/raw")).isFalse();
        assertThat(rules.ambiguous(ADDRESS, "GET", "/files/a%2Fb/raw")).isFalse();
        assertThat(rules.ambiguous(API, "GET", "/files/a%252Fb/raw")).isFalse();
        assertThat(rules.ambiguous(API, "GET", "/files/a/b")).isFalse();
        assertThat(rules.ambiguous(API, "GET", "/a%2F..")).isTrue();
    }

    /** To look at all readings of such a path would take an event loop many milliseconds. */
    @Test
    void pathWithTooManyReadings_isAmbiguousWhereARuleNamesPaths() throws Exception {
        CompiledRules byHost =
                CompiledRules.of(List.of(Rule.host("*"), Rule.host("*").withPaths("/*")));
        CompiledRules byPath =
                CompiledRules.of(List.of(Rule.host("*"), Rule.host("x.org").withPaths("/x")));
        for (String path : List.of("/a;b//.\\%u0041%c0%af%zz/..;x", "/%zz" + "a".repeat(1024), "/../a".repeat(3_000))) {
            assertThat(byHost.ambiguousRule(API, "GET", path)).as(path).isEqualTo(RuleSet.NO_MATCH);
            assertThat(byPath.ambiguousRule(API, "GET", path)).as(path).isEqualTo(1);
        }
        assertThat(byPath.ambiguousRule(API, "GET", "/a//../b%zz%5c")).isEqualTo(RuleSet.NO_MATCH);
    }

    /** Package managers write the name of a scoped package with an encoded slash. */
    @Test
    void pathInsideARuleInEitherReading_isNotAmbiguous() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(
                Rule.host("*").withPaths("/other/*"),
                Rule.host("*").withPaths("/@scope/*"),
                Rule.host("*").withPaths("/deep/er/*", "/exact/one", "/star*/two"),
                Rule.host("*").withPaths("/two/*/*")));
        assertThat(rules.ambiguous(API, "GET", "/@scope%2fname")).isFalse();
        assertThat(rules.match(API, "GET", Paths.decode("/@scope%2fname"))).isOne();
        assertThat(rules.ambiguous(API, "GET", "/@else%2fname")).isFalse();
        assertThat(rules.ambiguousRule(API, "GET", "/exact%2fone")).isEqualTo(2);
        assertThat(rules.ambiguousRule(API, "GET", "/deep%2fer/x")).isEqualTo(2);
        assertThat(rules.ambiguousRule(API, "GET", "/starry%2ftwo")).isEqualTo(2);
        assertThat(rules.ambiguousRule(API, "GET", "/star%2fry/two")).isEqualTo(2);
        assertThat(rules.ambiguousRule(API, "GET", "/two%2fdeep")).isEqualTo(3);
        assertThat(rules.ambiguousRule(API, "GET", "/@scope/a%2fb")).isEqualTo(RuleSet.NO_MATCH);
    }

    @Test
    void aRuleBehindAnother_countsForAmbiguityToo() throws Exception {
        CompiledRules rules =
                CompiledRules.of(List.of(Rule.host("*"), Rule.host("*").withPaths("/a/b")));
        assertThat(rules.match(API, "GET", "/a/b")).isZero();
        assertThat(rules.ambiguous(API, "GET", "/a%2Fb")).isTrue();
    }

    @Test
    void everyProblem_isReportedAtItsPlace() {
        List<String> problems = new ArrayList<>();
        List<Rule> rules = List.of(
                Rule.builder().host("a").cidr("10.0.0.0/8").build(),
                Rule.builder()
                        .methods(List.of("GE T", ""))
                        .paths(List.of("/ok", "bad"))
                        .ports(List.of(443, 0, 65536))
                        .build(),
                Rule.host("a:1"),
                Rule.cidr("10.0.0.1/8"),
                Rule.host("fine.example.com"));
        CompiledRules.check(
                rules,
                (pointer, message, expected) -> {
                    assertThat(message).isNotBlank();
                    assertThat(expected).isNotBlank();
                    problems.add(pointer);
                },
                "/rules");
        assertThat(problems)
                .containsExactly(
                        "/rules/0",
                        "/rules/1",
                        "/rules/1/paths/1",
                        "/rules/1/methods/0",
                        "/rules/1/methods/1",
                        "/rules/1/ports/1",
                        "/rules/1/ports/2",
                        "/rules/2/host",
                        "/rules/3/cidr");
    }

    @Test
    void of_throwsTheFirstProblem() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> CompiledRules.of(List.of(Rule.host("*"), Rule.host("a b"))))
                .satisfies(e -> assertThat(e.pointer()).isEqualTo("/rules/1/host"));
    }

    @Test
    void aLookUp_allocatesNothing() throws Exception {
        List<Rule> list = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            list.add(Rule.host("h" + i + "-*.example.com")
                    .withPaths("/v1/*/x" + i)
                    .withMethods("GET"));
            list.add(Rule.host("*.host" + i + ".example.org").withPorts(443 + i));
            list.add(Rule.cidr("2001:db8:" + Integer.toHexString(i) + "::/48"));
            list.add(Rule.cidr("10." + i % 256 + ".0.0/16"));
            list.add(Rule.host("h7-a.example.com").withPaths("/a*b" + i + "/c"));
        }
        CompiledRules rules = CompiledRules.of(list);
        Destination name = Destinations.parse("h7-a.example.com", 443, true);
        Destination v4 = Destinations.parse("11.1.2.3", 443, true);
        Destination v6 = Destinations.parse("2001:db9::1", 443, true);
        Allocation thread = new Allocation();
        int matches = 0;
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 20 && allocated > 0; round++) {
            long before = thread.bytes();
            for (int i = 0; i < 100; i++) {
                matches += rules.match(name, "get", "/v1/y/x7");
                matches += rules.match(name, "GET", "/a-none-b7/d");
                matches += rules.match(v4, "GET", "/") + rules.match(v6, "POST", "/");
                matches += rules.reaches(v6) || rules.reachesThrough(name) ? 1 : 0;
                matches += rules.ambiguous(name, "GET", "/v1/y/x7") ? 1 : 0;
                matches += (Paths.check("/v1/y/x7") == PathProblem.NONE ? 1 : 0)
                        + Paths.decode("/v1/y").length();
                matches += Hosts.canonical("h7-a.example.com").length();
            }
            allocated = thread.bytes() - before;
        }
        assertThat(matches).isPositive();
        assertThat(allocated).isZero();
    }

    @Test
    void manyRules_areFoundByHashAndTrie() throws Exception {
        List<Rule> list = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            list.add(
                    switch (i % 5) {
                        case 0 -> Rule.host("h" + i + ".example.com");
                        case 1 -> Rule.host("h" + i + "-*.example.com");
                        case 2 -> Rule.host("*.d" + i + ".example.com");
                        case 3 -> Rule.host("api.example.com").withPaths("/v1/r" + i + "/*");
                        default -> Rule.cidr("10." + (i >> 16 & 255) + "." + (i >> 8 & 255) + "." + (i & 255));
                    });
        }
        CompiledRules rules = CompiledRules.of(list);
        assertThat(rules.match(Destinations.parse("h99995.example.com", 443, true), "GET", "/"))
                .isEqualTo(99995);
        assertThat(rules.match(Destinations.parse("h99996-x.example.com", 443, true), "GET", "/"))
                .isEqualTo(99996);
        assertThat(rules.match(Destinations.parse("x.y.d99997.example.com", 443, true), "GET", "/"))
                .isEqualTo(99997);
        assertThat(rules.match(API, "GET", "/v1/r99998/x")).isEqualTo(99998);
        assertThat(rules.match(Destinations.parse("10.1.134.159", 443, true), "GET", "/"))
                .isEqualTo(99999);
        assertThat(rules.match(API, "GET", "/v2")).isNegative();
    }

    /** Would not end in a lifetime if each place of a literal were followed on its own. */
    @Test
    @Timeout(60)
    void aPathMadeToBeSlow_isNot() throws Exception {
        CompiledRules rules = CompiledRules.of(
                List.of(Rule.host("*").withPaths("/*x*/*x*/*x*/*x*/*x*/end", "/*y*x*y*x*y*x*y*x*y/*x*x*x*x*x*x*z/*")));
        String segment = "/" + "x".repeat(4000);
        assertThat(rules.match(API, "GET", segment.repeat(5) + "/no")).isNegative();
        assertThat(rules.match(API, "GET", segment.repeat(5) + "/end")).isZero();
        assertThat(rules.match(API, "GET", ("/" + "yx".repeat(4000)).repeat(5) + "/no"))
                .isNegative();
    }

    @Test
    void manyGlobsOfOneShape_areToldApart() throws Exception {
        List<Rule> list = new ArrayList<>();
        for (int i = 1000; i < 3000; i++) {
            list.add(Rule.host("*.example.com").withPaths("/*customer-" + i + "*/x"));
            list.add(Rule.host("*-" + i + "-*.example.com"));
        }
        CompiledRules rules = CompiledRules.of(list);
        assertThat(rules.match(API, "GET", "/a-customer-2999-b/x")).isEqualTo(3998);
        assertThat(rules.match(API, "GET", "/a-customer-2999-b/y")).isNegative();
        assertThat(rules.match(API, "GET", "/customer-1000/x")).isZero();
        assertThat(rules.match(Destinations.parse("a-2000-.example.com", 443, true), "GET", "/"))
                .isEqualTo(2001);
    }

    @Test
    void aRuleMayBeForOneSchemeOnly() throws Exception {
        CompiledRules rules = CompiledRules.of(List.of(
                Rule.host("a.test").withScheme(Rule.Scheme.HTTPS).withPorts(8443),
                Rule.host("*.test").withScheme(Rule.Scheme.HTTP),
                Rule.cidr("10.0.0.0/8").withScheme(Rule.Scheme.HTTPS)));

        assertThat(rules.match(Destinations.parse("a.test", 8443, true), "GET", "/"))
                .isEqualTo(0);
        assertThat(rules.match(Destinations.parse("a.test", 8443, false), "GET", "/"))
                .isEqualTo(1);
        assertThat(rules.match(Destinations.parse("b.test", 443, true), "GET", "/"))
                .isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.match(Destinations.parse("10.0.0.1", 443, true), "GET", "/"))
                .isEqualTo(2);
        assertThat(rules.match(Destinations.parse("10.0.0.1", 80, false), "GET", "/"))
                .isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.reaches(Destinations.parse("b.test", 443, true))).isFalse();
        assertThat(rules.reachesThrough(Destinations.parse("b.test", 443, true)))
                .as("the scheme is still to come")
                .isTrue();
    }
}
