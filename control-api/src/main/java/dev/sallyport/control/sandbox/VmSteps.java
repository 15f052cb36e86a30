package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.HostKey;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmSpec;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Brings a VM one step nearer to what is wanted. Each step can be repeated, after a kill at any point too: what was done is
 * seen at the driver, and what is not written down is done again. For any number of threads, one for each VM.
 */
@Singleton
final class VmSteps {

    /** Whoever waits for a slot is called. */
    private static final Next SLOT_AGAIN = new Next.After(Duration.ofSeconds(5));

    private static final Next PROBE_SOON = new Next.After(Duration.ofMillis(50));
    private static final Next PROBE_LATER = new Next.After(Duration.ofMillis(500));

    /** So many times sshd is asked soon: a guest that boots as it should answers within this time. */
    private static final int SOON = 20;

    private static final Duration GATE_FIRST = Duration.ofMillis(100);
    private static final Duration GATE_LAST = Duration.ofSeconds(10);

    /** After so many looks, seconds later, the events tell that the gate lets the VM wait. */
    private static final int TOLD = 6;

    private final VmLedger ledger;
    private final VmDriver driver;
    private final GuestClaims claims;
    private final GuestPorts ports;
    private final GuestSpecs specs;
    private final Refreshes refreshes;
    private final SandboxSettings settings;
    private final Slots slots;

    /** How often each has been looked at in vain since its guest was started. */
    private final Map<String, Integer> looks = new ConcurrentHashMap<>();

    /** Those whose sshd has answered since their guest was started. */
    private final Set<String> answered = ConcurrentHashMap.newKeySet();

    VmSteps(
            VmLedger ledger,
            VmDriver driver,
            GuestClaims claims,
            GuestPorts ports,
            GuestSpecs specs,
            Refreshes refreshes,
            SandboxSettings settings) {
        this.ledger = ledger;
        this.driver = driver;
        this.claims = claims;
        this.ports = ports;
        this.specs = specs;
        this.refreshes = refreshes;
        this.settings = settings;
        this.slots = new Slots(settings.creations());
    }

    /** What comes after a step. */
    sealed interface Next {

        /** Another step. */
        record Step() implements Next {}

        /** Another step, after a pause. */
        record After(Duration pause) implements Next {}

        /** Nothing: it is what is wanted. */
        record Nothing() implements Next {}

        Next STEP = new Step();
        Next NOTHING = new Nothing();
    }

    /** Calls a VM in this way when its pause is over before its time. */
    void onFree(Consumer<String> call) {
        slots.onFree(call);
    }

    /** Whether the pause of a VM is over. */
    boolean isCalled(VmRow vm) {
        return slots.isCalled(vm.id());
    }

    /** A step has ended with an error that nobody has expected: others must not wait for it. */
    void leave(VmRow vm) {
        slots.leave(vm.identity().organization(), vm.id());
    }

    /**
     * Takes a step.
     *
     * @throws VmException when the driver or the gate did not do its part
     */
    Next step(VmRow vm) throws VmException, InterruptedException {
        if (vm.state().wanted() != VmState.Wanted.RUNNING) {
            leave(vm);
        }
        return switch (vm.state().wanted()) {
            case RUNNING -> run(vm);
            case STOPPED -> stop(vm);
            case DESTROYED -> destroy(vm);
        };
    }

    /** Writes down that it cannot be used. */
    void fail(VmRow vm, String message) {
        ledger.turn(vm, vm.state().failed(), message);
    }

    private Next run(VmRow vm) throws VmException, InterruptedException {
        VmState state = vm.state();
        if (state.mustStop()) {
            ports.suspend(vm);
            driver.stop(vm.driverId(), settings.stopGrace());
            ledger.move(vm, state.nowStopped(), "the guest has ended");
            return Next.STEP;
        }
        if (!state.made()) {
            return make(vm);
        }
        return switch (observe(vm)) {
            case Observed.Absent absent -> failed(vm, "nothing is left of it: somebody else has removed it");
            case Observed.Failed failed -> failed(vm, failed.reason());
            case Observed.Stopped stopped -> state.booted() ? ended(vm) : boot(vm);
            case Observed.Running running -> running(vm, running);
        };
    }

