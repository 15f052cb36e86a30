package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules whose host matches; scheme, port, path and method are still to be compared. Immutable. */
final class HostRules implements RulePositions {

    private final @Nullable PortRules both;
    private final @Nullable PortRules http;
    private final @Nullable PortRules https;
    private final int min;

    private HostRules(@Nullable PortRules both, @Nullable PortRules http, @Nullable PortRules https) {
        this.both = both;
        this.http = http;
        this.https = https;
        this.min = Math.min(min(both), Math.min(min(http), min(https)));
    }

    /** The port of a destination, negative for TLS, so that look-ups pass both in one value. */
    static int origin(Destination destination) {
        return destination.secure() ? -destination.port() : destination.port();
    }

    private static int min(@Nullable PortRules rules) {
        return rules == null ? NONE : rules.min();
    }

    @Override
    public int min() {
        return min;
    }

    /**
     * The lowest rule below {@code best}, or {@code best}.
     *
     * @param origin see {@link #origin}; 0 where rules have neither port nor scheme
     */
    int first(RequestKnowledge kind, int origin, int method, String path, int best, @Nullable BitSet all) {
        int port = Math.abs(origin);
        int found = both == null ? best : both.first(kind, port, method, path, best, all);
        boolean either = kind == RequestKnowledge.ANY_SCHEME;
        if (https != null && (either || origin < 0)) {
            found = https.first(kind, port, method, path, found, all);
        }
        if (http != null && (either || origin > 0)) {
            found = http.first(kind, port, method, path, found, all);
        }
        return found;
    }

    /** Collects rules; they must come in ascending order. */
    static final class Builder {

        private PortRules.@Nullable Builder both;
        private PortRules.@Nullable Builder http;
        private PortRules.@Nullable Builder https;

        /** Adds a rule with nothing but a host. */
        void add(int position) {
            place(null).add(position, List.of(), List.of(), Ints.NONE);
        }

        /** Adds a rule, with its paths and methods compiled. */
        void add(int position, Rule rule, List<PathPattern> paths, int[] methods) {
            place(rule.scheme()).add(position, rule.ports(), paths, methods);
        }

        private PortRules.Builder place(Rule.@Nullable Scheme scheme) {
            if (scheme == null) {
                both = orNew(both);
                return both;
            }
            if (scheme == Rule.Scheme.HTTP) {
                http = orNew(http);
                return http;
            }
            https = orNew(https);
            return https;
        }

        private static PortRules.Builder orNew(PortRules.@Nullable Builder present) {
            return present == null ? new PortRules.Builder() : present;
        }

        HostRules build() {
            return new HostRules(built(both), built(http), built(https));
        }

        private static @Nullable PortRules built(PortRules.@Nullable Builder builder) {
            return builder == null ? null : builder.build();
        }
    }
}
