package dev.sallyport.core;

import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.secret.DeliveredLife;
import dev.sallyport.core.secret.DeliveredSecrets;
import dev.sallyport.core.secret.SecretStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Where delivered values are, and where they count. What has been taken or deleted and could not be told to all whom it
 * concerns, because something failed meanwhile, is told with the next update, whatever that contains. For one thread at a
 * time.
 */
final class FeedSecrets {

    private final DeliveredSecrets delivered;
    private final SecretStore store;
    private final RedactionRegistry redactions;

    /** The ids of values that were not there before, and came with policies that are not in force. */
    private final Set<String> added = new HashSet<>();

    /** Those of values that were not there before, and whose policies are. */
    private final Set<String> accepted = new HashSet<>();

    /** Those of values that took the place of others. */
    private final Set<String> changed = new HashSet<>();

    /** Those of values that were deleted; some may have come back. */
    private final Set<String> gone = new HashSet<>();

    private final ArrayList<DeliveredLife> ended = new ArrayList<>();

    FeedSecrets(DeliveredSecrets delivered, SecretStore store, RedactionRegistry redactions) {
        this.delivered = delivered;
        this.store = store;
        this.redactions = redactions;
    }

    /**
     * Takes the values of ids that were not there, for policies of the update that need them. What is there already does not
     * see them yet: policies of before may name them, too.
     */
    void takeNew(PipelineUpdate update) {
        update.secrets().forEach((id, secret) -> {
            if (!delivered.has(id)) {
                added.add(id);
                delivered.put(id, secret.version(), secret.value());
            }
        });
        if (!added.isEmpty()) {
            redactions.delivered(Set.copyOf(added));
        }
    }

    /**
     * Takes the other values, and deletes some: the policies of the update are in force.
     *
     * @return whether some were deleted
     */
    boolean takeRest(PipelineUpdate update) {
        update.secrets().forEach((id, secret) -> {
            if (!delivered.has(id, secret.version())) {
                changed.add(id);
                delivered.put(id, secret.version(), secret.value());
            }
        });
        Set<String> removed = removed(update);
        added.forEach(id -> (update.secrets().containsKey(id) ? accepted : removed).add(id));
        remove(update, removed);
        added.clear();
        return tell();
    }

    /**
     * Deletes some, and takes none: the policies of the update are not in force, and those of before must not get the
     * values that came with it.
     *
     * @return whether some were deleted
     */
    boolean takeDeletions(PipelineUpdate update) {
        Set<String> removed = removed(update);
        removed.addAll(added);
        remove(update, removed);
        added.clear();
        return tell();
    }

    private Set<String> removed(PipelineUpdate update) {
        Set<String> removed = new HashSet<>(update.isWhole() ? delivered.ids() : update.removedSecrets());
        removed.removeAll(update.secrets().keySet());
        return removed;
    }

    private void remove(PipelineUpdate update, Set<String> ids) {
        ended.ensureCapacity(ended.size() + ids.size()); // what is deleted must be noted, whatever memory there is then
        for (String id : ids) {
            if (delivered.has(id)) {
                gone.add(id);
            }
            DeliveredLife life = delivered.remove(id, update.whyRemoved(id));
            if (life != null) {
                ended.add(life);
            }
        }
    }

    /** Returns whether some were deleted. */
    private boolean tell() {
        Set<String> deleted = new HashSet<>(gone);
        deleted.removeIf(delivered::has);
        Set<String> replaced = new HashSet<>(changed);
        replaced.addAll(gone);
        replaced.removeAll(deleted);
        if (!replaced.isEmpty()) {
            // First: what is sent from now on must not be taken for what it replaces.
            redactions.superseded(Set.copyOf(replaced));
        }
        if (!deleted.isEmpty()) {
            redactions.deleted(Set.copyOf(deleted));
        }
        Set<String> all = new HashSet<>(accepted);
        all.addAll(changed);
        all.addAll(gone);
        if (!all.isEmpty()) {
            store.delivered(all);
        }
        boolean some = !ended.isEmpty();
        if (some) {
            store.deleted(List.copyOf(ended));
        }
        accepted.clear();
        changed.clear();
        gone.clear();
        ended.clear();
        return some;
    }
}