    /** That a VM cannot be looked at says nothing about the VM. */
    private Observed observe(VmRow vm) throws VmException, InterruptedException {
        try {
            return driver.observe(vm.driverId());
        } catch (VmException e) {
            throw new VmException(Reason.UNAVAILABLE, e.getMessage(), e);
        }
    }

    private Next failed(VmRow vm, String message) {
        ports.suspend(vm);
        fail(vm, message);
        return Next.STEP;
    }

    private Next ended(VmRow vm) {
        ports.suspend(vm);
        ledger.turn(vm, vm.state().ended(), "the guest ended by itself");
        return Next.STEP;
    }

    /** One that was being made before, and is tried again or waits for the driver, stays as it is: it had its place. */
    private Next make(VmRow vm) throws VmException, InterruptedException {
        claims.require();
        if (!slots.take(vm.identity().organization(), vm.id())) {
            if (vm.state().detail() != VmDetail.QUEUED && !ledger.hasProblem(vm)) {
                ledger.move(vm, vm.state().queued(), "it waits until fewer are being made");
            }
            return SLOT_AGAIN;
        }
        try {
            if (vm.state().detail() == VmDetail.QUEUED) {
                ledger.move(vm, vm.state().creating(), "it is its turn");
            }
            VmRow.Lease lease = ports.bind(vm);
            if (lease == null) {
                return Next.STEP; // something else is wanted of it now
            }
            claims.claim(vm, lease);
            GuestSpecs.Environment environment = specs.environment(vm);
            create(vm, specs.of(vm, lease, environment));
            ledger.given(vm, environment);
            List<VmHostKeys.Key> keys =
                    driver.hostKeys(vm.driverId()).stream().map(VmSteps::key).toList();
            ledger.made(vm, keys);
            start(vm, vm.state().nowMade()); // within the slot: the boot is a good part of the work
            return Next.STEP;
        } finally {
            slots.release();
        }
    }

    private static VmHostKeys.Key key(HostKey key) {
        return new VmHostKeys.Key(key.type(), key.key());
    }

    /**
     * What is there of a VM that is not known to be made comes from an attempt that nobody has written down, maybe with
     * another environment; it was never started. Where nothing is there, another VM that is about to go has the address.
     */
    private void create(VmRow vm, VmSpec spec) throws VmException, InterruptedException {
        try {
            driver.create(vm.driverId(), spec);
        } catch (VmException e) {
            if (e.reason() != Reason.CONFLICT) {
                throw e;
            }
            if (observe(vm) instanceof Observed.Absent) {
                throw new VmException(Reason.UNAVAILABLE, e.getMessage(), e);
            }
            driver.destroy(vm.driverId());
            driver.create(vm.driverId(), spec);
        }
    }

    private Next boot(VmRow vm) throws VmException, InterruptedException {
        claims.require();
        claims.claim(vm, lease(vm));
        start(vm, vm.state());
        return Next.STEP;
    }

    /** A guest that has been started and does not run any more has ended by itself, however soon that is. */
    private void start(VmRow vm, VmState state) throws VmException, InterruptedException {
        looks.remove(vm.id());
        answered.remove(vm.id());
        driver.start(vm.driverId());
        Instant deadline = Instant.ofEpochMilli(ledger.now()).plus(settings.bootTimeout());
        ledger.move(vm, state.nowBooted(deadline), "the guest runs");
    }

    private Next running(VmRow vm, Observed.Running guest) throws VmException, InterruptedException {
        VmState state = vm.state();
        claims.require();
        claims.keep(vm, lease(vm)); // the gate may not have taken it at the start of the control plane
        if (!state.booted()) {
            start(vm, state);
            return Next.STEP;
        }
        ports.lead(vm, lease(vm), guest.ssh());
        if (state.detail() == VmDetail.READY) {
            return Next.NOTHING;
        }
        if (!answered.contains(vm.id())) {
            if (!SshProbe.answers(guest.ssh())) {
                return isLate(vm)
                        ? failed(vm, "no SSH within " + settings.bootTimeout().toSeconds() + " s")
                        : look(vm) < SOON ? PROBE_SOON : PROBE_LATER;
            }
            answered.add(vm.id());
            looks.remove(vm.id());
        }
        if (!claims.areConfirmed(vm)) {
            return awaitGate(vm);
        }
        looks.remove(vm.id());
        refreshes.settle(vm); // whoever logs in from now on has what was changed while it was made, or did not run
        ledger.move(vm, state.ready(), "SSH answers, and its policies are in force");
        return Next.STEP;
    }

