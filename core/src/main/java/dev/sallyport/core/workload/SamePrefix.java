package dev.sallyport.core.workload;

import dev.sallyport.spi.Principal;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The workloads that name one and the same prefix, found by the user of a caller, however many they are. Immutable; a
 * look-up allocates nothing.
 */
final class SamePrefix<P> {

    /** How many are compared one after the other, which takes less memory than a map. */
    private static final int FEW = 8;

    private final Workload<P>[] anybody;
    private final Workload<P>[] few;

    /** Those with users, by user, once they are more than a few. */
    private final @Nullable BucketMap<Workload<P>[]> many;

    private SamePrefix(Workload<P>[] anybody, Workload<P>[] few, @Nullable BucketMap<Workload<P>[]> many) {
        this.anybody = anybody;
        this.few = few;
        this.many = many;
    }

    static <P> SamePrefix<P> none() {
        return new SamePrefix<>(WorkloadList.none(), WorkloadList.none(), null);
    }

    SamePrefix<P> with(Workload<P> workload) {
        if (workload.takesAnybody()) {
            return new SamePrefix<>(WorkloadList.with(anybody, workload), few, many);
        }
        BucketMap<Workload<P>[]> byUser = many;
        if (byUser == null && few.length < FEW) {
            return new SamePrefix<>(anybody, WorkloadList.with(few, workload), null);
        }
        if (byUser == null) {
            byUser = BucketMap.empty();
            for (Workload<P> present : few) {
                byUser = added(byUser, present);
            }
        }
        return new SamePrefix<>(anybody, WorkloadList.none(), added(byUser, workload));
    }

    private static <P> BucketMap<Workload<P>[]> added(BucketMap<Workload<P>[]> to, Workload<P> workload) {
        BucketMap<Workload<P>[]> byUser = to;
        for (String user : workload.users()) {
            Workload<P>[] theirs = byUser.get(user);
            byUser = byUser.with(user, WorkloadList.with(theirs == null ? WorkloadList.none() : theirs, workload));
        }
        return byUser;
    }

    /** Null when none is left. */
    @Nullable SamePrefix<P> without(Workload<P> workload) {
        SamePrefix<P> rest;
        if (workload.takesAnybody()) {
            rest = new SamePrefix<>(WorkloadList.without(anybody, workload), few, many);
        } else if (many == null) {
            rest = new SamePrefix<>(anybody, WorkloadList.without(few, workload), null);
        } else {
            rest = new SamePrefix<>(anybody, few, removed(many, workload));
        }
        return rest.anybody.length + rest.few.length == 0 && rest.many == null ? null : rest;
    }

    private static <P> @Nullable BucketMap<Workload<P>[]> removed(BucketMap<Workload<P>[]> from, Workload<P> workload) {
        BucketMap<Workload<P>[]> byUser = from;
        for (String user : workload.users()) {
            Workload<P>[] theirs = byUser.get(user);
            Workload<P>[] rest = theirs == null ? WorkloadList.none() : WorkloadList.without(theirs, workload);
            byUser = byUser.with(user, rest.length == 0 ? null : rest);
        }
        return byUser.size() == 0 ? null : byUser;
    }

    /**
     * The workload of a caller from this prefix: its principal, {@link Callers#AMBIGUOUS}, or {@link Callers#UNKNOWN} when
     * none takes it.
     *
     * @param user the authenticated user, or null
     * @param theirs all workloads that name this user, or null for none
     */
    Principal select(@Nullable String user, @Nullable SameUser<P> theirs) {
        if (anybody.length > 1) {
            return Callers.AMBIGUOUS;
        }
        Workload<P> found = anybody.length == 0 ? null : anybody[0];
        if (user != null) {
            for (Workload<P> candidate : few) {
                if (candidate.users().contains(user)) {
                    if (found != null) {
                        return Callers.AMBIGUOUS;
                    }
                    found = candidate;
                }
            }
            Workload<P>[] named = many == null ? null : many.get(user);
            if (named != null) {
                if (found != null || named.length > 1) {
                    return Callers.AMBIGUOUS;
                }
                found = named[0];
            }
        }
        if (found == null) {
            return theirs == null ? Callers.UNKNOWN : Callers.AMBIGUOUS;
        }
        // A user of one workload at the address of another, which takes anybody; or one whom a second takes anywhere.
        boolean twice = theirs != null && (found.takesAnybody() || theirs.anywhere().length > 0);
        return twice ? Callers.AMBIGUOUS : found.principal(user);
    }

    /** Those that take some callers that this one takes, too. */
    Set<Workload<P>> overlapping(Workload<P> workload) {
        Set<Workload<P>> some = new LinkedHashSet<>(Arrays.asList(anybody));
        for (Workload<P> other : few) {
            if (workload.takesAnybody() || other.users().stream().anyMatch(workload.users()::contains)) {
                some.add(other);
            }
        }
        if (many != null && workload.takesAnybody()) {
            many.forEach(theirs -> some.addAll(Arrays.asList(theirs)));
        } else if (many != null) {
            for (String user : workload.users()) {
                Workload<P>[] theirs = many.get(user);
                some.addAll(theirs == null ? Set.of() : Arrays.asList(theirs));
            }
        }
        return some;
    }

    @Override
    public String toString() {
        return "SamePrefix[" + anybody.length + " of anybody]";
    }
}
