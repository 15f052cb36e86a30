package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** No input makes the loader throw, and nothing that is wrong goes without a place. */
class LoaderRobustnessTest {

    private static final int ROUNDS = 3_000;

    private static final String[] PIECES = {
        ":",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "*",
        "&a ",
        "*a",
        "\n",
        "\n  ",
        "\t",
        "#",
        "'",
        "\"",
        "|",
        ">",
        "!",
        "%",
        "@",
        "~",
        "null",
        "-1",
        "0",
        "1e999",
        "9999999999999999999999",
        "true",
        "?",
        "\u0000",
        "\uD83D\uDE00",
        "\uD800",
        "--- ",
        "...",
        "\\u12",
        "<<: ",
        ",",
        "name",
        "transforms",
        "type: env",
        "0x",
        "::",
        "\uFEFF"
    };

    private static final String SEED_TEXT = """
            dns: &a
              listen: 127.0.0.1:5353
              proxy_ip: 192.0.2.1
              records: [{name: a.example, type: A, value: 192.0.2.7}]
            proxy:
              http_listen: "[::1]:1080"
              upstream_deny_cidrs: [10.0.0.0/8]
              limits: {header_bytes: 32KiB, client_idle_timeout: 1m30s}
              auth: {users: [{name: ci, password: {type: env, var: P}}]}
            tls: {ca_cert: a, ca_key: b}
            transforms:
              - name: gate
                config: {domains: ["*"], rules: [{host: "*.b", paths: [/x/*], ports: [1]}]}
              - name: probe
                config:
                  name: x
                  equals: {a: [1, 2.5, null, "z"]}
                  token: {type: file, path: p, ttl: 5s}
            mcp: {servers: [{name: x, rules: [{cidr: 10.0.0.0/8}]}]}
            """;

    @Test
    void theUnchangedTextLoads() {
        assertThat(Load.problems(SEED_TEXT)).isEmpty();
    }

    @Test
    void noChangeOfTheTextMakesTheLoaderThrow() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        int loaded = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String text = changed(random, SEED_TEXT);
            ConfigResult result;
            try {
                result = Load.result(text, Map.of());
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("seed " + seed + ", round " + i + ":\n" + text, e);
            }
            if (result instanceof ConfigResult.Invalid invalid) {
                assertThat(invalid.problems())
                        .as("seed %d, round %d", seed, i)
                        .isNotEmpty()
                        .allSatisfy(problem -> {
                            assertThat(problem.at().line()).isPositive();
                            assertThat(problem.at().column()).isPositive();
                            assertThat(problem.toString()).doesNotContain("\n");
                        });
            } else {
                loaded++;
            }
        }
        // Both ways are walked: else the changes would be too small or too great to find anything.
        assertThat(loaded).as("seed %d", seed).isBetween(ROUNDS / 100, ROUNDS * 9 / 10);
    }

    private static String changed(Random random, String text) {
        StringBuilder changed = new StringBuilder(text);
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(changed.length());
            switch (random.nextInt(4)) {
                case 0 -> changed.insert(at, PIECES[random.nextInt(PIECES.length)]);
                case 1 -> changed.delete(at, Math.min(changed.length(), at + 1 + random.nextInt(8)));
                case 2 -> changed.setCharAt(at, (char) (' ' + random.nextInt(95)));
                default -> {
                    String[] lines = changed.toString().split("\n", -1);
                    int line = random.nextInt(lines.length);
                    lines[line] = lines[random.nextInt(lines.length)];
                    changed = new StringBuilder(String.join("\n", Arrays.asList(lines)));
                }
            }
        }
        return changed.toString();
    }
}
