package dev.sallyport.server.learn;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A rule of a learned policy.
 *
 * @param rule as the allowlist has it
 * @param paths its paths, with what is to be said of them; empty for a rule that limits no paths
 * @param note what a comment says of the whole rule; empty for nothing
 */
record LearnedRule(Rule rule, List<LearnedPath> paths, String note) {

    LearnedRule {
        paths = List.copyOf(paths);
    }

    /** One that was there before. */
    static LearnedRule existing(Rule rule) {
        return new LearnedRule(rule, List.of(), "");
    }

    /** All of a host: what is known of traffic of which only the host was seen. */
    static LearnedRule wholeHost(Destination destination, Set<Integer> ports) {
        return new LearnedRule(of(destination, ports).build(), List.of(), "nothing but the host was seen");
    }

    /** Some requests to a host. */
    static LearnedRule of(
            Destination destination, Set<Integer> ports, SortedSet<String> methods, SortedSet<LearnedPath> paths) {
        return new LearnedRule(
                of(destination, ports)
                        .methods(List.copyOf(methods))
                        .paths(paths.stream().map(LearnedPath::pattern).toList())
                        .build(),
                List.copyOf(paths),
                "");
    }

    private static Rule.Builder of(Destination destination, Set<Integer> ports) {
        Rule.Builder rule = destination.literal()
                ? Rule.builder().cidr(destination.host())
                : Rule.builder().host(destination.host());
        return rule.ports(List.copyOf(new TreeSet<>(ports)));
    }

    /** Whether it says no more than a host or an address. */
    boolean bare() {
        return rule.methods().isEmpty()
                && rule.paths().isEmpty()
                && rule.ports().isEmpty()
                && rule.scheme() == null
                && !rule.exact()
                && !rule.keepOverrides()
                && rule.upgrade().isEmpty();
    }
}
