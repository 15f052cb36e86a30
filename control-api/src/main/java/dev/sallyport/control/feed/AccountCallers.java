package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.ProxyPassword;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who may tell itself as a workload of an account, to a proxy elsewhere.
 *
 * @param workloads the passwords of workloads that were made; the user is the workload
 * @param keys the API keys, each a password under any user name
 */
record AccountCallers(Set<ProxyPassword> workloads, Set<ProxyPassword> keys) {

    private static final int DIGEST_BYTES = 32;

    AccountCallers {
        workloads = Set.copyOf(workloads);
        keys = Set.copyOf(keys);
    }

    /** Those whose digests can be told; see {@link #isUsable}. */
    static AccountCallers of(Collection<ProxyPassword> workloads, Collection<ProxyPassword> keys) {
        return new AccountCallers(usable(workloads), usable(keys));
    }

    private static Set<ProxyPassword> usable(Collection<ProxyPassword> passwords) {
        return passwords.stream().filter(AccountCallers::isUsable).collect(Collectors.toSet());
    }

    /** Whether a digest is one. */
    static boolean isUsable(ProxyPassword password) {
        return password.digest().length == DIGEST_BYTES;
    }

    /** Whether nobody may. */
    boolean isEmpty() {
        return workloads.isEmpty() && keys.isEmpty();
    }

    /** Whether a workload may. */
    boolean hasWorkload(String user) {
        return workloads.stream().anyMatch(password -> password.user().equals(user));
    }

    /** Adds them to what is told of the account. */
    void putInto(ObjectNode account) {
        put(workloads, account.putArray("workloads"));
        put(keys, account.putArray("keys"));
    }

    /** Tells who they are; a proxy makes the same of what it has been told. */
    String hash() {
        StringBuilder text = new StringBuilder();
        lines("workload", workloads, text);
        lines("key", keys, text);
        return Tokens.hash(text.toString());
    }

    private static void lines(String kind, Set<ProxyPassword> passwords, StringBuilder into) {
        passwords.stream()
                .map(password ->
                        kind + " " + password.user() + " " + HexFormat.of().formatHex(password.digest()) + "\n")
                .sorted()
                .forEach(into::append);
    }

    private static void put(Set<ProxyPassword> passwords, ArrayNode list) {
        passwords.forEach(
                password -> list.addObject().put("id", password.user()).put("sha256", password.digest()));
    }
}
