package dev.sallyport.toolkit.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rules whose host, port and path match; the method is still to be compared. Immutable. */
final class MethodRules implements RulePositions {

    private static final MethodRules NO_RULES = new MethodRules(new int[0], new int[0], new int[0][]);

    private final int[] anyMethod;
    private final int[] methods;
    private final int[][] byMethod;
    private final int min;

    private MethodRules(int[] anyMethod, int[] methods, int[][] byMethod) {
        this.anyMethod = anyMethod;
        this.methods = methods;
        this.byMethod = byMethod;
        int lowest = anyMethod.length == 0 ? NONE : anyMethod[0];
        for (int[] rules : byMethod) {
            lowest = Math.min(lowest, rules[0]);
        }
        this.min = lowest;
    }

    @Override
    public int min() {
        return min;
    }

    /**
     * The lowest rule below {@code best}, or {@code best}.
     *
     * @param method the number from {@link MethodNames#find}; negative when no rule names it
     * @param all receives all matching rules; may be null
     */
    int first(int method, int best, @Nullable BitSet all) {
        int found = best;
        if (anyMethod.length > 0) {
            found = Math.min(found, anyMethod[0]);
        }
        int at = method < 0 ? -1 : Arrays.binarySearch(methods, method);
        if (at >= 0) {
            found = Math.min(found, byMethod[at][0]);
        }
        if (all != null) {
            collect(anyMethod, all);
            if (at >= 0) {
                collect(byMethod[at], all);
            }
        }
        return found;
    }

    private static void collect(int[] rules, BitSet all) {
        for (int rule : rules) {
            all.set(rule);
        }
    }

    /** Collects rules; they must come in ascending order. */
    static final class Builder {

        private final List<Integer> anyMethod = new ArrayList<>();
        private final Map<Integer, List<Integer>> byMethod = new TreeMap<>();

        /** Adds a rule for these methods; none means all. */
        void add(int rule, int[] methods) {
            if (methods.length == 0) {
                append(anyMethod, rule);
            }
            for (int method : methods) {
                append(byMethod.computeIfAbsent(method, key -> new ArrayList<>()), rule);
            }
        }

        private static void append(List<Integer> rules, int rule) {
            if (rules.isEmpty() || rules.get(rules.size() - 1) != rule) {
                rules.add(rule);
            }
        }

        MethodRules build() {
            if (anyMethod.isEmpty() && byMethod.isEmpty()) {
                return NO_RULES;
            }
            int[][] built = new int[byMethod.size()][];
            int at = 0;
            for (List<Integer> rules : byMethod.values()) {
                built[at++] = Ints.array(rules);
            }
            return new MethodRules(Ints.array(anyMethod), Ints.array(byMethod.keySet()), built);
        }
    }
}
