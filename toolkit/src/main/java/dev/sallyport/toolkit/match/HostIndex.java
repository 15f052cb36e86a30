package dev.sallyport.toolkit.match;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rules by host: any host, addresses by hash and by prefix, names by a trie over their labels from the last to the
 * first. Immutable.
 */
final class HostIndex {

    private final @Nullable HostRules any;
    private final Map<String, HostRules> literals;
    private final CidrTrie<HostRules> ranges;
    private final Node<HostRules> names;

    private HostIndex(
            @Nullable HostRules any,
            Map<String, HostRules> literals,
            CidrTrie<HostRules> ranges,
            Node<HostRules> names) {
        this.any = any;
        this.literals = literals;
        this.ranges = ranges;
        this.names = names;
    }

    /**
     * The lowest rule that matches, or {@link Verdict#NONE}.
     *
     * @param origin see {@link HostRules#origin}
     */
    int first(String host, boolean literal, Request kind, int origin, int method, String path, @Nullable BitSet all) {
        int best = any == null ? Verdict.NONE : any.first(kind, origin, method, path, Verdict.NONE, all);
        return literal
                ? address(host, kind, origin, method, path, best, all)
                : walk(names, host, host.length(), kind, origin, method, path, best, all);
    }

    private int address(
            String host, Request kind, int origin, int method, String path, int best, @Nullable BitSet all) {
        HostRules exact = literals.get(host);
        int found = exact == null ? best : exact.first(kind, origin, method, path, best, all);
        if (ranges.isEmpty()) {
            return found;
        }
        boolean v4 = host.indexOf(':') < 0;
        long high = v4 ? Ip.v4(host, 0, host.length()) << 32 : Ip.half(host, true);
        long low = v4 ? 0 : Ip.half(host, false);
        for (CidrTrie.Node<HostRules> node = ranges.root(v4);
                node != null && node.covers(high, low);
                node = node.next(high, low)) {
            HostRules rules = node.value();
            if (rules != null && (rules.min() < found || all != null)) {
                found = rules.first(kind, origin, method, path, found, all);
            }
        }
        return found;
    }

    /**
     * Each node is reached in one way only, so that no node is looked at twice.
     *
     * @param end where the next label ends; negative when none is left
     */
    private static int walk(
            Node<HostRules> node,
            String host,
            int end,
            Request kind,
            int origin,
            int method,
            String path,
            int best,
            @Nullable BitSet all) {
        if (node.min >= best && all == null) {
            return best;
        }
        int found = node.open == null ? best : node.open.first(kind, origin, method, path, best, all);
        if (end < 0) {
            return node.exact == null ? found : node.exact.first(kind, origin, method, path, found, all);
        }
        int dot = host.lastIndexOf('.', end - 1);
        Node<HostRules> literal = node.literals.find(host, dot + 1, end);
        if (literal != null) {
            found = walk(literal, host, dot, kind, origin, method, path, found, all);
        }
        GlobTable<Node<HostRules>> globs = node.globs;
        for (int probe = globs.probes(end - dot - 1) - 1; probe >= 0; probe--) {
            for (int glob = globs.first(probe, host, dot + 1, end); glob >= 0; glob = globs.next(glob)) {
                if (globs.matches(glob, probe, host, dot + 1, end)) {
                    found = walk(globs.value(glob), host, dot, kind, origin, method, path, found, all);
                }
            }
        }
        return found;
    }

    /** Collects rules by host; the rules of one host must come in ascending order. */
    static final class Builder {

        private HostRules.@Nullable Builder any;
        private final Map<String, HostRules.Builder> literals = new HashMap<>();
        private final Map<IpRange, HostRules.Builder> ranges = new HashMap<>();
        private final Node.Builder<HostRules.Builder> names = new Node.Builder<>(HostRules.Builder::new);

        HostRules.Builder at(IpRange range) {
            return ranges.computeIfAbsent(range, key -> new HostRules.Builder());
        }

        HostRules.Builder at(HostGlob glob) {
            return switch (glob.kind()) {
                case ANY -> any();
                case LITERAL -> literals.computeIfAbsent(glob.text(), key -> new HostRules.Builder());
                case EXACT -> node(glob).exact();
                case OPEN -> node(glob).open();
            };
        }

        private HostRules.Builder any() {
            if (any == null) {
                any = new HostRules.Builder();
            }
            return any;
        }

        private Node.Builder<HostRules.Builder> node(HostGlob glob) {
            Node.Builder<HostRules.Builder> node = names;
            for (String label : glob.labels()) {
                node = node.child(label);
            }
            return node;
        }

        HostIndex build() {
            Map<String, HostRules> exact = new HashMap<>();
            literals.forEach((host, rules) -> exact.put(host, rules.build()));
            CidrTrie<HostRules> trie = new CidrTrie<>();
            ranges.forEach((range, rules) -> trie.put(range, rules.build()));
            return new HostIndex(any == null ? null : any.build(), exact, trie, names.build(HostRules.Builder::build));
        }
    }
}
