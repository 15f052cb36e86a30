package dev.sallyport.server.learn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.Paths;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whatever was observed, the learned policy allows it, allows no other host, and has no rule too many. */
class LearnedPolicyPropertyTest {

    private static final int CASES = 400;
    private static final String[] WORDS = {
        "users", "v1", "repos", "a", "items", "%C3%BC", "x%20y", "a;b", "~me", "", "-"
    };
    private static final String[] ODD = {"a%2Fb", "a%3Fb", "%2A", "50%25", "%2525", "a%23", "%E2%82%AC", "%22"};
    private static final String[] METHODS = {"GET", "HEAD", "POST", "DELETE"};

    private record Sent(String host, int port, String method, String path) {}

    @Test
    void covers_what_was_observed_and_no_host_that_was_not() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        try (Plugins plugins = Plugins.load(null)) {
            for (int i = 0; i < CASES; i++) {
                check(new Random(seed + i), plugins, "sallyport.seed=" + seed + ", case " + i);
            }
        }
    }

    private static void check(Random random, Plugins plugins, String name) throws Exception {
        // given
        List<Sent> traffic = traffic(random);
        AuditLog log = new AuditLog();
        traffic.forEach(sent -> log.add(record -> {}, sent.method(), sent.host(), sent.port(), sent.path(), "allow"));
        Learning learning = new Learning(List.of("-"), false, false, plugins.catalog(), Map.of());

        // when
        Learning.Result learned = learning.policy(log.stream());

        // then: as the configuration of a proxy is read
        String file = "dns: {enabled: false}\ntls: {mode: sni-only}\n" + String.join("\n", learned.policy()) + "\n";
        ConfigResult read = ConfigLoader.load("learned.yaml", file, Path.of("/"), Map.of(), plugins.catalog());
        assertThat(read.problems()).as(name + "\n" + file).isEmpty();
        List<Rule> rules = read.draft().transforms().getFirst().capabilities().admits();
        CompiledRules policy = CompiledRules.of(rules);
        List<Sent> refused =
                traffic.stream().filter(sent -> !allows(policy, sent)).toList();
        assertThat(refused).as(name + "\n" + file).isEmpty();
        assertThat(learned.notes()).as(name).noneMatch(note -> note.startsWith("left out"));
        // and no host that was not seen
        assertThat(allows(policy, new Sent("elsewhere.example.net", 443, "GET", "/users")))
                .as(name)
                .isFalse();
        assertThat(policy.reaches(destination("api.h0.example.com", 443)))
                .as(name)
                .isFalse();
        // and every rule is needed
        for (int i = 0; i < rules.size(); i++) {
            List<Rule> fewer = new ArrayList<>(rules);
            Rule without = fewer.remove(i);
            CompiledRules rest = CompiledRules.of(fewer);
            assertThat(traffic)
                    .as(name + ": " + without + " can go from\n" + file)
                    .anyMatch(sent -> !allows(rest, sent));
        }
        // and the order of the log does not matter
        assertThat(learning.policy(log.shuffled(random.nextLong()).stream()).policy())
                .as(name)
                .isEqualTo(learned.policy());
    }

    private static boolean allows(CompiledRules rules, Sent sent) {
        Destination destination = destination(sent.host(), sent.port());
        return rules.match(destination, sent.method(), Paths.decode(sent.path())) != RuleSet.NO_MATCH
                && !rules.ambiguous(destination, sent.method(), sent.path());
    }

    private static Destination destination(String host, int port) {
        return Destinations.parse(host, port, port == 443);
    }

    private static List<Sent> traffic(Random random) {
        List<Sent> traffic = new ArrayList<>();
        int hosts = 1 + random.nextInt(3);
        for (int host = 0; host < hosts; host++) {
            int many = random.nextInt(3) == 0 ? 60 : 1 + random.nextInt(12);
            for (int i = 0; i < many; i++) {
                int port = random.nextInt(6) == 0 ? 8443 + random.nextInt(2) : 443;
                String name = random.nextInt(40) == 0 ? "192.0.2." + host : "h" + host + ".example.com";
                traffic.add(new Sent(name, port, METHODS[random.nextInt(METHODS.length)], path(random)));
            }
        }
        return traffic;
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        int segments = 1 + random.nextInt(4);
        for (int i = 0; i < segments; i++) {
            path.append('/').append(segment(random));
        }
        return path.toString();
    }

    private static String segment(Random random) {
        return switch (random.nextInt(9)) {
            case 0 -> new UUID(random.nextLong(), random.nextLong()).toString();
            case 1 -> Integer.toString(random.nextInt(1_000_000));
            case 2 -> Long.toHexString(random.nextLong());
            case 3 -> random.nextInt(9) + "." + random.nextInt(20) + (random.nextBoolean() ? "" : ".0-rc.1");
            case 4 -> "name" + random.nextInt(50);
            case 5 -> random.nextInt(4) == 0 ? ODD[random.nextInt(ODD.length)] : "odd";
            default -> WORDS[random.nextInt(WORDS.length)];
        };
    }
}
