package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hosts to which a rule applies: names that match a pattern, addresses in a range, or any.
 *
 * @param names null for addresses, and for any host
 * @param addresses null for names, and for any host
 */
record RuleHost(@Nullable HostGlob names, @Nullable IpRange addresses) {

    /** @throws InvalidPatternException when the rule is malformed */
    static RuleHost of(Rule rule) {
        if (rule.cidr() != null) {
            return new RuleHost(null, IpRange.parse(rule.cidr()));
        }
        HostGlob glob = HostGlob.parse(rule.host() == null ? "" : rule.host());
        return switch (glob.kind()) {
            case ANY -> new RuleHost(null, null);
            case LITERAL -> new RuleHost(null, IpRange.parse(glob.text()));
            case EXACT, OPEN -> new RuleHost(glob, null);
        };
    }

    boolean isAny() {
        return names == null && addresses == null;
    }

    /** Whether both contain some host. */
    boolean meets(RuleHost other) {
        if (isAny() || other.isAny()) {
            return true;
        }
        if (addresses != null && other.addresses != null) {
            return addresses.contains(other.addresses) || other.addresses.contains(addresses);
        }
        return names != null && other.names != null && meet(names, other.names);
    }

    private static boolean meet(HostGlob one, HostGlob other) {
        List<String> left = one.labels();
        List<String> right = other.labels();
        if ((left.size() > right.size() && other.kind() != HostGlob.Kind.OPEN)
                || (right.size() > left.size() && one.kind() != HostGlob.Kind.OPEN)) {
            return false;
        }
        for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
            if (!Glob.meet(left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether this contains every host of the other; false in doubt. */
    boolean covers(RuleHost other) {
        if (isAny() || other.isAny()) {
            return isAny();
        }
        if (addresses != null && other.addresses != null) {
            return addresses.contains(other.addresses);
        }
        return names != null && other.names != null && covers(names, other.names);
    }

    private static boolean covers(HostGlob wide, HostGlob narrow) {
        List<String> labels = wide.labels();
        boolean open = wide.kind() == HostGlob.Kind.OPEN;
        if (open
                ? labels.size() > narrow.labels().size()
                : labels.size() != narrow.labels().size()) {
            return false;
        }
        if (!open && narrow.kind() == HostGlob.Kind.OPEN) {
            return false;
        }
        for (int i = 0; i < labels.size(); i++) {
            if (!Glob.covers(labels.get(i), narrow.labels().get(i))) {
                return false;
            }
        }
        return true;
    }
}
