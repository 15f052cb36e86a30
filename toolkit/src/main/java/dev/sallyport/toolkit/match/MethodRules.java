package dev.sallyport.toolkit.match;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rules whose host, port and path match; the method is still to be compared. Immutable. */
final class MethodRules implements RulePositions {

    private static final int[][] NO_METHODS = {};
    private static final MethodRules NO_RULES = new MethodRules(Ints.NONE, Ints.NONE, NO_METHODS);

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

        private final Ints.Builder anyMethod = new Ints.Builder();
        private @Nullable Map<Integer, Ints.Builder> byMethod;

        /** Adds a rule for these methods; none means all. */
        void add(int rule, int[] methods) {
            if (methods.length == 0) {
                append(anyMethod, rule);
            }
            for (int method : methods) {
                append(byMethod().computeIfAbsent(method, key -> new Ints.Builder()), rule);
            }
        }

        private Map<Integer, Ints.Builder> byMethod() {
            if (byMethod == null) {
                byMethod = new TreeMap<>();
            }
            return byMethod;
        }

        private static void append(Ints.Builder rules, int rule) {
            if (rules.isEmpty() || rules.last() != rule) {
                rules.add(rule);
            }
        }

        MethodRules build() {
            if (byMethod == null) {
                return anyMethod.isEmpty() ? NO_RULES : new MethodRules(anyMethod.build(), Ints.NONE, NO_METHODS);
            }
            int[][] built = new int[byMethod.size()][];
            int at = 0;
            for (Ints.Builder rules : byMethod.values()) {
                built[at++] = rules.build();
            }
            return new MethodRules(anyMethod.build(), Ints.array(byMethod.keySet()), built);
        }
    }
}
