package dev.sallyport.core.pipeline;

import dev.sallyport.core.workload.Callers;
import dev.sallyport.core.workload.Workload;
import dev.sallyport.core.workload.WorkloadTable;
import dev.sallyport.spi.Principal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generations in force: one for each workload, and one for callers without a workload. An exchange looks up its
 * generation once, when it begins. All of them are replaced together, by one write. Thread-safe.
 */
public final class Pipeline implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final @Nullable Generation unknown;
    private final @Nullable Generation ambiguous;

    /** Those whose transforms are being closed. */
    private final Set<Generation> retiring = ConcurrentHashMap.newKeySet();

    private boolean closed;
    private volatile InForce now = new InForce(null, WorkloadTable.empty(), false);

    /**
     * What is in force.
     *
     * @param unclaimed for callers of no workload
     * @param withheld whether nobody is served
     */
    private record InForce(@Nullable Generation unclaimed, WorkloadTable<Generation> workloads, boolean withheld) {}

    /** Of a proxy without workloads. */
    public Pipeline() {
        this(null, null);
    }

    /**
     * Of a proxy with workloads; owns what it is given.
     *
     * @param unknown refuses callers at the address of a workload of which they are no users
     * @param ambiguous refuses callers that two workloads claim
     */
    public Pipeline(@Nullable Generation unknown, @Nullable Generation ambiguous) {
        this.unknown = unknown;
        this.ambiguous = ambiguous;
    }

    /**
     * The generation for callers of no workload; null before the first one, while {@linkplain #withhold nobody is
     * served}, and after {@link #close}.
     */
    public @Nullable Generation current() {
        InForce present = now;
        return present.withheld() ? null : present.unclaimed();
    }

    /**
     * The generation for exchanges of this caller that begin now; null as for {@link #current()}. A caller whose
     * workload has been removed since it was identified is refused; its next request is identified anew.
     *
     */
    public @Nullable Generation current(Principal caller) {
        InForce present = now;
        if (present.withheld()) {
            return null;
        }
        Generation own = of(caller, present);
        return own == null && unknown != null ? unknown : own == null ? present.unclaimed() : own;
    }

    /**
     * The generation that judges what this caller has under way, whether or not anybody is served now: that of callers of
     * no workload when its workload has gone. Null before the first one and after {@link #close}.
     */
    public @Nullable Generation judging(Principal caller) {
        InForce present = now;
        Generation own = of(caller, present);
        return own == null ? present.unclaimed() : own;
    }

    /** Null when the caller's workload has gone, and before the first generation. */
    private @Nullable Generation of(Principal caller, InForce present) {
        String name = caller.workload();
        if (name.isEmpty()) {
            return caller.equals(Callers.UNKNOWN)
                    ? unknown
                    : caller.equals(Callers.AMBIGUOUS) ? ambiguous : present.unclaimed();
        }
        if (name.startsWith(Callers.USER_PREFIX)) {
            return present.unclaimed();
        }
        Workload<Generation> workload = present.workloads().get(name);
        return workload == null ? null : workload.policy();
    }

    /** The generation for callers of no workload, whether or not anybody is served now. */
    public Generation unclaimed() {
        Generation present = now.unclaimed();
        if (present == null) {
            throw new IllegalStateException("no generation (expected: after the first swap, before the end)");
        }
        return present;
    }

    /** Whether nobody is served. */
    public boolean isWithheld() {
        return now.withheld();
    }

    /** The workloads in force. */
    public WorkloadTable<Generation> workloads() {
        return now.workloads();
    }

    /** Makes {@code next} the generation for callers of no workload atomically, and retires the previous one. */
    public synchronized void swap(Generation next) {
        swap(next, now.workloads(), List.of());
    }

    /**
     * Replaces everything atomically; after {@link #close} nothing comes into force any more.
     *
     * @param unclaimed for callers of no workload; the previous one is retired if it is another one
     * @param ended generations of workloads that are no longer in the table; they are retired
     */
    public synchronized void swap(
            Generation unclaimed, WorkloadTable<Generation> workloads, Collection<Generation> ended) {
        if (closed) {
            retire(unclaimed);
            workloads.all().forEach(workload -> retire(workload.policy()));
            return;
        }
        Generation before = now.unclaimed();
        now = new InForce(unclaimed, workloads, now.withheld());
        if (before != null && before != unclaimed) {
            retire(before);
        }
        ended.forEach(this::retire);
    }

    private void retire(Generation generation) {
        retiring.add(generation);
        generation.retire().whenComplete((nothing, error) -> retiring.remove(generation));
    }

    /** Serves nobody from now on, or everybody again. */
    public synchronized void withhold(boolean all) {
        now = new InForce(now.unclaimed(), now.workloads(), all);
    }

    /** Closes a generation that never came into force. */
    public void discard(Generation unused) {
        retire(unused);
    }

    /**
     * Retires all generations and waits until their transforms are closed, also of those that were replaced before. No
     * exchange can begin afterwards.
     */
    @Override
    public void close() {
        close(CLOSE_LIMIT);
    }

    /** As {@link #close()}, with another limit on the wait. */
    public synchronized void close(Duration limit) {
        InForce before = now;
        closed = true;
        now = new InForce(null, WorkloadTable.empty(), true);
        for (Generation one : Arrays.asList(before.unclaimed(), unknown, ambiguous)) {
            if (one != null) {
                retire(one);
            }
        }
        for (Workload<Generation> workload : before.workloads().all()) {
            retire(workload.policy());
        }
        try {
            CompletableFuture.allOf(retiring.stream()
                            .map(one -> one.retire().toCompletableFuture())
                            .toArray(CompletableFuture[]::new))
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            Generation last = before.unclaimed();
            LOG.warn("the transforms of generation {} are still in use", last == null ? 0 : last.number());
        }
    }
}
