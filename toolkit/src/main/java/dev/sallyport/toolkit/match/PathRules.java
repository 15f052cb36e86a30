package dev.sallyport.toolkit.match;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules whose host and port match; path and method are still to be compared. Immutable. */
final class PathRules implements RulePositions {

    private static final TrieNode<MethodRules> NO_PATHS =
            new TrieNode.Builder<>(MethodRules.Builder::new).build(MethodRules.Builder::build);

    private final MethodRules anyPath;
    private final TrieNode<MethodRules> paths;

    private PathRules(MethodRules anyPath, TrieNode<MethodRules> paths) {
        this.anyPath = anyPath;
        this.paths = paths;
    }

    @Override
    public int min() {
        return Math.min(anyPath.min(), paths.min);
    }

    /** The lowest rule below {@code best}, or {@code best}; see {@link RequestKnowledge}. */
    int first(RequestKnowledge kind, int method, String path, int best, @Nullable BitSet all) {
        return switch (kind) {
            case ANY, ANY_SCHEME -> Math.min(best, min());
            case HOST_ONLY -> anyPath.first(MethodNames.UNKNOWN, best, all);
            case FULL -> {
                int found = anyPath.first(method, best, all);
                int start = path.startsWith("/") ? 1 : path.length() + 1;
                yield walk(paths, path, start, method, found, all);
            }
        };
    }

    /**
     * Each node is reached in one way only, so no node is visited twice.
     *
     * @param at the start of the next segment; beyond the end of the path when none is left
     */
    private static int walk(
            TrieNode<MethodRules> node, String path, int at, int method, int best, @Nullable BitSet all) {
        if (node.min >= best && all == null) {
            return best;
        }
        int found = node.open == null ? best : node.open.first(method, best, all);
        if (at > path.length()) {
            return node.exact == null ? found : node.exact.first(method, found, all);
        }
        int slash = path.indexOf('/', at);
        int end = slash < 0 ? path.length() : slash;
        TrieNode<MethodRules> literal = node.literals.find(path, at, end);
        if (literal != null) {
            found = walk(literal, path, end + 1, method, found, all);
        }
        GlobTable<TrieNode<MethodRules>> globs = node.globs;
        for (int probe = globs.probes(end - at) - 1; probe >= 0; probe--) {
            for (int glob = globs.first(probe, path, at, end); glob >= 0; glob = globs.next(glob)) {
                if (globs.matches(glob, probe, path, at, end)) {
                    found = walk(globs.value(glob), path, end + 1, method, found, all);
                }
            }
        }
        return found;
    }

    /** Collects rules; they must come in ascending order. */
    static final class Builder {

        private final MethodRules.Builder anyPath = new MethodRules.Builder();
        private TrieNode.@Nullable Builder<MethodRules.Builder> paths;

        /** Adds a rule; no paths means all, no methods means all. */
        void add(int rule, List<PathPattern> patterns, int[] methods) {
            if (patterns.isEmpty()) {
                anyPath.add(rule, methods);
            }
            for (PathPattern pattern : patterns) {
                TrieNode.Builder<MethodRules.Builder> node = root();
                for (String segment : pattern.segments()) {
                    node = node.child(segment);
                }
                (pattern.open() ? node.open() : node.exact()).add(rule, methods);
            }
        }

        private TrieNode.Builder<MethodRules.Builder> root() {
            if (paths == null) {
                paths = new TrieNode.Builder<>(MethodRules.Builder::new);
            }
            return paths;
        }

        PathRules build() {
            return new PathRules(anyPath.build(), paths == null ? NO_PATHS : paths.build(MethodRules.Builder::build));
        }
    }
}
