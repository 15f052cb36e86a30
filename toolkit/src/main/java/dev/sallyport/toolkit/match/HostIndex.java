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
    private final TrieNode<HostRules> names;

    private HostIndex(
            @Nullable HostRules any,
            Map<String, HostRules> literals,
            CidrTrie<HostRules> ranges,
            TrieNode<HostRules> names) {
        this.any = any;
        this.literals = literals;
        this.ranges = ranges;
        this.names = names;
    }

    /**
     * The lowest rule that matches, or {@link RulePositions#NONE}.
     *
     * @param origin see {@link HostRules#origin}
     */
    int first(
            String host,
            boolean literal,
            RequestKnowledge kind,
            int origin,
            int method,
            String path,
            @Nullable BitSet all) {
        int best = any == null ? RulePositions.NONE : any.first(kind, origin, method, path, RulePositions.NONE, all);
        return literal
                ? address(host, kind, origin, method, path, best, all)
                : walk(names, host, host.length(), kind, origin, method, path, best, all);
    }

    private int address(
            String host, RequestKnowledge kind, int origin, int method, String path, int best, @Nullable BitSet all) {
        HostRules exact = literals.get(host);
        int found = exact == null ? best : exact.first(kind, origin, method, path, best, all);
        if (ranges.isEmpty()) {
            return found;
        }
        boolean v4 = host.indexOf(':') < 0;
        long high = v4 ? IpBits.v4(host, 0, host.length()) << 32 : IpBits.half(host, true);
        long low = v4 ? 0 : IpBits.half(host, false);
        for (CidrTrie.TrieNode<HostRules> node = ranges.root(v4);
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
     * Each node is reached in one way only, so no node is visited twice.
     *
     * @param end the end of the next label; negative when none is left
     */
    private static int walk(
            TrieNode<HostRules> node,
            String host,
            int end,
            RequestKnowledge kind,
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
        TrieNode<HostRules> literal = node.literals.find(host, dot + 1, end);
        if (literal != null) {
            found = walk(literal, host, dot, kind, origin, method, path, found, all);
        }
        GlobTable<TrieNode<HostRules>> globs = node.globs;
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
        private final TrieNode.Builder<HostRules.Builder> names = new TrieNode.Builder<>(HostRules.Builder::new);

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

        private TrieNode.Builder<HostRules.Builder> node(HostGlob glob) {
            TrieNode.Builder<HostRules.Builder> node = names;
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
