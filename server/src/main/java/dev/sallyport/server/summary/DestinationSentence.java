package dev.sallyport.server.summary;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.RuleRelations;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What may leave. Pure functions. */
final class DestinationSentence {

    private static final int MOST_HOSTS = 5;
    private static final String ALLOWLIST = "allowlist";
    private static final String ANY = "any host";

    private DestinationSentence() {}

    /** {@code delivered}: whether a control plane delivers policies. */
    static String of(List<TransformEntry<?>> entries, boolean delivered) {
        List<TransformEntry<?>> lists =
                entries.stream().filter(DestinationSentence::isList).toList();
        List<TransformEntry<?>> closed =
                lists.stream().filter(entry -> !isOpen(entry)).toList();
        String where = delivered && lists.isEmpty()
                ? "Requests may leave only where the policies of the control plane let them"
                : destinations(lists, closed);
        return where + lookers(entries) + ".";
    }

    private static String destinations(List<TransformEntry<?>> lists, List<TransformEntry<?>> closed) {
        if (lists.isEmpty()) {
            return "Requests may leave for any host, since no allowlist limits them";
        }
        if (closed.isEmpty()) {
            boolean warns = lists.stream().anyMatch(entry -> RecordParts.isTrue(entry.config(), "warn"));
            return "Requests may leave for any host, since the allowlist "
                    + (warns ? "only warns" : "names all of them");
        }
        if (closed.stream().anyMatch(entry -> entry.capabilities().admits().isEmpty())) {
            return "No request may leave, since the allowlist is empty";
        }
        if (closed.size() == 1 && names(closed.getFirst()).contains(ANY)) {
            return "Requests may leave for any host, but only by certain methods, paths, ports or schemes; all others are"
                    + " refused";
        }
        if (closed.size() == 1) {
            return "Requests may leave only for " + hosts(closed.getFirst()) + "; all others are refused";
        }
        List<String> each = closed.stream().map(DestinationSentence::hosts).toList();
        return "Requests may leave only where all of " + closed.size() + " allowlists let them, the first for "
                + String.join(", the next for ", each) + "; all others are refused";
    }

    private static String hosts(TransformEntry<?> entry) {
        List<Rule> rules = entry.capabilities().admits();
        Set<String> names =
                rules.stream().map(DestinationSentence::place).collect(Collectors.toCollection(LinkedHashSet::new));
        String hosts = Shortened.list(List.copyOf(names), MOST_HOSTS);
        long limited = names.stream()
                .filter(name ->
                        rules.stream().filter(rule -> place(rule).equals(name)).noneMatch(DestinationSentence::isWhole))
                .count();
        if (limited == 0) {
            return hosts;
        }
        String by = "limited by method, path, port or scheme)";
        return hosts + (limited == names.size() ? " (" + by : " (" + limited + " of them " + by);
    }

    private static Set<String> names(TransformEntry<?> entry) {
        return entry.capabilities().admits().stream()
                .map(DestinationSentence::place)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static String place(Rule rule) {
        String host = rule.host() == null ? String.valueOf(rule.cidr()) : rule.host();
        return host.equals("*") ? ANY : host;
    }

    private static boolean isWhole(Rule rule) {
        return rule.methods().isEmpty()
                && rule.paths().isEmpty()
                && rule.ports().isEmpty()
                && rule.scheme() == null;
    }

    /** What asks or restricts beside the lists. */
    private static String lookers(List<TransformEntry<?>> entries) {
        List<String> names = new ArrayList<>();
        for (TransformEntry<?> entry : entries) {
            Capabilities capabilities = entry.capabilities();
            boolean strips = capabilities.effects().contains(Effect.STRIPS_UNKNOWN);
            if (capabilities.restricts() && !strips) {
                String instance = entry.instanceName();
                names.add(instance.isEmpty() ? entry.name() : entry.name() + " " + instance);
            }
        }
        return names.isEmpty()
                ? ""
                : ", and " + Shortened.list(names, MOST_HOSTS)
                        + (names.size() == 1 ? " judges what its rules name" : " judge what their rules name");
    }

    private static boolean isList(TransformEntry<?> entry) {
        return entry.name().equals(ALLOWLIST) || !entry.capabilities().admits().isEmpty();
    }

    private static boolean isOpen(TransformEntry<?> entry) {
        return entry.capabilities().admits().stream().anyMatch(RuleRelations::isEverything);
    }
}
