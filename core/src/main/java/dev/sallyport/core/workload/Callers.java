package dev.sallyport.core.workload;

import dev.sallyport.spi.Principal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The principals of callers that no workload claims. Thread-safe. It only grows, so it goes when who is known changes.
 */
public final class Callers {

    /** The {@link Principal#source} of callers whom their address told. */
    public static final String SOURCE_ADDRESS = "source_address";

    /** The {@link Principal#source} of callers who authenticated to the proxy. */
    public static final String PROXY_AUTH = "proxy_auth";

    /** The {@link Principal#attributes attribute} that names the proxy user. */
    public static final String USER = "user";

    /**
     * The {@link Principal#attributes attribute} that names whose workload it is, or whose policies judge callers of no
     * workload. However many workloads and addresses an organization has, it gets one share of what clients share; callers
     * of no workload are counted by address.
     */
    public static final String ORGANIZATION = "organization";

    /** What the names of workloads do not begin with, so that no user poses as one. */
    public static final String USER_PREFIX = "user:";

    /**
     * A caller at the address of a workload of which it is no user, or whose credentials are nobody's. It is refused
     * everything.
     */
    public static final Principal UNKNOWN = Principal.of("", "unknown_workload");

    /** A caller that two workloads claim. It is refused everything. */
    public static final Principal AMBIGUOUS = Principal.of("", "ambiguous_workload");

    private final Principal anonymous;
    private final Map<String, String> facts;

    /** Only users who have shown their password: strangers cannot make it grow. */
    private final Map<String, Principal> users = new ConcurrentHashMap<>(0);

    /** Callers of nobody. */
    public Callers() {
        this("");
    }

    /** @param organization whose policies judge them; empty for nobody's */
    public Callers(String organization) {
        this.facts = organization.isEmpty() ? Map.of() : Map.of(ORGANIZATION, organization);
        this.anonymous =
                facts.isEmpty() ? Principal.anonymous() : Principal.anonymous().withAttributes(facts);
    }

    /** The principal of a caller of no workload who has not authenticated. */
    public Principal anonymous() {
        return anonymous;
    }

    /** The principal of a user of no workload, the same each time. */
    public Principal user(String name) {
        Principal known = users.get(name);
        return known != null
                ? known
                : users.computeIfAbsent(
                        name,
                        user -> Principal.of(USER_PREFIX + user, PROXY_AUTH).withAttributes(factsOf(user)));
    }

    private Map<String, String> factsOf(String user) {
        Map<String, String> all = new HashMap<>(facts);
        all.put(USER, user);
        return all;
    }

    /**
     * Whether a caller is of no workload.
     *
     * @param workload as {@link Principal#workload} has it
     */
    public static boolean isUnclaimed(String workload) {
        return workload.isEmpty() || workload.startsWith(USER_PREFIX);
    }

    /** Whether it was not told whose caller it is: what it is refused is no workload's doing, and no account's. */
    public static boolean isUntold(Principal caller) {
        return caller.equals(UNKNOWN) || caller.equals(AMBIGUOUS);
    }

    /** The proxy user that a caller authenticated as; empty for none. */
    public static String userOf(Principal caller) {
        return caller.attributes().getOrDefault(USER, "");
    }

    /** The organization whose workload the caller is, or that its callers of no workload belong to; empty for none. */
    public static String organizationOf(Principal caller) {
        return caller.attributes().getOrDefault(ORGANIZATION, "");
    }
}
