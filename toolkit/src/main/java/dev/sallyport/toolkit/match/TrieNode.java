package dev.sallyport.toolkit.match;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node of a trie over labels (of hosts, from the last to the first) or segments (of paths). A value stands for all
 * patterns that end here: {@code exact} for those that must match to the end, {@code open} for those that match any
 * rest. Immutable.
 */
final class TrieNode<V extends RulePositions> {

    /** The lowest rule in this node and below it. */
    final int min;

    final @Nullable V exact;
    final @Nullable V open;
    final LabelTable<TrieNode<V>> literals;
    final GlobTable<TrieNode<V>> globs;

    private TrieNode(
            @Nullable V exact,
            @Nullable V open,
            LabelTable<TrieNode<V>> literals,
            GlobTable<TrieNode<V>> globs,
            int lowest) {
        this.exact = exact;
        this.open = open;
        this.literals = literals;
        this.globs = globs;
        this.min = Math.min(lowest, Math.min(min(exact), min(open)));
    }

    private static int min(@Nullable RulePositions rules) {
        return rules == null ? RulePositions.NONE : rules.min();
    }

    /** Collects patterns; {@code B} is the builder of a value. */
    static final class Builder<B> {

        private final Supplier<B> maker;
        private @Nullable Map<String, Builder<B>> literals;
        private @Nullable Map<String, Builder<B>> globs;
        private @Nullable B exact;
        private @Nullable B open;

        Builder(Supplier<B> maker) {
            this.maker = maker;
        }

        Builder<B> child(String label) {
            Map<String, Builder<B>> children = Glob.hasWildcard(label) ? globs() : literals();
            Builder<B> child = children.get(label);
            if (child == null) {
                child = new Builder<>(maker);
                children.put(label, child);
            }
            return child;
        }

        private Map<String, Builder<B>> literals() {
            if (literals == null) {
                literals = new HashMap<>(4);
            }
            return literals;
        }

        private Map<String, Builder<B>> globs() {
            if (globs == null) {
                globs = new LinkedHashMap<>();
            }
            return globs;
        }

        B exact() {
            if (exact == null) {
                exact = maker.get();
            }
            return exact;
        }

        B open() {
            if (open == null) {
                open = maker.get();
            }
            return open;
        }

        <V extends RulePositions> TrieNode<V> build(Function<B, V> finish) {
            V ending = exact == null ? null : finish.apply(exact);
            V below = open == null ? null : finish.apply(open);
            if (literals == null && globs == null) {
                return new TrieNode<>(ending, below, LabelTable.empty(), GlobTable.empty(), RulePositions.NONE);
            }
            int[] lowest = {RulePositions.NONE};
            Function<Builder<B>, TrieNode<V>> finishChild = child -> {
                TrieNode<V> node = child.build(finish);
                lowest[0] = Math.min(lowest[0], node.min);
                return node;
            };
            LabelTable<TrieNode<V>> byLabel =
                    literals == null ? LabelTable.empty() : LabelTable.of(literals, finishChild);
            GlobTable<TrieNode<V>> byGlob = GlobTable.empty();
            if (globs != null) {
                Map<String, TrieNode<V>> built = new LinkedHashMap<>();
                globs.forEach((glob, child) -> built.put(glob, finishChild.apply(child)));
                byGlob = GlobTable.of(built);
            }
            return new TrieNode<>(ending, below, byLabel, byGlob, lowest[0]);
        }
    }
}
