package dev.sallyport.core.workload;

import dev.sallyport.spi.Principal;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All workloads of a proxy, by name, source range and user (docs/spec/decisions.md, section 16). Immutable: a change
 * makes another table, which shares all that is not on the way to the change. A selection takes no lock and allocates
 * nothing.
 *
 * @param <P> the policy of a workload
 */
public final class WorkloadTable<P> {

    private final BucketMap<Workload<P>> names;
    private final BucketMap<SameUser<P>> users;
    private final PrefixTrie<SamePrefix<P>> ranges;

    /** The users whose password is enough, by its digest. */
    private final BucketMap<List<String>> keys;

    /** How many users came with passwords. */
    private final int digests;

    private WorkloadTable(
            BucketMap<Workload<P>> names,
            BucketMap<SameUser<P>> users,
            PrefixTrie<SamePrefix<P>> ranges,
            BucketMap<List<String>> keys,
            int digests) {
        this.names = names;
        this.users = users;
        this.ranges = ranges;
        this.keys = keys;
        this.digests = digests;
    }

    /** No workloads. */
    public static <P> WorkloadTable<P> empty() {
        return new WorkloadTable<>(BucketMap.empty(), BucketMap.empty(), PrefixTrie.empty(), BucketMap.empty(), 0);
    }

    public int size() {
        return names.size();
    }

    /** The workload of this name, or null. */
    public @Nullable Workload<P> get(String name) {
        return names.get(name);
    }

    /** All workloads, by name. */
    public Collection<Workload<P>> all() {
        TreeMap<String, Workload<P>> sorted = new TreeMap<>();
        names.forEach(workload -> sorted.put(workload.name(), workload));
        return sorted.values();
    }

    /** A table with this workload, in place of the one of its name. */
    public WorkloadTable<P> with(Workload<P> workload) {
        return without(workload.name()).changed(workload, true);
    }

    /** A table without the workload of this name. */
    public WorkloadTable<P> without(String name) {
        Workload<P> gone = names.get(name);
        return gone == null ? this : changed(gone, false);
    }

    private WorkloadTable<P> changed(Workload<P> workload, boolean here) {
        BucketMap<SameUser<P>> byUser = users;
        BucketMap<List<String>> byPassword = keys;
        int passwords = digests;
        for (String user : workload.users()) {
            SameUser<P> present = byUser.get(user);
            SameUser<P> theirs = present == null ? SameUser.none() : present;
            byUser = byUser.with(user, here ? theirs.with(workload, user) : theirs.without(workload, user));
            passwords += workload.digest(user) == null ? 0 : here ? 1 : -1;
            byte[] key = workload.key(user);
            byPassword = key == null ? byPassword : changed(byPassword, text(key), user, here);
        }
        PrefixTrie<SamePrefix<P>> byRange = ranges;
        for (IpRange range : workload.ranges()) {
            byRange = byRange.with(range, present -> {
                SamePrefix<P> those = present == null ? SamePrefix.none() : present;
                return here ? those.with(workload) : those.without(workload);
            });
        }
        return new WorkloadTable<>(
                names.with(workload.name(), here ? workload : null), byUser, byRange, byPassword, passwords);
    }

    private static BucketMap<List<String>> changed(
            BucketMap<List<String>> keys, String key, String user, boolean here) {
        List<String> present = keys.get(key);
        List<String> users = present == null ? new ArrayList<>() : new ArrayList<>(present);
        if (here) {
            users.add(user);
        } else {
            users.remove(user);
        }
        return keys.with(key, users.isEmpty() ? null : List.copyOf(users));
    }

    /** A digest as a key of a map. */
    private static String text(byte[] digest) {
        return new String(digest, StandardCharsets.ISO_8859_1);
    }

    /**
     * The workload of a caller: its principal, {@link Callers#UNKNOWN}, {@link Callers#AMBIGUOUS}, or null when no
     * workload claims it.
     *
     * @param user the authenticated user, or null
     */
    public @Nullable Principal select(SourceAddress address, @Nullable String user) {
        SamePrefix<P> here = ranges.longest(address);
        SameUser<P> theirs = user == null ? null : users.get(user);
        if (here != null) {
            return here.select(user, theirs);
        }
        return user == null || theirs == null ? null : theirs.select(user);
    }

    /** Whether users came with passwords. */
    public boolean hasPasswords() {
        return digests > 0;
    }

    /**
     * The digest of the password that came with this user, or null: also where not all workloads that name the user have
     * the same, since a password must not open what belongs to another workload.
     */
    public byte @Nullable [] digest(String user) {
        SameUser<P> theirs = users.get(user);
        return theirs == null ? null : theirs.digest();
    }

    /**
     * The user whose password of this digest is enough, whatever name a client gives with it; null for none, and where
     * several have the same.
     */
    public @Nullable String userOf(byte[] digest) {
        List<String> theirs = keys.get(text(digest));
        return theirs == null || theirs.size() > 1 ? null : theirs.getFirst();
    }

    /**
     * The other workloads from which this one cannot be told apart: some callers of both are refused as ambiguous, or
     * cannot authenticate. By name.
     */
    public Set<String> clashes(Workload<P> workload) {
        Set<String> clashing = new TreeSet<>();
        for (IpRange range : workload.ranges()) {
            SamePrefix<P> same = ranges.exact(range);
            if (same != null) {
                same.overlapping(workload).forEach(other -> clashing.add(other.name()));
            }
        }
        for (String user : workload.users()) {
            SameUser<P> theirs = users.get(user);
            for (Workload<P> other : theirs == null ? WorkloadList.<P>none() : theirs.all()) {
                boolean anywhere = workload.ranges().isEmpty() && other.ranges().isEmpty();
                if (anywhere || !samePassword(workload.digest(user), other.digest(user))) {
                    clashing.add(other.name());
                }
            }
        }
        clashing.remove(workload.name());
        return clashing;
    }

    /** Two users that are known elsewhere have the same. */
    private static boolean samePassword(byte @Nullable [] one, byte @Nullable [] other) {
        return Arrays.equals(one, other);
    }

    @Override
    public String toString() {
        return "WorkloadTable[" + size() + "]";
    }
}
