package dev.sallyport.toolkit.match;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rules whose host and scheme match; port, path and method are still to be compared. Immutable. */
final class PortRules implements RulePositions {

    private static final PathRules[] NO_PORTS = {};

    private final @Nullable PathRules anyPort;
    private final int[] ports;
    private final PathRules[] byPort;
    private final int min;

    private PortRules(@Nullable PathRules anyPort, int[] ports, PathRules[] byPort) {
        this.anyPort = anyPort;
        this.ports = ports;
        this.byPort = byPort;
        int lowest = anyPort == null ? NONE : anyPort.min();
        for (PathRules rules : byPort) {
            lowest = Math.min(lowest, rules.min());
        }
        this.min = lowest;
    }

    @Override
    public int min() {
        return min;
    }

    /** The lowest rule below {@code best}, or {@code best}. */
    int first(RequestKnowledge kind, int port, int method, String path, int best, @Nullable BitSet all) {
        int found = anyPort == null ? best : anyPort.first(kind, method, path, best, all);
        int at = Arrays.binarySearch(ports, port);
        return at < 0 ? found : byPort[at].first(kind, method, path, found, all);
    }

    /** Collects rules; they must come in ascending order. */
    static final class Builder {

        private PathRules.@Nullable Builder anyPort;
        private @Nullable Map<Integer, PathRules.Builder> byPort;

        /** Adds a rule; an empty list means all. */
        void add(int rule, List<Integer> ports, List<PathPattern> paths, int[] methods) {
            if (ports.isEmpty()) {
                if (anyPort == null) {
                    anyPort = new PathRules.Builder();
                }
                anyPort.add(rule, paths, methods);
            }
            for (Integer port : ports) {
                byPort().computeIfAbsent(port, key -> new PathRules.Builder()).add(rule, paths, methods);
            }
        }

        private Map<Integer, PathRules.Builder> byPort() {
            if (byPort == null) {
                byPort = new TreeMap<>();
            }
            return byPort;
        }

        PortRules build() {
            PathRules any = anyPort == null ? null : anyPort.build();
            if (byPort == null) {
                return new PortRules(any, Ints.NONE, NO_PORTS);
            }
            PathRules[] built = new PathRules[byPort.size()];
            int at = 0;
            for (PathRules.Builder rules : byPort.values()) {
                built[at++] = rules.build();
            }
            return new PortRules(any, Ints.array(byPort.keySet()), built);
        }
    }
}
