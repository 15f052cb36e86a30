package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of two rules, compared with what they match. */
class RuleRelationsTest {

    private static final long SEED = Long.getLong("sallyport.seed", 20_261_123L);

    private static Rule at(String place) {
        return place.indexOf('/') >= 0 ? Rule.cidr(place) : Rule.host(place);
    }

    @ParameterizedTest
    @CsvSource({
        "*, a.example.com, true",
        "*, 10.0.0.0/8, true",
        "*.example.com, example.com, true",
        "*.example.com, *.example.org, false",
        "*.a.com, *.b.a.com, true",
        "api.*.com, *.example.com, true",
        "api-*.example.com, *-eu.example.com, true",
        "api-*.example.com, www-*.example.com, false",
        "?*.example.com, example.com, false",
        "a?.example.com, a.example.com, false",
        "10.0.0.0/8, 10.1.0.0/16, true",
        "10.0.0.0/8, 11.0.0.0/8, false",
        "10.0.0.0/8, 10.9.9.9, true",
        "10.0.0.0/8, 12.9.9.9, false",
        "10.0.0.0/8, *.example.com, false",
        "0.0.0.0/0, ::/0, false",
        "2001:db8::/32, 2001:db8::1, true",
        "API.example.com, api.EXAMPLE.com., true"
    })
    void hostsMeetWhenOneIsAmongBoth(String one, String other, boolean meet) {
        assertThat(RuleRelations.meet(at(one), at(other))).isEqualTo(meet);
        assertThat(RuleRelations.meet(at(other), at(one))).isEqualTo(meet);
    }

    @Test
    void portsMethodsAndPathsCount() {
        Rule host = Rule.host("a.test");
        assertThat(RuleRelations.meet(host.withPorts(443), host.withPorts(80, 443)))
                .isTrue();
        assertThat(RuleRelations.meet(host.withPorts(443), host.withPorts(80))).isFalse();
        assertThat(RuleRelations.overlap(host.withMethods("get"), host.withMethods("GET", "POST")))
                .isTrue();
        assertThat(RuleRelations.overlap(host.withMethods("PUT"), host.withMethods("GET", "POST")))
                .isFalse();
        assertThat(RuleRelations.overlap(host.withMethods("PUT"), host.withMethods("*")))
                .isTrue();
        assertThat(RuleRelations.overlap(host.withPaths("/v1/*"), host.withPaths("/*/users")))
                .isTrue();
        assertThat(RuleRelations.overlap(host.withPaths("/v1/*"), host.withPaths("/v2/*")))
                .isFalse();
    }

    @Test
    void whatIsCoveredMayBeCoveredByDifferentRules() {
        Rule host = Rule.host("a.test");
        List<Rule> seen = List.of(
                host.withMethods("GET").withPaths("/a/*"),
                host.withMethods("GET", "POST").withPaths("/b/*"),
                Rule.host("*.test").withPorts(8443));

        assertThat(RuleRelations.covered(host.withMethods("GET").withPaths("/a/x", "/b/x"), host, seen))
                .isTrue();
        assertThat(RuleRelations.covered(host.withMethods("POST").withPaths("/a/x", "/b/x"), host, seen))
                .isFalse();
        assertThat(RuleRelations.covered(host.withPorts(8443), host, seen)).isTrue();
        assertThat(RuleRelations.covered(host, host, seen)).isFalse();
        assertThat(RuleRelations.covered(Rule.host("*"), host, List.of(host))).isTrue();
        assertThat(RuleRelations.covered(host.withPaths("/MCP/"), host, List.of(host.withPaths("/mcp"))))
                .isTrue();
    }

