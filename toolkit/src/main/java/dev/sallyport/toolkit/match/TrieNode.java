package dev.sallyport.toolkit.match;

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
            @Nullable V exact, @Nullable V open, Map<String, TrieNode<V>> literals, Map<String, TrieNode<V>> globs) {
        this.exact = exact;
        this.open = open;
        this.literals = LabelTable.of(literals);
        this.globs = GlobTable.of(globs);
        int lowest = Math.min(
                exact == null ? RulePositions.NONE : exact.min(), open == null ? RulePositions.NONE : open.min());
        for (TrieNode<V> child : literals.values()) {
            lowest = Math.min(lowest, child.min);
        }
        for (TrieNode<V> child : globs.values()) {
            lowest = Math.min(lowest, child.min);
        }
        this.min = lowest;
    }

    /** Collects patterns; {@code B} is the builder of a value. */
    static final class Builder<B> {

        private final Supplier<B> maker;
        private final Map<String, Builder<B>> children = new LinkedHashMap<>();
        private @Nullable B exact;
        private @Nullable B open;

        Builder(Supplier<B> maker) {
            this.maker = maker;
        }

        Builder<B> child(String label) {
            return children.computeIfAbsent(label, key -> new Builder<>(maker));
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
            Map<String, TrieNode<V>> literals = new LinkedHashMap<>();
            Map<String, TrieNode<V>> globs = new LinkedHashMap<>();
            children.forEach(
                    (label, child) -> (Glob.hasWildcard(label) ? globs : literals).put(label, child.build(finish)));
            return new TrieNode<>(
                    exact == null ? null : finish.apply(exact),
                    open == null ? null : finish.apply(open),
                    literals,
                    globs);
        }
    }
}
