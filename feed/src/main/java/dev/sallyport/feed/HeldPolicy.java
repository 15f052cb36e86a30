package dev.sallyport.feed;

import dev.sallyport.core.Applied;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Durations;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the control plane has given this proxy, in force here for as long as it may be. Thread-safe; what changes it blocks
 * until the proxy has applied it.
 */
final class HeldPolicy {

    private static final Logger LOG = LoggerFactory.getLogger(HeldPolicy.class);
    private static final String WHY_EXPIRED = "the control plane has not confirmed it for too long";

    private final ControlPlaneConfig config;
    private final CompanionContext context;

    private volatile @Nullable Snapshot snapshot;
    private volatile Instant confirmed = Instant.EPOCH;
    private boolean withheld = true;
    private Set<String> delivered = Set.of();

    HeldPolicy(ControlPlaneConfig config, CompanionContext context) {
        this.config = config;
        this.context = context;
    }

    /** The snapshot in force; null for none. */
    @Nullable Snapshot snapshot() {
        return snapshot;
    }

    /** When the control plane last said that it holds. */
    Instant confirmed() {
        return confirmed;
    }

    /** The control plane says that it holds. */
    void confirm() {
        confirmed = Instant.now();
    }

    /**
     * Puts a snapshot in force; returns what of it does not work, by its pointers. Values of secrets that are too old do
     * not come into force.
     *
     * @param at when the control plane said that it holds
     */
    synchronized List<ConfigProblem> take(Snapshot next, Instant at) {
        boolean tooOld = next.credentials().mayExpire() && credentialsHaveExpired(at);
        Snapshot taken = tooOld ? next.withoutValues() : next;
        PipelineUpdate.Builder update = PipelineUpdate.builder()
                .revision(taken.revision())
                .unclaimed(Pipelines.spec(taken.pipeline()))
                .ready(true);
        taken.credentials().into(update, taken.epoch(), delivered, WHY_EXPIRED);
        Applied applied = apply(update);
        delivered = taken.credentials().byId().keySet();
        snapshot = taken;
        confirmed = at;
        withheld = false;
        return applied.problems().values().stream().flatMap(List::stream).toList();
    }

    /** Refuses everybody from now on, forgets all, and ends what is under way. */
    synchronized void withhold() {
        PipelineUpdate.Builder update =
                PipelineUpdate.builder().refuseUnclaimed().ready(false);
        delivered.forEach(update::removeSecret);
        apply(update);
        delivered = Set.of();
        withheld = true;
        snapshot = null;
    }

    /**
     * What has been held for too long without a word of the control plane holds no more: first the values of secrets, then
     * all. Returns whether values have expired.
     */
    synchronized boolean expire() {
        Snapshot present = snapshot;
        if (withheld || present == null) {
            return false;
        }
        if (confirmed.plus(config.maxOffline()).isBefore(Instant.now())) {
            LOG.error(
                    "the control plane has not been reached for {}: everything is refused",
                    Durations.format(config.maxOffline()));
            withhold();
            return false;
        }
        if (!present.credentials().mayExpire() || !credentialsHaveExpired(confirmed)) {
            return false;
        }
        LOG.error(
                "the control plane has not been reached for {}: requests that need a secret are refused",
                Durations.format(config.credentialsMaxAge()));
        Snapshot without = present.withoutValues();
        PipelineUpdate.Builder update = PipelineUpdate.builder().revision(without.revision());
        without.credentials().into(update, without.epoch(), delivered, WHY_EXPIRED);
        apply(update);
        snapshot = without;
        return true;
    }

    private boolean credentialsHaveExpired(Instant at) {
        return at.plus(config.credentialsMaxAge()).isBefore(Instant.now());
    }

    /** Refuses everybody until there is a first snapshot. */
    void begin() {
        apply(PipelineUpdate.builder().ready(false));
    }

    private Applied apply(PipelineUpdate.Builder update) {
        try {
            return context.pipelines()
                    .apply(update.build())
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
