package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tries against {@link NaiveRules}, over random rules and requests that are alike enough to meet. */
@Tag("differential")
class RulesDifferentialTest {

    private static final int ROUNDS = 1100;
    private static final int REQUESTS = 100;

    private static final String[] LABELS = {
        "a", "b", "ab", "aab", "abc", "api", "api-1", "api-22", "x1", "com", "example"
    };
    private static final String[] LABEL_GLOBS = {
        "*", "?", "?*", "a*", "*b", "a*b", "a?", "?b", "*p*", "*a*b*", "api-*", "api-?", "a*c", "*1", "??", "*-*",
        "*pi*", "?p*-?"
    };
    private static final String[] SEGMENTS = {"", "a", "b", "ab", "v1", "v2", "users", "a.json", "b.json"};
    private static final String[] SEGMENT_GLOBS = {"*", "a*", "*b", "v*", "*.json", "u*s", "*a*", "*s*r*"};
    private static final String[] METHODS = {"GET", "get", "POST", "Delete", "PATCH", "*", "X-Own"};
    private static final String[] REQUEST_METHODS = {"GET", "get", "POST", "DELETE", "PATCH", "x-own", "HEAD", "", "g"};
    private static final int[] PORTS = {80, 443, 8443, 22};
    private static final String[] ADDRESSES = {
        "10.0.0.1",
        "10.0.0.2",
        "10.0.1.1",
        "10.128.0.1",
        "192.0.2.7",
        "2001:db8::1",
        "2001:db8::2",
        "2001:db8:1::1",
        "::1"
    };
    private static final String[] RANGES = {
        "10.0.0.0/8",
        "10.0.0.0/24",
        "10.0.0.1",
        "10.0.0.0/31",
        "10.128.0.0/9",
        "0.0.0.0/0",
        "::/0",
        "2001:db8::/32",
        "2001:db8::/127",
        "2001:db8::1",
        "192.0.2.4/30",
        "128.0.0.0/1"
    };

    @Test
    void triesAgreeWithTheNaiveReading() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        Set<Integer> outcomes = new HashSet<>();
        int ambiguous = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Rule> rules = new ArrayList<>();
            int count = random.nextInt(round % 10 == 0 ? 200 : 12);
            for (int i = 0; i < count; i++) {
                rules.add(rule(random));
            }
            CompiledRules compiled = CompiledRules.of(rules);
            NaiveRules naive = new NaiveRules(rules);
            for (int i = 0; i < REQUESTS; i++) {
                Destination destination = destination(random);
                String method = pick(random, REQUEST_METHODS);
                String raw = path(random);
                String decoded = raw.replace("%2F", "/");
                Supplier<String> what =
                        () -> "seed " + seed + ": " + method + " " + destination + raw + " with " + rules;
                int expected = naive.match(destination, method, decoded);
                assertThat(compiled.match(destination, method, decoded))
                        .as(what)
                        .isEqualTo(expected);
                assertThat(compiled.reaches(destination)).as(what).isEqualTo(naive.reaches(destination));
                assertThat(compiled.reachesThrough(destination)).as(what).isEqualTo(naive.reachesThrough(destination));
                for (Rule rule : rules.subList(0, Math.min(2, rules.size()))) {
                    if (rule.host() != null) {
                        assertThat(HostGlob.parse(rule.host()).matches(destination.host()))
                                .as(what)
                                .isEqualTo(NaiveRules.host(rule, destination));
                    }
                }
                boolean differs = naive.ambiguous(destination, method, decoded, raw.replace("%2F", "\u0001"));
                assertThat(compiled.ambiguous(destination, method, raw))
                        .as(what)
                        .isEqualTo(differs);
                outcomes.add(expected);
                ambiguous += differs ? 1 : 0;
            }
        }
        assertThat(outcomes).as("rules that decided, seed %d", seed).hasSizeGreaterThan(20);
        assertThat(ambiguous).as("ambiguous requests, seed %d", seed).isGreaterThan(10);
    }

    private static Rule rule(Random random) {
        boolean cidr = random.nextInt(5) == 0;
        List<String> methods = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            methods.add(pick(random, METHODS));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            paths.add(pathPattern(random));
        }
        for (int i = random.nextInt(4) - 1; i > 0; i--) {
            ports.add(PORTS[random.nextInt(PORTS.length)]);
        }
        int scheme = random.nextInt(8);
        Rule.Scheme one = scheme == 0 ? Rule.Scheme.HTTP : Rule.Scheme.HTTPS;
        return Rule.builder()
                .host(cidr ? null : hostPattern(random))
                .cidr(cidr ? pick(random, RANGES) : null)
                .methods(methods)
                .paths(paths)
                .ports(ports)
                .scheme(scheme > 1 ? null : one)
                .build();
    }

    private static String hostPattern(Random random) {
        int kind = random.nextInt(12);
        if (kind == 0) {
            return "*";
        }
        if (kind == 1) {
            return pick(random, ADDRESSES);
        }
        StringBuilder pattern = new StringBuilder(kind < 5 ? "*." : "");
        for (int i = random.nextInt(3); i >= 0; i--) {
            pattern.append(random.nextInt(3) == 0 ? pick(random, LABEL_GLOBS) : pick(random, LABELS));
            pattern.append(i == 0 ? "" : ".");
        }
        return pattern.toString();
    }

    private static Destination destination(Random random) {
        int port = PORTS[random.nextInt(PORTS.length)];
        boolean secure = random.nextBoolean();
        if (random.nextInt(4) == 0) {
            return Destinations.parse(pick(random, ADDRESSES), port, secure);
        }
        StringBuilder host = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            host.append(pick(random, LABELS)).append(i == 0 ? "" : ".");
        }
        return Destinations.parse(host.toString(), port, secure);
    }

    private static String pathPattern(Random random) {
        StringBuilder pattern = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            pattern.append('/').append(random.nextInt(4) == 0 ? pick(random, SEGMENT_GLOBS) : pick(random, SEGMENTS));
        }
        return pattern.append(random.nextInt(3) == 0 ? "/*" : "/" + pick(random, SEGMENTS))
                .toString();
    }

    private static String path(Random random) {
        if (random.nextInt(50) == 0) {
            return "*";
        }
        StringBuilder path = new StringBuilder("/");
        for (int i = random.nextInt(4); i >= 0; i--) {
            path.append(pick(random, SEGMENTS));
            path.append(i == 0 ? "" : random.nextInt(5) == 0 ? "%2F" : "/");
        }
        return path.toString();
    }

    private static String pick(Random random, String[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}