    private boolean isLate(VmRow vm) {
        Instant deadline = vm.state().bootBy();
        return deadline != null && ledger.now() >= deadline.toEpochMilli() && ledger.isBootOver(vm);
    }

    /** How often it was looked at before. */
    private int look(VmRow vm) {
        return looks.merge(vm.id(), 1, Integer::sum) - 1;
    }

    /** For as long as it takes: the guest is refused meanwhile, and nobody but the operator can help. */
    private Next awaitGate(VmRow vm) {
        int look = look(vm);
        if (look == TOLD) {
            ledger.tell(vm, "SSH answers; the gate refuses it until it has its policies, see the log");
        }
        return new Next.After(Pauses.doubled(GATE_FIRST, look, GATE_LAST));
    }

    private Next stop(VmRow vm) throws VmException, InterruptedException {
        VmState state = vm.state();
        ports.suspend(vm);
        if (!state.made()) {
            return Next.NOTHING;
        }
        boolean broken = state.detail() == VmDetail.FAILED;
        if (!broken && observe(vm) instanceof Observed.Failed damaged) {
            return failed(vm, damaged.reason());
        }
        try {
            driver.stop(vm.driverId(), broken ? Duration.ZERO : settings.stopGrace());
        } catch (VmException e) {
            if (e.reason() != Reason.NOT_FOUND) {
                throw e;
            }
            if (!broken) {
                return failed(vm, "nothing is left of it: somebody else has removed it");
            }
        }
        if (state.mustStop()) {
            ledger.move(vm, state.nowStopped(), "the guest has ended");
            return Next.STEP;
        }
        return Next.NOTHING;
    }

    private Next destroy(VmRow vm) throws VmException, InterruptedException {
        if (vm.lease() == null) {
            return Next.NOTHING;
        }
        ports.suspend(vm);
        if (vm.state().mustStop()) {
            return stopFirst(vm);
        }
        driver.destroy(vm.driverId());
        claims.release(vm);
        ports.release(vm);
        looks.remove(vm.id());
        answered.remove(vm.id());
        ledger.destroyed(vm);
        return Next.STEP;
    }

    /** A stop that was asked for before has its grace. What cannot be stopped is killed next. */
    private Next stopFirst(VmRow vm) throws VmException, InterruptedException {
        String message = "the guest has ended";
        try {
            driver.stop(vm.driverId(), settings.stopGrace());
        } catch (VmException e) {
            if (e.reason() == Reason.UNAVAILABLE || e.reason() == Reason.EXHAUSTED) {
                throw e;
            }
            message = "it cannot be stopped, and is killed: " + e.getMessage();
        }
        ledger.move(vm, vm.state().nowStopped(), message);
        return Next.STEP;
    }

    /**
     * After a start of the control plane: guests may run already, and must not be judged by anything else.
     *
     * @throws VmException when the gate does not take it now
     */
    void resume(VmRow vm) throws VmException, InterruptedException {
        VmRow.Lease lease = vm.lease();
        if (lease != null && claims.arePossible()) {
            claims.claim(vm, lease);
        }
    }

    /** Whether the gate has the policies of a VM. */
    boolean isConfirmed(VmRow vm) {
        return claims.areConfirmed(vm);
    }

    /** Whether what the driver sees of a VM that is settled is what is wanted. */
    static boolean agrees(VmRow vm, Observed seen) {
        return switch (vm.state().detail()) {
            case READY -> seen instanceof Observed.Running;
            case STOPPED -> seen instanceof Observed.Stopped;
            case FAILED, DESTROYED -> !(seen instanceof Observed.Running);
            default -> false;
        };
    }

    static VmRow.Lease lease(VmRow vm) {
        VmRow.Lease lease = vm.lease();
        if (lease == null) {
            throw new IllegalStateException("VM " + vm.id() + " has no address");
        }
        return lease;
    }
}
