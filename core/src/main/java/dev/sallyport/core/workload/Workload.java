package dev.sallyport.core.workload;

import dev.sallyport.spi.Principal;
import dev.sallyport.toolkit.match.IpRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A workload: its selectors, all of which must hold, and its policy. Immutable but for a memory of principals.
 *
 * @param <P> its policy
 */
public final class Workload<P> {

    private final String name;
    private final List<IpRange> ranges;
    private final Set<String> users;
    private final P policy;
    private final Map<String, byte[]> digests;
    private final Set<String> keys;
    private final Principal principal;
    private final Map<String, Principal> principals = new ConcurrentHashMap<>(0);

    /**
     * Who is selected.
     *
     * @param ranges where connections come from; empty for anywhere
     * @param users digests of the passwords of its users, empty for those that are known elsewhere; no users: any
     * @param keys those of the users whose password is enough, whatever name a client gives with it
     */
    public record Selectors(List<IpRange> ranges, Map<String, byte[]> users, Set<String> keys) {

        public Selectors {
            ranges = ranges.stream().distinct().toList();
            users = new HashMap<>(users);
            keys = Set.copyOf(keys);
        }

        /** Of users who have to give their names. */
        public Selectors(List<IpRange> ranges, Map<String, byte[]> users) {
            this(ranges, users, Set.of());
        }

        /** Of users that are known elsewhere. */
        public static Selectors of(List<IpRange> ranges, List<String> users) {
            Map<String, byte[]> known = new HashMap<>();
            users.forEach(user -> known.put(user, new byte[0]));
            return new Selectors(ranges, known);
        }
    }

    /** @param attributes further facts for its principal */
    public Workload(String name, Selectors selectors, Map<String, String> attributes, P policy) {
        this.name = name;
        this.ranges = selectors.ranges();
        this.users = Set.copyOf(selectors.users().keySet());
        this.digests = selectors.users();
        this.keys = selectors.keys();
        this.policy = policy;
        this.principal = Principal.of(name, Callers.SOURCE_ADDRESS).withAttributes(attributes);
    }

    public String name() {
        return name;
    }

    public P policy() {
        return policy;
    }

    /** Empty for anywhere. */
    public List<IpRange> ranges() {
        return ranges;
    }

    /** Empty for any, and for none. */
    public Set<String> users() {
        return users;
    }

    /** Who is selected. */
    public Selectors selectors() {
        return new Selectors(ranges, digests, keys);
    }

    /** The digest of the password that came with the workload for this user, or null. Not to be changed. */
    public byte @Nullable [] digest(String user) {
        byte[] digest = digests.get(user);
        return digest == null || digest.length == 0 ? null : digest;
    }

    /** The digest of the password of this user, where it is enough, whatever name a client gives with it; else null. */
    byte @Nullable [] key(String user) {
        return keys.contains(user) ? digest(user) : null;
    }

    /** Whether it takes callers without a user, or with a user that it does not name. */
    boolean takesAnybody() {
        return users.isEmpty();
    }

    /** Its principal, for a caller that authenticated as this user, or did not. The same each time. */
    Principal principal(@Nullable String user) {
        if (user == null) {
            return principal;
        }
        Principal known = principals.get(user);
        return known != null ? known : principals.computeIfAbsent(user, this::authenticated);
    }

    private Principal authenticated(String user) {
        Map<String, String> facts = new HashMap<>(principal.attributes());
        facts.put(Callers.USER, user);
        return Principal.of(name, Callers.PROXY_AUTH).withAttributes(facts);
    }

    @Override
    public String toString() {
        return "Workload[" + name + "]";
    }
}
