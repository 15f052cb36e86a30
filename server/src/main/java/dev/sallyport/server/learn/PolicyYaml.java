package dev.sallyport.server.learn;

import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Writes rules as lines of YAML. Pure functions. */
final class PolicyYaml {

    /** The lists of an allowlist, in the order in which they are written. */
    static final List<String> LISTS = List.of("domains", "cidrs", "rules");

    private static final String STEP = "  ";

    private PolicyYaml() {}

    /** The list that a rule stands in: one that says nothing but a host needs no mapping. */
    static String list(LearnedRule rule) {
        if (!rule.bare()) {
            return "rules";
        }
        return rule.rule().host() == null ? "cidrs" : "domains";
    }

    /** A whole entry of {@code transforms}, from its dash on. */
    static List<String> entry(List<LearnedRule> rules, boolean warn) {
        List<String> lines = new ArrayList<>(List.of("- name: allowlist"));
        indent(config(rules, warn), lines);
        return lines;
    }

    /** The key {@code config} of an entry. */
    static List<String> config(List<LearnedRule> rules, boolean warn) {
        List<String> below = new ArrayList<>();
        if (warn) {
            below.add("warn: true");
        }
        for (String list : LISTS) {
            List<LearnedRule> there =
                    rules.stream().filter(rule -> list(rule).equals(list)).toList();
            below.addAll(key(list, there));
        }
        List<String> lines = new ArrayList<>(List.of(below.isEmpty() ? "config: {}" : "config:"));
        indent(below, lines);
        return lines;
    }

    /** One of the lists with its key; nothing when it is empty. */
    static List<String> key(String list, List<LearnedRule> rules) {
        List<String> lines = new ArrayList<>();
        if (!rules.isEmpty()) {
            lines.add(list + ":");
            indent(items(list, rules), lines);
        }
        return lines;
    }

    /** The items of one of the lists. */
    static List<String> items(String list, List<LearnedRule> rules) {
        List<String> lines = new ArrayList<>();
        rules.forEach(rule -> lines.addAll(item(rule, list.equals("rules"))));
        return lines;
    }

    private static List<String> item(LearnedRule learned, boolean mapping) {
        Rule rule = learned.rule();
        String place = YamlScalars.of(Objects.requireNonNullElse(rule.host(), String.valueOf(rule.cidr())));
        if (!mapping) {
            return List.of("- " + place + comment(learned.note()));
        }
        List<String> lines = new ArrayList<>(
                List.of("- " + (rule.host() == null ? "cidr: " : "host: ") + place + comment(learned.note())));
        if (rule.scheme() != null) {
            lines.add(STEP + "scheme: " + rule.scheme().name().toLowerCase(Locale.ROOT));
        }
        if (!rule.ports().isEmpty()) {
            lines.add(STEP + "ports: " + YamlScalars.list(rule.ports()));
        }
        if (!rule.methods().isEmpty()) {
            lines.add(STEP + "methods: " + YamlScalars.list(rule.methods()));
        }
        if (!rule.paths().isEmpty()) {
            lines.add(STEP + "paths:");
            for (int i = 0; i < rule.paths().size(); i++) {
                String note =
                        i < learned.paths().size() ? learned.paths().get(i).note() : "";
                lines.add(STEP + STEP + "- " + YamlScalars.of(rule.paths().get(i)) + comment(note));
            }
        }
        if (rule.exact()) {
            lines.add(STEP + "exact: true");
        }
        if (rule.keepOverrides()) {
            lines.add(STEP + "keep_overrides: true");
        }
        if (!rule.upgrade().isEmpty()) {
            lines.add(STEP + "upgrade: " + YamlScalars.list(rule.upgrade()));
        }
        return lines;
    }

    private static String comment(String note) {
        return note.isEmpty() ? "" : " # " + note;
    }

    private static void indent(List<String> from, List<String> to) {
        from.forEach(line -> to.add(STEP + line));
    }
}
