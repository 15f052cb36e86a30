package dev.sallyport.control.feed;

import dev.sallyport.control.model.Refusal;
import java.util.HashMap;
import java.util.Map;

/** The scopes of connected proxies: each needs a pipeline of its own, so an organization has a few. Thread-safe. */
final class ConnectedScopes {

    /** Scopes of an organization. */
    static final int MOST = 20;

    private final Map<String, Map<Scope, Integer>> connections = new HashMap<>();

    /** Counts a connection; refuses with 409 where it needs one scope too many. */
    synchronized void enter(Scope scope) {
        Map<Scope, Integer> own = connections.computeIfAbsent(scope.organization(), any -> new HashMap<>());
        if (!own.containsKey(scope) && own.size() >= MOST) {
            throw Refusal.quotaExceeded("proxies with " + MOST
                    + " different sets of tags are connected (expected: no more; give proxies the same tags)");
        }
        own.merge(scope, 1, Integer::sum);
    }

    /** A connection has ended. */
    synchronized void leave(Scope scope) {
        connections.computeIfPresent(scope.organization(), (organization, own) -> {
            own.computeIfPresent(scope, (same, count) -> count == 1 ? null : count - 1);
            return own.isEmpty() ? null : own;
        });
    }
}
