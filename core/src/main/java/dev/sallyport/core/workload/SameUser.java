package dev.sallyport.core.workload;

import dev.sallyport.spi.Principal;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The workloads that name one and the same user, of whom a caller is told by those that name no addresses. Immutable.
 *
 * @param all those that name the user
 * @param anywhere those of them that name no addresses
 * @param digest of the password, where all of them came with the same; else null, since a password must not open what
 *     belongs to another workload
 */
record SameUser<P>(Workload<P>[] all, Workload<P>[] anywhere, byte @Nullable [] digest) {

    static <P> SameUser<P> none() {
        return new SameUser<>(WorkloadList.none(), WorkloadList.none(), null);
    }

    SameUser<P> with(Workload<P> workload, String user) {
        byte[] other = workload.digest(user);
        boolean same = all.length == 0 || (digest != null && other != null && MessageDigest.isEqual(digest, other));
        return new SameUser<>(
                WorkloadList.with(all, workload),
                workload.ranges().isEmpty() ? WorkloadList.with(anywhere, workload) : anywhere,
                same ? other : null);
    }

    /** Null when none is left. */
    @Nullable SameUser<P> without(Workload<P> workload, String user) {
        SameUser<P> rest = none();
        for (Workload<P> other : all) {
            if (other != workload) {
                rest = rest.with(other, user);
            }
        }
        return rest.all.length == 0 ? null : rest;
    }

    /** The workload of a caller whose address no workload names: its principal, {@link Callers#AMBIGUOUS}, or null. */
    @Nullable Principal select(String user) {
        return anywhere.length == 0 ? null : anywhere.length > 1 ? Callers.AMBIGUOUS : anywhere[0].principal(user);
    }

    @Override
    public String toString() {
        return "SameUser[" + all.length + "]";
    }
}
