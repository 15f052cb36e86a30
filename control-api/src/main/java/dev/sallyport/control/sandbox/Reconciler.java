package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes VMs what is wanted of them. One thread looks which jobs are due and hands them to others, at most one for each VM,
 * and so many for each organization that none of them stops the others. The truth is in the database and at the driver, so
 * that a kill at any moment is followed by the same work as a start.
 */
@Singleton
public final class Reconciler implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    /** How many VMs are worked on at a time; sandboxd answers some more requests than that. */
    private static final int MOST = 48;

    /** Of these, one organization's: what it lets the others wait for is bounded. */
    private static final int MOST_OF_ORGANIZATION = 8;

    private static final int STEPS = 20;
    private static final Duration LONGEST_PARK = Duration.ofSeconds(1);
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final Duration FIRST_RETRY = Duration.ofMillis(200);
    private static final Duration LAST_RETRY = Duration.ofSeconds(30);

    /** Between looks whether the driver has made ready what a VM needs. */
    private static final Duration PREPARATION = Duration.ofSeconds(2);

    private static final Duration START = Duration.ofSeconds(20);
    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final Duration DRIVER = Duration.ofSeconds(3);
    private static final Duration END = Duration.ofSeconds(5);

    private final VmLedger ledger;
    private final VmSteps steps;
    private final Sandboxes sandboxes;
    private final SandboxSettings settings;
    private final GuestPorts ports;
    private final VmSweep sweep;
    private final SnapshotKeeper snapshots;
    private final Refreshes refreshes;

    /** The VMs that are worked on, with their organizations. */
    private final Map<String, String> busy = new ConcurrentHashMap<>();

    private final Pauses pauses = new Pauses();
    private final ExecutorService workers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("sallyport-control-vm-", 1).factory());
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-reconciler").unstarted(this::run);

    private volatile boolean woken;
    private volatile boolean closed;

    Reconciler(
            VmLedger ledger,
            VmSteps steps,
            Sandboxes sandboxes,
            SandboxSettings settings,
            GuestPorts ports,
            VmSweep sweep,
            SnapshotKeeper snapshots,
            Refreshes refreshes) {
        this.ledger = ledger;
        this.steps = steps;
        this.sandboxes = sandboxes;
        this.settings = settings;
        this.ports = ports;
        this.sweep = sweep;
        this.snapshots = snapshots;
        this.refreshes = refreshes;
    }

    /**
     * Begins. When it returns, the gate knows all guests, and judges them by their own policies, unless those take too long:
     * then it refuses them until it has them. That holds for guests that a driver of before has left, too. Blocks, for some
     * 20 s at most, whatever driver and gate do.
     */
    @WithoutCaller("part of the start")
    public void start() throws InterruptedException {
        List<VmRow> present = ledger.present();
        awaitPolicies(resume(present));
        if (sandboxes.areOff()) {
            sandboxes.check();
            return;
        }
        ledger.assumeSize(settings.size());
        present.forEach(ports::keep);
        ledger.enqueue(present);
        ledger.onChange(this::wake);
        steps.onFree(vm -> {
            pauses.end(vm);
            wake();
        });
        thread.start();
        sweep.start(this::wake);
        snapshots.start();
        sweep.awaitFirst(DRIVER);
    }

    /** Claims what it can. The gate refuses the other addresses, and their jobs claim them later. */
    private List<VmRow> resume(List<VmRow> present) throws InterruptedException {
        List<VmRow> claimed = new ArrayList<>();
        long end = System.nanoTime() + START.toNanos();
        for (VmRow vm : present) {
            if (System.nanoTime() - end > 0) {
                LOG.warn("{} sandboxes are refused everything until the proxy knows them", present.size());
                break;
            }
            try {
                steps.resume(vm);
                claimed.add(vm);
            } catch (VmException e) {
                LOG.warn("VM {} is refused everything until the proxy knows it: {}", vm.id(), e.getMessage());
            }
        }
        return claimed;
    }

    /** One that has to wait for long is no reason to wait with it: as long as others come, there is. */
    private void awaitPolicies(List<VmRow> claimed) throws InterruptedException {
        if (!sandboxes.isGated()) {
            return;
        }
        long begin = System.nanoTime();
        long progress = begin;
        List<VmRow> waiting = new ArrayList<>(claimed);
        while (true) {
            long now = System.nanoTime();
            if (waiting.removeIf(steps::isConfirmed)) {
                progress = now;
            }
            if (waiting.isEmpty()) {
                return;
            }
            if (now - progress > STANDSTILL.toNanos() || now - begin > START.toNanos()) {
                LOG.warn(
                        "the policies of {} sandboxes are not applied yet; they are refused everything until they are",
                        waiting.size());
                return;
            }
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
    }

    private void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            woken = false;
            long pause = LONGEST_PARK.toMillis();
            try {
                pause = Math.min(pause, dispatch());
            } catch (RuntimeException e) {
                if (closed) {
                    return;
                }
                LOG.warn("what is wanted of sandboxes cannot be read; it is tried again", e);
            }
            if (!woken && pause > 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
            }
        }
    }

    /** Returns how many milliseconds nothing is due. */
    private long dispatch() {
        long pause = LONGEST_PARK.toMillis();
        for (VmJob job : ledger.due()) {
            if (busy.containsKey(job.vm())) {
                continue;
            }
            long left = pauses.left(job);
            if (left > 0) {
                pause = Math.min(pause, TimeUnit.NANOSECONDS.toMillis(left) + 1);
            } else if (hasPlace(job.organization())) {
                pauses.end(job.vm());
                hand(job.vm(), job.organization(), vm -> work(vm, STEPS), this::retry);
            }
        }
        for (VmLedger.Outdated vm : refreshes.due()) {
            if (!busy.containsKey(vm.id()) && hasPlace(vm.organization()) && refreshes.begin(vm)) {
                hand(vm.id(), vm.organization(), refreshes::work, refreshes::putOff);
            }
        }
        pause = refreshes.pause(pause);
        Long next = ledger.nextDue();
        return next == null ? pause : Math.min(pause, Math.max(1, next - ledger.now()));
    }

    /** Where there is none, whoever ends first wakes this thread. */
    private boolean hasPlace(String organization) {
        return busy.size() < MOST
                && busy.values().stream().filter(organization::equals).count() < MOST_OF_ORGANIZATION;
    }

    private interface Work {
        void on(String vm) throws InterruptedException;
    }

    /** @param putOff done after an error that nobody has expected */
    private void hand(String vm, String organization, Work work, Consumer<String> putOff) {
        busy.put(vm, organization);
        workers.execute(() -> run(vm, work, putOff));
    }

    private void run(String id, Work work, Consumer<String> putOff) {
        try {
            work.on(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the control plane ends; the job is still there at its next start
        } catch (RuntimeException e) {
            if (closed) {
                LOG.debug("VM {}: cut off by the end of the control plane", id, e);
            } else {
                LOG.error("VM {} cannot be worked on; it is tried again", id, e);
                putOff.accept(id);
            }
        } finally {
            busy.remove(id);
            wake();
        }
    }

    private void work(String id, int most) throws InterruptedException {
        for (int i = 0; i < most && !closed; i++) {
            VmRow vm = ledger.find(id).orElse(null);
            if (vm == null) {
                return;
            }
            try {
                switch (steps.step(vm)) {
                    case VmSteps.Next.Step step -> {}
                    case VmSteps.Next.After after -> {
                        pauses.begin(vm, after.pause());
                        if (steps.isCalled(vm)) {
                            pauses.end(id); // before it began
                        }
                        return;
                    }
                    case VmSteps.Next.Nothing nothing -> {
                        ledger.settle(vm);
                        return;
                    }
                }
            } catch (VmException e) {
                failed(vm, e);
                return;
            }
        }
        ledger.find(id).ifPresent(vm -> pauses.begin(vm, AT_ONCE)); // others have their turns
    }

    /**
     * What may pass by itself is tried again: for a VM that is not made yet, for as long as a boot may take; for one that
     * is made, for ever, because it may run, and nothing is known against it. That the driver makes ready what a VM needs is
     * no failure.
     */
    private void failed(VmRow worked, VmException fault) {
        VmRow vm = ledger.find(worked.id()).orElse(worked); // the step may have got somewhere
        VmJob job = ledger.job(vm).orElse(null);
        if (job == null || vm.version() != worked.version()) {
            return; // something else is wanted of it: that is tried at once
        }
        if (fault.reason() == Reason.PREPARING) {
            LOG.debug("VM {}: {}", vm.id(), fault.getMessage());
            ledger.await(job, vm, fault.getMessage());
            pauses.begin(vm, PREPARATION);
            return;
        }
        boolean passes = fault.reason() == Reason.UNAVAILABLE || fault.reason() == Reason.EXHAUSTED;
        if (vm.state().wanted() == VmState.Wanted.RUNNING && (!passes || isLate(vm, job))) {
            LOG.warn("VM {} failed: {}", vm.id(), fault.getMessage());
            steps.fail(vm, fault.getMessage());
            return;
        }
        LOG.debug("VM {}: {}", vm.id(), fault.getMessage());
        ledger.retry(job, vm, fault.getMessage(), pause(job));
    }

    private boolean isLate(VmRow vm, VmJob job) {
        Long since = job.failingSince();
        return !vm.state().made()
                && since != null
                && ledger.now() - since > settings.bootTimeout().toMillis();
    }

    private void retry(String id) {
        try {
            VmRow vm = ledger.find(id).orElse(null);
            VmJob job = vm == null ? null : ledger.job(vm).orElse(null);
            if (vm != null && job != null) {
                steps.leave(vm);
                ledger.retry(job, vm, "an internal error, which the log has", pause(job));
            }
        } catch (RuntimeException e) {
            LOG.warn("VM {}: its job cannot be put off; it is tried again", id, e);
        }
    }

    private static Duration pause(VmJob job) {
        return Pauses.doubled(FIRST_RETRY, job.attempts(), LAST_RETRY);
    }

    /** Ends what waits, and waits for a moment for what cannot be cut off: the database is closed next. */
    @Override
    @PreDestroy
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        sweep.close();
        snapshots.close();
        workers.shutdownNow();
        try {
            thread.join(END.toMillis()); // at once where it was not started
            if (!workers.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "a driver of sandboxes does not answer; what it was asked for is looked at after the next start");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
