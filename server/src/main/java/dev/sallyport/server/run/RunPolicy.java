package dev.sallyport.server.run;

import dev.sallyport.server.Failure;
import dev.sallyport.server.learn.ExtendedPolicy;
import dev.sallyport.spi.Rule;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one run.
 *
 * @param name for messages
 * @param text in YAML
 * @param file what the text still is, unchanged; null when it is no file
 * @param base the folder to which its paths are relative
 * @param placeholders of the secrets, by the variable of the program
 * @param ports that rules name
 */
record RunPolicy(
        String name,
        String text,
        @Nullable Path file,
        Path base,
        Map<String, String> placeholders,
        Set<Integer> ports) {

    private static final String NAME = "the command line";
    private static final int PLACEHOLDER_BYTES = 12;

    RunPolicy {
        placeholders = Map.copyOf(placeholders);
        ports = Set.copyOf(ports);
    }

    /**
     * Makes it.
     *
     * @param file where it begins; null for none
     * @param presets what presets let through
     * @throws UsageException for a host that is none
     * @throws Failure for a file that cannot be added to
     */
    static RunPolicy of(RunOptions.Policy options, @Nullable PolicyFile file, List<Rule> presets)
            throws UsageException, Failure {
        List<Rule> rules = new ArrayList<>(presets);
        for (String host : options.allow()) {
            rules.add(AllowedHost.rule(host));
        }
        if (options.open()) {
            rules.add(Rule.host("*"));
        }
        Map<String, String> placeholders = new LinkedHashMap<>();
        for (SecretOption secret : options.secrets()) {
            if (placeholders.put(secret.name(), placeholder(secret.name())) != null) {
                throw new UsageException("--secret " + secret.name() + " stands twice", "a name for each secret");
            }
        }
        String entry = options.secrets().isEmpty() ? "" : secrets(options.secrets(), placeholders);
        if (file == null) {
            String text =
                    "transforms:\n  - " + allowlist(rules) + "\n" + (entry.isEmpty() ? "" : "  - " + entry + "\n");
            return new RunPolicy(NAME, text, null, Path.of(""), placeholders, ports(rules));
        }
        String name = file.path().toString();
        String text = ExtendedPolicy.allowing(name, file.text(), rules);
        text = entry.isEmpty() ? text : ExtendedPolicy.with(name, text, entry);
        Path base = Objects.requireNonNullElse(file.path().toAbsolutePath().getParent(), Path.of("/"));
        Set<Integer> ports = new TreeSet<>(ports(rules));
        ports.addAll(file.ports());
        Path unchanged = text.equals(file.text()) ? file.path() : null;
        return new RunPolicy(name, text, unchanged, base, placeholders, ports);
    }

    /** Such as {@code sallyport-API_TOKEN-5f0c...}: what the program sees. */
    private static String placeholder(String name) {
        byte[] random = new byte[PLACEHOLDER_BYTES];
        new SecureRandom().nextBytes(random);
        return "sallyport-" + name + "-" + HexFormat.of().formatHex(random);
    }

    private static Set<Integer> ports(Collection<Rule> rules) {
        Set<Integer> ports = new TreeSet<>();
        rules.forEach(rule -> ports.addAll(rule.ports()));
        return ports;
    }

    private static String allowlist(List<Rule> rules) {
        List<String> entries = rules.stream().map(RunPolicy::rule).toList();
        return "{name: allowlist, config: {rules: [" + String.join(", ", entries) + "]}}";
    }

    private static String rule(Rule rule) {
        List<String> members = new ArrayList<>();
        String host = rule.host();
        members.add(host == null ? "cidr: " + quoted(String.valueOf(rule.cidr())) : "host: " + quoted(host));
        if (!rule.ports().isEmpty()) {
            members.add("ports: " + rule.ports());
        }
        if (!rule.methods().isEmpty()) {
            members.add("methods: " + quoted(rule.methods()));
        }
        if (!rule.paths().isEmpty()) {
            members.add("paths: " + quoted(rule.paths()));
        }
        return "{" + String.join(", ", members) + "}";
    }

    private static String secrets(List<SecretOption> secrets, Map<String, String> placeholders) throws UsageException {
        List<String> entries = new ArrayList<>();
        for (SecretOption secret : secrets) {
            List<String> rules = new ArrayList<>();
            for (String host : secret.hosts()) {
                rules.add(rule(AllowedHost.rule(host)));
            }
            entries.add("{source: {type: env, var: " + quoted(secret.variable()) + "}, replace: {proxy_value: "
                    + quoted(String.valueOf(placeholders.get(secret.name()))) + ", match_query: true}, rules: ["
                    + String.join(", ", rules) + "]}");
        }
        return "{name: secrets, config: {secrets: [" + String.join(", ", entries) + "]}}";
    }

    private static String quoted(List<String> texts) {
        return "[" + String.join(", ", texts.stream().map(RunPolicy::quoted).toList()) + "]";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').appendCodePoint(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.appendCodePoint(c);
            }
        });
        return quoted.append('"').toString();
    }
}
