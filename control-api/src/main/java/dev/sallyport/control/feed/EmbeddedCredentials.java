package dev.sallyport.control.feed;

import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.spi.SecretValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stored secrets that the proxy in the same process has: those of the organizations that have callers there, once for
 * all callers of one. For one thread.
 */
final class EmbeddedCredentials {

    private final Map<String, Set<EmbeddedCallers>> callers = new HashMap<>();
    private final Map<String, Held> held = new HashMap<>();

    /**
     * What the proxy has of an organization.
     *
     * @param revision of the snapshot that it is from: an older one does not bring back what has gone
     * @param removed the references of secrets that an update removed which failed: the proxy does not send them any more, but
     *     it is not known whether that is so of all
     */
    private record Held(long revision, Credentials credentials, Set<String> removed) {

        private static final Held NOTHING = new Held(0, Credentials.NONE);

        Held(long revision, Credentials credentials) {
            this(revision, credentials, Set.of());
        }
    }

    /**
     * Adds what is new for callers, and removes what nobody needs any more.
     *
     * @param concerned callers, with the snapshots whose policies are in the update
     * @param leaving those that have gone
     * @return what becomes of it
     */
    Delivery addTo(
            PipelineUpdate.Builder update,
            Map<EmbeddedCallers, @Nullable Snapshot> concerned,
            Collection<EmbeddedCallers> leaving) {
        Map<String, Held> next = new HashMap<>();
        for (Map.Entry<EmbeddedCallers, @Nullable Snapshot> entry : concerned.entrySet()) {
            EmbeddedCallers each = entry.getKey();
            Scope scope = each.session().scope();
            Snapshot snapshot = entry.getValue();
            if (scope != null && snapshot != null) {
                String organization = scope.organization();
                callers.computeIfAbsent(organization, any -> new HashSet<>()).add(each);
                Held present = next.getOrDefault(organization, present(organization));
                if (snapshot.revision() >= present.revision) {
                    next.put(organization, new Held(snapshot.revision(), snapshot.credentials()));
                }
            }
        }
        for (EmbeddedCallers each : leaving) {
            Scope scope = each.session().scope();
            if (scope != null && !remain(scope.organization(), each)) {
                next.put(scope.organization(), Held.NOTHING);
            }
        }
        Set<String> lacking = new HashSet<>();
        Map<String, Set<String>> gone = new HashMap<>();
        next.replaceAll((organization, wanted) -> {
            Held present = present(organization);
            present.removed.forEach(update::removeSecret); // again; what has come back is delivered next
            Set<String> failed = deliver(update, present.credentials, wanted.credentials);
            Set<String> removed = new HashSet<>(present.removed);
            removed.addAll(wanted.credentials.goneSince(present.credentials));
            removed.addAll(failed);
            gone.put(organization, removed);
            if (failed.isEmpty()) {
                return wanted;
            }
            lacking.add(organization);
            return new Held(wanted.revision, wanted.credentials.without(failed));
        });
        return new Delivery(next, gone, lacking);
    }

    /** Secrets in an update. */
    final class Delivery {

        private final Map<String, Held> next;
        private final Map<String, Set<String>> gone;
        private final Set<String> lacking;

        private Delivery(Map<String, Held> next, Map<String, Set<String>> gone, Set<String> lacking) {
            this.next = next;
            this.gone = gone;
            this.lacking = lacking;
        }

        /** The proxy has applied the update. */
        void applied() {
            next.forEach((organization, now) -> {
                if (now.equals(Held.NOTHING)) {
                    held.remove(organization);
                } else {
                    held.put(organization, now);
                }
            });
        }

        /** The proxy could not apply the update; what it removes has gone all the same, and has to be delivered to come back. */
        void failed() {
            gone.forEach((organization, removed) -> {
                if (!removed.isEmpty()) {
                    Held present = present(organization);
                    held.put(organization, new Held(present.revision, present.credentials.without(removed), removed));
                }
            });
        }

        /** Whether there is a value for these callers that could not be decrypted any more: it has to be read again. */
        boolean lacksAnyOf(EmbeddedCallers concerned) {
            Scope scope = concerned.session().scope();
            return scope != null && lacking.contains(scope.organization());
        }
    }

    private Held present(String organization) {
        return held.getOrDefault(organization, Held.NOTHING);
    }

    /** Whether an organization has other callers than these. */
    private boolean remain(String organization, EmbeddedCallers gone) {
        callers.computeIfPresent(organization, (same, all) -> {
            all.remove(gone);
            return all.isEmpty() ? null : all;
        });
        return callers.containsKey(organization);
    }

    /** Returns the references of those that could not be decrypted. */
    private static Set<String> deliver(PipelineUpdate.Builder update, Credentials before, Credentials next) {
        if (before == next) {
            return Set.of();
        }
        Set<String> failed = new HashSet<>();
        for (Credentials.Change change : next.changedSince(before)) {
            SecretValue value = next.with(change, SecretValue::of);
            if (value == null) {
                update.removeSecret(change.reference());
                failed.add(change.reference());
            } else {
                update.secret(change.reference(), change.version(), value);
            }
        }
        next.goneSince(before).forEach(update::removeSecret);
        return failed;
    }
}
