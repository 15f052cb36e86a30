package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every two seconds whether what the driver sees is still what is wanted: guests that ended by themselves, VMs that
 * somebody has removed or that nobody knows, and those whose time is over.
 */
@Singleton
final class VmSweep implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(VmSweep.class);

    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final VmLedger ledger;
    private final VmDriver driver;
    private final Sandboxes sandboxes;
    private final SshPorts ports;
    private final SandboxSettings settings;
    private final FullDisk fullDisk;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-vm-sweep").factory());

    /** What the driver has had and nobody has wanted, the last time. */
    private Set<VmId> strangers = Set.of();

    private final CountDownLatch checked = new CountDownLatch(1);

    /** Why there were no sandboxes the last time. */
    private @Nullable String problem;

    VmSweep(VmLedger ledger, VmDriver driver, Sandboxes sandboxes, SshPorts ports, SandboxSettings settings) {
        this.ledger = ledger;
        this.driver = driver;
        this.sandboxes = sandboxes;
        this.ports = ports;
        this.settings = settings;
        this.fullDisk = new FullDisk(ledger);
    }

    /** Begins; wakes when something is to be done. */
    void start(Runnable wake) {
        thread.scheduleWithFixedDelay(() -> round(wake), 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits until the driver has been asked once, or this time has passed. */
    void awaitFirst(Duration most) throws InterruptedException {
        if (!checked.await(most.toMillis(), TimeUnit.MILLISECONDS)) {
            LOG.warn("the driver of sandboxes does not answer; there are none until it does");
        }
    }

    /** The operator's limits hold whatever the driver does. */
    private void round(Runnable wake) {
        try {
            expire();
        } catch (RuntimeException e) {
            LOG.warn("VMs whose time may be over cannot be looked at; it is tried again", e);
        }
        try {
            if (check()) {
                compare();
            }
        } catch (VmException e) {
            LOG.debug("what runs cannot be seen; it is tried again: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("sandboxes cannot be compared with what is wanted; it is tried again", e);
        }
        wake.run();
    }

    private boolean check() throws InterruptedException {
        try {
            String found = sandboxes.check();
            if (found != null && !found.equals(problem)) {
                LOG.info("no sandboxes: {}", found);
            }
            problem = found;
            return found == null;
        } finally {
            checked.countDown();
        }
    }

    /** What is seen first may be wanted by a row that is read later, and not the other way round. */
    private void compare() throws VmException, InterruptedException {
        Map<VmId, Observed> seen = driver.observeAll();
        Set<String> unsettled = ledger.unsettled();
        Set<VmId> unknown = new HashSet<>(seen.keySet());
        List<VmRow> running = new ArrayList<>();
        for (VmRow vm : ledger.present()) {
            unknown.remove(vm.driverId());
            if (seen.get(vm.driverId()) instanceof Observed.Running) {
                running.add(vm);
            }
            boolean settled = !unsettled.contains(vm.id());
            if (settled && !VmSteps.agrees(vm, seen.getOrDefault(vm.driverId(), new Observed.Absent()))) {
                ledger.enqueue(vm.id());
            }
        }
        for (VmId stranger : unknown) {
            if (strangers.contains(stranger)) {
                LOG.warn("VM {} is at the driver and wanted by nobody; it is destroyed", stranger);
                destroy(stranger);
            }
        }
        strangers = unknown;
        fullDisk.look(sandboxes.isDiskFull(), running);
    }

    /** One that cannot be destroyed is no reason to leave others. */
    private void destroy(VmId stranger) throws InterruptedException {
        try {
            driver.destroy(stranger);
        } catch (VmException e) {
            LOG.warn("VM {} cannot be destroyed; it is tried again: {}", stranger, e.getMessage());
        }
    }

    private void expire() {
        Duration life = settings.timeToLive();
        Duration idle = settings.idleStop();
        if (life == null && idle == null) {
            return;
        }
        List<VmRow> present = ledger.present();
        for (VmRow vm : present) {
            VmState state = vm.state();
            if (life != null
                    && state.wanted() != VmState.Wanted.DESTROYED
                    && ledger.now() - vm.createdAt().toEpochMilli() > life.toMillis()) {
                ledger.order(vm, state.destroying(false), "its time to live, " + life.toSeconds() + " s, is over");
            } else if (idle != null && state.detail() == VmDetail.READY && isIdle(vm, idle) && !ledger.isBusy(vm)) {
                ledger.order(vm, state.stopping(), "nobody was logged in for " + idle.toSeconds() + " s");
            }
        }
    }

    private boolean isIdle(VmRow vm, Duration idle) {
        return Optional.ofNullable(ports.usedAt(vm.id()))
                .filter(used -> ledger.now() - used > idle.toMillis())
                .isPresent();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
