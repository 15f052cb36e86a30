package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Rule;
import java.util.List;
import java.util.Locale;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Relations between the rules of two transforms. Exact about hosts, schemes and ports, and about whether a request can
 * match both. Malformed rules overlap with everything and cover nothing, since they are reported elsewhere. Pure
 * functions.
 */
public final class RuleRelations {

    private RuleRelations() {}

    /** Whether both reach some destination. */
    public static boolean meet(Rule one, Rule other) {
        try {
            return RuleHost.of(one).meets(RuleHost.of(other))
                    && (one.scheme() == null || other.scheme() == null || one.scheme() == other.scheme())
                    && share(one.ports(), other.ports(), Integer::equals);
        } catch (InvalidPatternException e) {
            return true;
        }
    }

    /** Whether some request matches both a rule that grants and one that restricts. */
    public static boolean overlap(Rule granting, Rule restricting) {
        try {
            return meet(granting, restricting)
                    && share(methods(granting), methods(restricting), String::equals)
                    && share(granted(granting), restricted(restricting), PathPattern::meets);
        } catch (InvalidPatternException e) {
            return true;
        }
    }

    /** Whether a rule matches everything. */
    public static boolean isEverything(Rule rule) {
        return "*".equals(rule.host())
                && methods(rule).isEmpty()
                && rule.paths().isEmpty()
                && rule.ports().isEmpty()
                && rule.scheme() == null;
    }

    /**
     * Whether {@code others}, which restrict, together match every request that {@code rule}, which grants, matches at
     * hosts of {@code at}; false in doubt.
     */
    public static boolean covered(Rule rule, Rule at, List<Rule> others) {
        try {
            RuleHost host = RuleHost.of(rule);
            RuleHost limit = RuleHost.of(at);
            List<Rule> there = others.stream()
                    .filter(other -> other.scheme() == null || other.scheme() == rule.scheme())
                    .filter(other -> RuleHost.of(other).covers(host)
                            || RuleHost.of(other).covers(limit))
                    .toList();
            return each(
                    methods(rule),
                    RuleRelations::methods,
                    String::equals,
                    there,
                    ofMethod -> each(
                            rule.ports(),
                            Rule::ports,
                            Integer::equals,
                            ofMethod,
                            ofPort -> each(
                                    granted(rule),
                                    RuleRelations::restricted,
                                    (wide, path) -> wide.covers(path),
                                    ofPort,
                                    rest -> !rest.isEmpty())));
        } catch (InvalidPatternException e) {
            return false;
        }
    }

    /**
     * Whether {@code then} holds for each of the values together with the rules that cover it. An empty list stands for
     * all values and is covered by rules that have an empty list too.
     */
    private static <T> boolean each(
            List<T> values,
            Function<Rule, List<T>> part,
            BiPredicate<T, T> covers,
            List<Rule> rules,
            Predicate<List<Rule>> then) {
        if (values.isEmpty()) {
            return then.test(
                    rules.stream().filter(rule -> part.apply(rule).isEmpty()).toList());
        }
        for (T value : values) {
            List<Rule> covering = rules.stream()
                    .filter(rule -> part.apply(rule).isEmpty()
                            || part.apply(rule).stream().anyMatch(wide -> covers.test(wide, value)))
                    .toList();
            if (!then.test(covering)) {
                return false;
            }
        }
        return true;
    }

    /** Empty lists stand for all values. */
    private static <T> boolean share(List<T> left, List<T> right, BiPredicate<T, T> meet) {
        return left.isEmpty()
                || right.isEmpty()
                || left.stream().anyMatch(one -> right.stream().anyMatch(other -> meet.test(one, other)));
    }

    private static List<String> methods(Rule rule) {
        return rule.methods().contains("*")
                ? List.of()
                : rule.methods().stream()
                        .map(method -> method.toUpperCase(Locale.ROOT))
                        .toList();
    }

    private static List<PathPattern> granted(Rule rule) {
        return paths(rule, PathPattern::respelled);
    }

    private static List<PathPattern> restricted(Rule rule) {
        return paths(rule, rule.exact() ? PathPattern::respelled : PathPattern::loosened);
    }

    /** Empty for all paths. */
    private static List<PathPattern> paths(Rule rule, UnaryOperator<PathPattern> reading) {
        List<PathPattern> paths =
                rule.paths().stream().map(PathPattern::parse).map(reading).toList();
        return paths.stream().anyMatch(PathPattern::isEverything) ? List.of() : paths;
    }
}
