package dev.sallyport.core.pipeline;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that an event loop keeps for all generations that it serves. The state of a generation is created at its
 * first use. Idle ones are dropped when there are many, so that a loop keeps state only for the workloads that it
 * serves. Confined to its loop, but for {@link #mark}.
 *
 */
final class LoopState {

    /** How many generations may be idle here before those are forgotten. */
    static final int IDLE = 256;

    private final RunningTransform mark;
    private final MatchedStagesCache plans;
    private final IdentityHashMap<Generation, Leases> generations = new IdentityHashMap<>();
    private int sweepAt = IDLE;

    // The latest, which is mostly the next one, too.
    private @Nullable Generation latest;
    private @Nullable Leases latestLeases;

    /** The leases on one generation. */
    static final class Leases {

        long count;
        boolean retired;
    }

    LoopState() {
        this(new RunningTransform(), new MatchedStagesCache());
    }

    LoopState(RunningTransform mark, MatchedStagesCache plans) {
        this.mark = mark;
        this.plans = plans;
    }

    /** The transform whose code the loop is running. */
    RunningTransform mark() {
        return mark;
    }

    /** The stages that match each destination. */
    MatchedStagesCache plans() {
        return plans;
    }

    /** The leases on a generation; made if there are none yet. */
    Leases leases(Generation generation) {
        Leases found = latestLeases;
        if (latest != generation || found == null) {
            found = generations.get(generation);
            if (found == null) {
                sweep();
                found = new Leases();
                generations.put(generation, found);
            }
            latest = generation;
            latestLeases = found;
        }
        return found;
    }

    private void sweep() {
        if (generations.size() >= sweepAt) {
            generations.values().removeIf(leases -> leases.count == 0 && !leases.retired);
            sweepAt = Math.max(IDLE, 2 * generations.size());
            latest = null;
            latestLeases = null;
        }
    }

    /** The leases on a generation, or null when there are none. */
    @Nullable Leases held(Generation generation) {
        Leases found = generations.get(generation);
        return found == null || found.count == 0 ? null : found;
    }

    /** Forgets a generation that has ended here. */
    void forget(Generation ended) {
        generations.remove(ended);
        plans.drop(ended);
        if (latest == ended) {
            latest = null;
            latestLeases = null;
        }
    }

    /** How many generations it remembers. */
    int remembered() {
        return generations.size();
    }
}
