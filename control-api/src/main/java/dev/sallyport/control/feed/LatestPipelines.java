package dev.sallyport.control.feed;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of scopes whose organization has not changed since, also of those whose proxies went away a moment ago
 * and may come back. Not thread-safe.
 */
final class LatestPipelines {

    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<Scope, Kept> kept = new HashMap<>();

    private record Kept(Snapshot snapshot, long usedAt) {}

    @Nullable Snapshot get(Scope scope) {
        Kept found = kept.get(scope);
        return found == null ? null : found.snapshot();
    }

    void put(Scope scope, Snapshot snapshot) {
        kept.put(scope, new Kept(snapshot, System.nanoTime()));
    }

    /** The organizations with secrets that have to be read again. */
    Set<String> unreadable() {
        Set<String> organizations = new HashSet<>();
        kept.forEach((scope, entry) -> {
            if (!entry.snapshot().credentials().areReadable()) {
                organizations.add(scope.organization());
            }
        });
        return organizations;
    }

    /** Forgets those of organizations; returns what they were, for equal ones to take their place. */
    Map<Scope, Snapshot> take(Set<String> organizations) {
        Map<Scope, Snapshot> taken = new HashMap<>();
        kept.entrySet().removeIf(entry -> {
            boolean concerned = organizations.contains(entry.getKey().organization());
            if (concerned) {
                taken.put(entry.getKey(), entry.getValue().snapshot());
            }
            return concerned;
        });
        return taken;
    }

    /** Keeps those of scopes that are present, and of others as many as their organizations may have. */
    void keep(Set<Scope> present) {
        long now = System.nanoTime();
        Map<String, Integer> counts = new HashMap<>();
        Map<Scope, Kept> absent = new HashMap<>();
        kept.replaceAll((scope, entry) -> present.contains(scope) ? new Kept(entry.snapshot(), now) : entry);
        kept.forEach((scope, entry) -> {
            if (present.contains(scope)) {
                counts.merge(scope.organization(), 1, Integer::sum);
            } else {
                absent.put(scope, entry);
            }
        });
        absent.forEach((scope, entry) -> {
            boolean old = now - entry.usedAt() > KEPT_NANOS;
            if (old || counts.getOrDefault(scope.organization(), 0) >= ConnectedScopes.MOST) {
                kept.remove(scope);
            } else {
                counts.merge(scope.organization(), 1, Integer::sum);
            }
        });
    }
}
