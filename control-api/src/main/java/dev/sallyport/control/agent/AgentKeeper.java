package dev.sallyport.control.agent;

import dev.sallyport.control.sandbox.Sandboxes;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings agents about, as the reconciler does with VMs: one thread looks which have something to be done and hands them to
 * others, at most one for each agent, and so many for each organization that none of them stops the others. The truth is in
 * the database and in the guests.
 */
@Singleton
public final class AgentKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AgentKeeper.class);

    private static final int MOST = 12;
    private static final int MOST_OF_ORGANIZATION = 4;
    private static final int STEPS = 20;
    private static final Duration PARK = Duration.ofMillis(500);
    private static final Duration FIRST_LOOK = Duration.ofMillis(100);
    private static final Duration LAST_LOOK = Duration.ofSeconds(5);
    private static final Duration LAST_RETRY = Duration.ofSeconds(30);

    /** So long an agent that cannot be worked on is tried again; for ever where it is the driver that is away. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration END = Duration.ofSeconds(5);

    private final AgentLedger ledger;
    private final AgentSteps steps;
    private final Sandboxes sandboxes;

    /** Those that are worked on, with their organizations. */
    private final Map<String, String> busy = new ConcurrentHashMap<>();

    /** When each is looked at next, and how often nothing has happened before. */
    private final Map<String, Wait> waits = new ConcurrentHashMap<>();

    private final ExecutorService workers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("sallyport-control-agent-", 1).factory());
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-agents").unstarted(this::run);

    private volatile boolean woken;
    private volatile boolean closed;

    /**
     * A pause.
     *
     * @param until in nanoseconds
     * @param looks how often in a row nothing has happened, or it failed
     * @param failing since when it fails, in nanoseconds; of no meaning unless {@code failed}
     */
    private record Wait(long until, int looks, boolean failed, long failing) {

        static final Wait NONE = new Wait(0, 0, false, 0);

        Wait soon() {
            return new Wait(after(FIRST_LOOK, 0, FIRST_LOOK), 0, false, 0);
        }

        Wait quiet() {
            return new Wait(after(FIRST_LOOK, looks, LAST_LOOK), looks + 1, false, 0);
        }

        Wait failed(long now) {
            return new Wait(after(FIRST_LOOK, looks, LAST_RETRY), looks + 1, true, failed ? failing : now);
        }

        private static long after(Duration first, int looks, Duration last) {
            long nanos = Math.min(first.toNanos() << Math.min(looks, 20), last.toNanos());
            return System.nanoTime() + nanos;
        }
    }

    AgentKeeper(AgentLedger ledger, AgentSteps steps, Sandboxes sandboxes) {
        this.ledger = ledger;
        this.steps = steps;
        this.sandboxes = sandboxes;
    }

    /** Begins, unless the operator wants no sandboxes here. */
    public void start() {
        if (!sandboxes.areOff()) {
            ledger.onChange(this::wake);
            thread.start();
        }
    }

    private void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            woken = false;
            long pause = PARK.toNanos();
            try {
                pause = Math.min(pause, dispatch());
            } catch (RuntimeException e) {
                if (closed) {
                    return;
                }
                LOG.warn("what is wanted of agents cannot be read; it is tried again", e);
            }
            if (!woken && pause > 0) {
                LockSupport.parkNanos(pause);
            }
        }
    }

    /** Returns for how many nanoseconds nothing is due that is known. */
    private long dispatch() {
        List<AgentRow.Unfinished> unfinished = ledger.unfinished();
        Set<String> present = unfinished.stream().map(AgentRow.Unfinished::id).collect(Collectors.toSet());
        waits.keySet().retainAll(present);
        long now = System.nanoTime();
        long pause = PARK.toNanos();
        List<AgentRow.Unfinished> waiting = unfinished.stream()
                .filter(agent -> !busy.containsKey(agent.id()))
                .sorted(Comparator.comparingLong(agent -> left(agent.id(), now)))
                .toList();
        for (AgentRow.Unfinished agent : waiting) {
            long left = left(agent.id(), now);
            if (left > 0) {
                return Math.min(pause, left);
            }
            if (hasPlace(agent.organization())) {
                busy.put(agent.id(), agent.organization());
                workers.execute(() -> work(agent.id()));
            }
        }
        return pause;
    }

    /** For how many nanoseconds it waits still; the more below zero, the longer it has waited for a place. */
    private long left(String id, long now) {
        Wait wait = waits.get(id);
        return wait == null ? 0 : wait.until() - now;
    }

    /** Where there is none, whoever ends first wakes this thread. */
    private boolean hasPlace(String organization) {
        return busy.size() < MOST
                && busy.values().stream().filter(organization::equals).count() < MOST_OF_ORGANIZATION;
    }

    private void work(String id) {
        try {
            workUnguarded(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the control plane ends; it goes on after its next start
        } catch (RuntimeException e) {
            if (closed) {
                LOG.debug("agent {}: cut off by the end of the control plane", id, e);
            } else {
                LOG.error("agent {} cannot be worked on; it is tried again", id, e);
                waits.merge(id, Wait.NONE.failed(System.nanoTime()), (was, now) -> was.failed(now.failing()));
            }
        } finally {
            busy.remove(id);
            wake();
        }
    }

    private void workUnguarded(String id) throws InterruptedException {
        for (int i = 0; i < STEPS && !closed; i++) {
            AgentRow agent = ledger.find(id).orElse(null);
            if (agent == null) {
                return;
            }
            try {
                switch (steps.step(agent)) {
                    case AgentSteps.Next.Again again -> waits.remove(id);
                    case AgentSteps.Next.Soon soon -> {
                        waits.put(id, Wait.NONE.soon());
                        return;
                    }
                    case AgentSteps.Next.Quiet quiet -> {
                        waits.merge(id, Wait.NONE.quiet(), (was, first) -> was.failed() ? first : was.quiet());
                        return;
                    }
                    case AgentSteps.Next.Done done -> {
                        waits.remove(id);
                        return;
                    }
                }
            } catch (VmException e) {
                failed(agent, e);
                return;
            }
        }
    }

    private void failed(AgentRow agent, VmException fault) {
        long now = System.nanoTime();
        Wait wait = waits.merge(agent.id(), Wait.NONE.failed(now), (was, first) -> was.failed(now));
        boolean passes = fault.reason() == Reason.UNAVAILABLE
                || fault.reason() == Reason.EXHAUSTED
                || fault.reason() == Reason.PREPARING;
        boolean over = !passes && now - wait.failing() > PATIENCE.toNanos();
        if (fault.reason() == Reason.INVALID || over) {
            LOG.warn("agent {} is given up: {}", agent.id(), fault.getMessage());
            steps.giveUp(agent, fault.getMessage());
        } else {
            LOG.debug("agent {}: {}", agent.id(), fault.getMessage());
        }
    }

    /** Ends what waits, and waits for a moment for what cannot be cut off: the database is closed next. */
    @Override
    @PreDestroy
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        workers.shutdownNow();
        try {
            thread.join(END.toMillis()); // at once where it was not started
            if (!workers.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("a guest does not answer; its agent is looked at after the next start");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
