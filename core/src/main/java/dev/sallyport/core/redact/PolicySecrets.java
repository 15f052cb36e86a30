package dev.sallyport.core.redact;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The policies, with the names of the secrets that are, or were, in each, and which of them were deleted; not the names
 * of values that transforms create. What no policy has any more, and a policy that is no longer in force, are kept only
 * for as long as values of them are. Thread-safe.
 */
final class PolicySecrets {

    private final Set<String> deleted = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private final Map<String, Names> policies = new HashMap<>();
    private final Map<String, Integer> uses = new HashMap<>();
    private final Set<String> shrinking = new HashSet<>();

    /** Of one policy. */
    private static final class Names {
        private final Set<String> all = new HashSet<>();
        private Set<String> present = Set.of();
        private boolean inForce;

        private boolean isGone() {
            return !inForce && all.isEmpty();
        }
    }

    /** Whether the secret of this name was deleted. Takes no lock. */
    boolean isDeleted(String name) {
        return deleted.contains(name);
    }

    /** These were deleted; those that no policy names, now or before, are of no concern. */
    synchronized void delete(Set<String> names) {
        for (String name : names) {
            if (uses.containsKey(name)) {
                deleted.add(name);
            }
        }
    }

    /** These have values again. */
    void deliver(Set<String> names) {
        deleted.removeAll(names);
    }

    /**
     * A policy names these from now on.
     *
     * @param inForce whether it is: false for one that has gone, and for one without transforms, which sends nothing
     * @return those that it named before
     */
    synchronized Set<String> replace(String policy, Set<String> present, boolean inForce) {
        Names names = policies.computeIfAbsent(policy, absent -> new Names());
        for (String name : present) {
            if (names.all.add(name)) {
                uses.merge(name, 1, Integer::sum);
            }
        }
        names.present = Set.copyOf(present);
        names.inForce = inForce;
        Set<String> former = new HashSet<>(names.all);
        former.removeAll(present);
        shrinking.add(policy);
        return former;
    }

    /** Whether a policy is in force. */
    synchronized boolean isInForce(String policy) {
        Names names = policies.get(policy);
        return names != null && names.inForce;
    }

    /**
     * Forgets names of which there are no values any more.
     *
     * @param held the names of which there are values of a policy, those that transforms create included
     * @param empty whether there are no values of a policy at all
     * @return the policies of which nothing is left
     */
    synchronized List<String> sweep(Function<String, Set<String>> held, Predicate<String> empty) {
        List<String> gone = new ArrayList<>();
        shrinking.removeIf(policy -> {
            Names names = policies.get(policy);
            if (names == null) {
                return true;
            }
            Set<String> valued = held.apply(policy);
            names.all.removeIf(name -> {
                boolean forgotten = !names.present.contains(name) && !valued.contains(name);
                if (forgotten && uses.merge(name, -1, PolicySecrets::sumOrNull) == null) {
                    deleted.remove(name);
                }
                return forgotten;
            });
            if (names.isGone() && empty.test(policy)) {
                policies.remove(policy);
                gone.add(policy);
                return true;
            }
            return names.inForce && names.all.size() == names.present.size();
        });
        return gone;
    }

    @SuppressWarnings("NullAway") // null removes the entry
    private static Integer sumOrNull(Integer one, Integer other) {
        return one + other == 0 ? null : Integer.valueOf(one + other);
    }

    /** How many policies there are. */
    synchronized int size() {
        return policies.size();
    }

    @Override
    public String toString() {
        return "PolicySecrets[" + size() + "]";
    }
}
