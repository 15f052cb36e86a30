package dev.sallyport.control.feed;

import dev.sallyport.control.model.Faults;
import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineUpdate;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the proxy in the same process what is new of its callers, and of the secrets that their policies refer to. One
 * thread does, all that has come meanwhile in one update, in which equal pipelines are read once. When that fails, the
 * proxy is told of each organization by itself, so that what cannot be told of one keeps no other waiting: it is tried
 * again each second, and never dropped, because callers that were removed must not stay. Thread-safe; nothing blocks.
 */
@Singleton
final class EmbeddedUpdates implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedUpdates.class);

    /** Before what has failed is tried again. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable PipelineFeed door;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-workloads").factory());
    private final EmbeddedCredentials credentials = new EmbeddedCredentials(); // of the thread

    /** Of the thread: the organizations of which the proxy could not be told, and when it is tried again. */
    private final Map<String, Long> failing = new HashMap<>();

    private final Changes next = new Changes();
    private boolean due;
    private boolean closed;

    EmbeddedUpdates(EmbeddedDoor embedded) {
        this.door = embedded.pipelines();
    }

    /** What the proxy is told together. */
    private static final class Changes {

        /** Of whom it is told, with the snapshot that they are to acknowledge. */
        private final Map<EmbeddedCallers, @Nullable Snapshot> concerned = new LinkedHashMap<>();

        private final Set<EmbeddedCallers> removed = new LinkedHashSet<>();
        private final Map<EmbeddedCallers, CompletableFuture<Void>> done = new HashMap<>();

        /** Whether some are removed, and others are told of. */
        boolean isMixed() {
            return !removed.isEmpty() && !removed.containsAll(concerned.keySet());
        }

        private Set<EmbeddedCallers> all() {
            Set<EmbeddedCallers> all = new LinkedHashSet<>(removed);
            all.addAll(concerned.keySet());
            return all;
        }

        /** By organization, in the order in which they came. */
        Map<String, List<EmbeddedCallers>> byOrganization() {
            Map<String, List<EmbeddedCallers>> groups = new LinkedHashMap<>();
            all().forEach(callers -> groups.computeIfAbsent(callers.organization(), any -> new ArrayList<>())
                    .add(callers));
            return groups;
        }

        /** Takes what is of these callers. */
        Changes take(Collection<EmbeddedCallers> those) {
            Changes taken = new Changes();
            for (EmbeddedCallers callers : those) {
                if (concerned.containsKey(callers)) {
                    taken.concerned.put(callers, concerned.get(callers));
                }
                if (removed.contains(callers)) {
                    taken.removed.add(callers);
                }
                CompletableFuture<Void> waiting = done.get(callers);
                if (waiting != null) {
                    taken.done.put(callers, waiting);
                }
            }
            for (EmbeddedCallers callers : those) { // now that they are there
                concerned.remove(callers);
                removed.remove(callers);
                done.remove(callers);
            }
            return taken;
        }

        /** Adds what was taken. */
        void restore(Changes taken) {
            concerned.putAll(taken.concerned);
            removed.addAll(taken.removed);
            done.putAll(taken.done);
        }

        /** Adds earlier ones, whose snapshots need not be acknowledged any more. */
        void addAgain(Changes earlier) {
            earlier.concerned.keySet().forEach(callers -> concerned.putIfAbsent(callers, null));
            removed.addAll(earlier.removed);
            earlier.done.forEach((callers, waiting) -> {
                CompletableFuture<Void> later = done.putIfAbsent(callers, waiting);
                if (later != null) {
                    later.whenComplete((any, fault) -> complete(waiting, fault));
                }
            });
        }

        private static void complete(CompletableFuture<Void> waiting, @Nullable Throwable fault) {
            if (fault == null) {
                waiting.complete(null);
            } else {
                waiting.completeExceptionally(fault);
            }
        }

        void complete(@Nullable Throwable fault) {
            done.values().forEach(waiting -> complete(waiting, fault));
        }
    }

    /** Has the proxy be told of these; completes when it goes by what they are then. */
    synchronized CompletionStage<Void> tell(EmbeddedCallers callers) {
        next.concerned.putIfAbsent(callers, null);
        return told(callers);
    }

    /** Has a workload be removed; completes when the proxy does not know it any more. */
    synchronized CompletionStage<Void> remove(EmbeddedCallers workload) {
        next.removed.add(workload);
        return told(workload);
    }

    /** Has the proxy be told of these, who then acknowledge the snapshot. */
    synchronized void offer(EmbeddedCallers callers, Snapshot snapshot) {
        next.concerned.put(callers, snapshot);
        schedule(0);
    }

    private CompletionStage<Void> told(EmbeddedCallers callers) {
        if (closed) {
            return CompletableFuture.failedStage(ended());
        }
        schedule(0);
        return next.done.computeIfAbsent(callers, any -> new CompletableFuture<>());
    }

    private static IllegalStateException ended() {
        return new IllegalStateException("the control plane has ended (expected: a running one)");
    }

    private synchronized void schedule(long nanos) {
        if (closed) {
            return;
        }
        if (nanos > 0) {
            thread.schedule(() -> schedule(0), nanos, TimeUnit.NANOSECONDS);
        } else if (!due) {
            thread.execute(this::update); // it waits for the lock
            due = true;
        }
    }

    // On the thread.

    /** What is taken and not told comes again: a removal must not be lost, whatever fails. */
    private void update() {
        List<Changes> taken = List.of();
        try {
            begun();
            taken = new ArrayList<>();
            take(taken);
            while (!taken.isEmpty()) {
                tell(taken.getFirst());
                taken.removeFirst();
            }
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            for (Changes changes : taken) {
                if (!keep(changes)) {
                    changes.complete(e);
                }
            }
            schedule(PAUSE_NANOS);
            LOG.error("the proxy could not be told what is new; it is tried again", e);
        }
    }

    /** From now on it is due anew. */
    private synchronized void begun() {
        due = false;
    }

    /** Takes what is due: that of organizations that fail by itself. */
    private synchronized void take(List<Changes> taken) {
        List<EmbeddedCallers> well = new ArrayList<>();
        List<List<EmbeddedCallers>> alone = new ArrayList<>();
        long now = System.nanoTime();
        next.byOrganization().forEach((organization, callers) -> {
            Long at = failing.get(organization);
            if (at == null) {
                well.addAll(callers);
            } else if (closed || at - now <= 0) {
                alone.add(callers);
            }
        });
        if (!well.isEmpty()) {
            taken.add(next.take(well));
        }
        alone.forEach(callers -> taken.add(next.take(callers)));
    }

    /**
     * What fails is told of each organization by itself; then its removals without what else is new, so that whoever has been
     * removed does not stay because policies cannot be told. What fails then is tried again. Returns whether all is told.
     */
    private boolean tell(Changes changes) {
        try {
            apply(changes);
            changes.byOrganization().keySet().forEach(failing::remove);
            changes.complete(null);
            return true;
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            Map<String, List<EmbeddedCallers>> groups = changes.byOrganization();
            if (groups.size() > 1) {
                LOG.warn("the proxy could not be told what is new; it is told of each organization by itself", e);
                groups.values().forEach(callers -> tellPart(changes, callers));
            } else if (changes.isMixed() && tellPart(changes, List.copyOf(changes.removed))) {
                return tell(changes);
            } else {
                groups.keySet().forEach(organization -> again(organization, changes, e));
            }
            return false;
        }
    }

    /** What is not told of it stays with the others. */
    private boolean tellPart(Changes changes, Collection<EmbeddedCallers> callers) {
        Changes part = changes.take(callers);
        try {
            return tell(part);
        } catch (RuntimeException | Error e) {
            changes.restore(part);
            throw e;
        }
    }

    private void apply(Changes changes) {
        PipelineUpdate.Builder update = PipelineUpdate.builder();
        changes.removed.forEach(workload -> update.remove(workload.key()));
        // Those that have gone meanwhile are removed next.
        Map<EmbeddedCallers, @Nullable Snapshot> concerned = new LinkedHashMap<>(changes.concerned);
        concerned.keySet().removeIf(EmbeddedCallers::isGone);
        // Read once: the values that are delivered are those of the policies that they come with.
        Map<EmbeddedCallers, @Nullable Snapshot> now = new LinkedHashMap<>();
        concerned.keySet().forEach(callers -> now.put(callers, callers.latest()));
        Map<EmbeddedCallers, @Nullable Object> told = new HashMap<>();
        now.forEach((callers, snapshot) -> told.put(callers, callers.addTo(update, snapshot)));
        EmbeddedCredentials.Delivery delivery = credentials.addTo(update, now, changes.removed);
        Applied applied;
        try {
            applied = apply(update.build());
        } catch (RuntimeException | Error e) {
            delivery.failed();
            throw e;
        }
        delivery.applied();
        concerned.forEach((callers, snapshot) -> {
            boolean lacks = delivery.lacksAnyOf(callers);
            callers.session().rest(applied.rest());
            callers.applied(
                    told.get(callers),
                    lacks ? null : snapshot,
                    applied.problems().getOrDefault(callers.key(), List.of()));
            if (lacks) {
                callers.session().failed();
            }
        });
    }

    private Applied apply(PipelineUpdate update) {
        PipelineFeed proxy = door;
        if (proxy == null) {
            throw new IllegalStateException("no proxy in this process (expected: one)");
        }
        try {
            return proxy.apply(update).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Has changes of which the proxy could not be told join those of the organization that come next. */
    private void again(String organization, Changes failed, Throwable fault) {
        LOG.error(
                "what is new of {} of organization {} could not be told to the proxy, nor that {} are gone; it is tried again",
                failed.concerned.keySet(),
                organization,
                failed.removed,
                fault);
        failing.put(organization, System.nanoTime() + PAUSE_NANOS);
        if (keep(failed)) {
            schedule(PAUSE_NANOS);
        } else {
            failed.complete(fault);
        }
    }

    /** Has changes join those that come next. Returns false when none will be told any more. */
    private boolean keep(Changes failed) {
        boolean over;
        synchronized (this) {
            over = closed;
            next.addAgain(failed);
        }
        failed.concerned.forEach((callers, snapshot) -> {
            if (snapshot != null) {
                callers.session().failed();
            }
        });
        return !over;
    }

    /** Tells no more. What the proxy knows stays as it is. */
    @Override
    @PreDestroy
    public void close() {
        Changes left;
        synchronized (this) {
            closed = true;
            left = due ? new Changes() : next.take(next.all());
        }
        thread.shutdown();
        left.complete(ended());
    }
}