    /** Over an alphabet of two letters everything short can be tried. */
    @Test
    void ofGlobsItIsTrue() {
        Random random = new Random(SEED);
        List<String> texts = texts(6);
        for (int i = 0; i < 3_000; i++) {
            String one = glob(random);
            String other = glob(random);
            String pair = one + " " + other + " (seed " + SEED + ")";
            assertThat(Glob.meet(one, other))
                    .as(pair)
                    .isEqualTo(texts.stream().anyMatch(text -> matches(one, text) && matches(other, text)));
            if (Glob.covers(one, other)) {
                assertThat(texts).as(pair).allMatch(text -> matches(one, text) || !matches(other, text));
            }
            assertThat(Glob.covers(one, one)).as(pair).isTrue();
            assertThat(Glob.covers("*", one)).as(pair).isTrue();
        }
    }

    private static boolean matches(String glob, String text) {
        return Glob.matches(glob, text, 0, text.length());
    }

    private static List<String> texts(int longest) {
        List<String> texts = new ArrayList<>(List.of(""));
        for (int from = 0, length = 0; length < longest; length++) {
            int to = texts.size();
            for (; from < to; from++) {
                texts.add(texts.get(from) + "a");
                texts.add(texts.get(from) + "b");
            }
        }
        return texts;
    }

    /** Without two stars in a row, as everywhere. */
    private static String glob(Random random) {
        StringBuilder glob = new StringBuilder();
        int length = random.nextInt(4);
        while (glob.length() < length) {
            char c = "ab*?".charAt(random.nextInt(4));
            if (c != '*' || glob.isEmpty() || glob.charAt(glob.length() - 1) != '*') {
                glob.append(c);
            }
        }
        return glob.toString();
    }

    /** Rules do not meet where no destination is reached by both, and the other way round. */
    @Test
    void ofRulesItIsTrue() throws Exception {
        Random random = new Random(SEED);
        List<Destination> all = destinations();
        for (int i = 0; i < 2_000; i++) {
            Rule one = rule(random);
            Rule other = rule(random);
            CompiledRules left = CompiledRules.of(List.of(one));
            CompiledRules right = CompiledRules.of(List.of(other));
            assertThat(RuleRelations.meet(one, other))
                    .as(one + " " + other + " (seed " + SEED + ")")
                    .isEqualTo(all.stream().anyMatch(there -> left.reaches(there) && right.reaches(there)));
        }
    }

    private static final List<String> PLACES = List.of(
            "*",
            "*.a.b",
            "a.b",
            "b.a.b",
            "a*.b",
            "?.b",
            "?*.a.b",
            "*.b",
            "aa.b",
            "b?.*.b",
            "0.0.0.0/7",
            "1.0.0.1",
            "2.0.0.0/8",
            "1.0.0.0/8",
            "::/0",
            "::1/128",
            "1.0.0.0/31");

    private static Rule rule(Random random) {
        Rule rule = at(PLACES.get(random.nextInt(PLACES.size())));
        return switch (random.nextInt(5)) {
            case 3 -> rule.withScheme(Rule.Scheme.HTTP);
            case 4 -> rule.withScheme(Rule.Scheme.HTTPS).withPorts(2);
            case 0 -> rule.withPorts(1);
            case 1 -> rule.withPorts(1, 2);
            default -> rule;
        };
    }

    private static List<Destination> destinations() {
        List<Destination> all = new ArrayList<>();
        for (String host : List.of(
                "b", "a.b", "aa.b", "b.b", "a.a.b", "b.a.b", "ab.a.b", "ba.a.b", "x.y.a.b", "ab.b", "ba.x.b", "bb.a.b",
                "bx.y.b", "x.b", "c.d", "1.0.0.0", "1.0.0.1", "1.2.3.4", "2.0.0.1", "0.0.0.1", "::1", "::2")) {
            all.add(Destinations.parse(host, 1, true));
            all.add(Destinations.parse(host, 2, true));
            all.add(Destinations.parse(host, 3, true));
            all.add(Destinations.parse(host, 1, false));
            all.add(Destinations.parse(host, 2, false));
            all.add(Destinations.parse(host, 3, false));
        }
        return all;
    }
}
