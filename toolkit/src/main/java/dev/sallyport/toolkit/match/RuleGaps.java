package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/** Says in words which requests rules that restrict do not match. Pure functions. */
public final class RuleGaps {

    private RuleGaps() {}

    /**
     * The requests to hosts of {@code at} that {@code granting} matches and none of {@code restricting} does, such as
     * {@code paths other than /mcp and below}. Meant for rules of which {@link RuleRelations#covered} says so.
     *
     * @param at one of the rules that restrict
     */
    public static String describe(Rule granting, Rule at, List<Rule> restricting) {
        List<Rule> there = restricting.stream().filter(rule -> isAt(rule, at)).toList();
        List<String> gaps = new ArrayList<>();
        if (granting.scheme() == null && there.stream().noneMatch(rule -> rule.scheme() == null)) {
            names(there, rule -> List.of(String.valueOf(rule.scheme()).toLowerCase(Locale.ROOT)), gaps, "schemes");
        }
        if (methods(granting).isEmpty()
                && there.stream().noneMatch(rule -> methods(rule).isEmpty())) {
            names(there, RuleGaps::methods, gaps, "methods");
        }
        if (granting.ports().isEmpty()
                && there.stream().noneMatch(rule -> rule.ports().isEmpty())) {
            names(there, rule -> rule.ports().stream().map(String::valueOf).toList(), gaps, "ports");
        }
        if (paths(granting).isEmpty()
                && there.stream().noneMatch(rule -> paths(rule).isEmpty())) {
            names(
                    there,
                    rule -> paths(rule).stream()
                            .map(path -> spelled(rule, path))
                            .toList(),
                    gaps,
                    "paths");
        }
        return gaps.isEmpty() ? narrower(granting, at, there) : String.join(", or ", gaps);
    }

    /** What of the lists of a rule that names its methods, ports or paths is not matched on its own. */
    private static String narrower(Rule granting, Rule at, List<Rule> there) {
        List<String> gaps = new ArrayList<>();
        missing(methods(granting), method -> one(granting, at).methods(List.of(method)), at, there, gaps);
        missing(granting.ports(), port -> one(granting, at).ports(List.of(port)), at, there, gaps);
        missing(paths(granting), path -> one(granting, at).paths(List.of(path)), at, there, gaps);
        return gaps.isEmpty() ? "some of their methods, ports and paths together" : String.join(", ", gaps);
    }

    private static Rule.Builder one(Rule granting, Rule at) {
        return Rule.builder()
                .host(at.host())
                .cidr(at.cidr())
                .scheme(granting.scheme())
                .methods(granting.methods())
                .ports(granting.ports())
                .paths(granting.paths());
    }

    private static <T> void missing(
            List<T> values, Function<T, Rule.Builder> alone, Rule at, List<Rule> there, List<String> gaps) {
        for (T value : values) {
            if (!RuleRelations.covered(alone.apply(value).build(), at, there)) {
                gaps.add(String.valueOf(value));
            }
        }
    }

    private static boolean isAt(Rule rule, Rule at) {
        try {
            return RuleHost.of(rule).covers(RuleHost.of(at));
        } catch (InvalidPatternException e) {
            return false;
        }
    }

    private static void names(List<Rule> rules, Function<Rule, List<String>> part, List<String> gaps, String what) {
        TreeSet<String> values = new TreeSet<>();
        rules.forEach(rule -> values.addAll(part.apply(rule)));
        gaps.add(what + " other than " + String.join(", ", values));
    }

    private static String spelled(Rule rule, String path) {
        return rule.exact() || path.contains("*") ? path : path + " and below";
    }

    private static List<String> methods(Rule rule) {
        return rule.methods().contains("*")
                ? List.of()
                : rule.methods().stream()
                        .map(method -> method.toUpperCase(Locale.ROOT))
                        .toList();
    }

    private static List<String> paths(Rule rule) {
        Predicate<String> everything = path -> path.equals("/*") || (path.equals("/") && !rule.exact());
        return rule.paths().stream().anyMatch(everything) ? List.of() : rule.paths();
    }
}
