package dev.sallyport.control.sandbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a VM is on its way to what is wanted. Immutable; each transition is a method.
 *
 * @param wanted what it is to become
 * @param mustStop whether the guest has to be stopped before anything else is done: a stop was asked for, or the VM failed
 * @param made whether the driver has made it
 * @param booted whether the driver has started it since a start was asked for; a guest that does not run then has ended. Of one
 *     that is to be destroyed, whether its guest may still run
 * @param bootBy when SSH has to answer at the latest; null before it boots
 */
record VmState(
        VmDetail detail,
        Wanted wanted,
        boolean mustStop,
        boolean made,
        boolean booted,
        @Nullable Instant bootBy) {

    /** What a VM is to become. */
    enum Wanted {
        RUNNING,
        STOPPED,
        DESTROYED
    }

    /** Whether a guest of it runs, or may run before long, or may not have ended yet. */
    boolean mayRun() {
        return wanted == Wanted.RUNNING || mustStop || booted;
    }

    /** What a user has asked for, and nobody has begun. */
    static VmState asked() {
        return new VmState(VmDetail.CREATING, Wanted.RUNNING, false, false, false, null);
    }

    /** A start was asked for. */
    VmState started() {
        return new VmState(VmDetail.RUNNING, Wanted.RUNNING, mustStop, made, false, null);
    }

    /** A stop was asked for. */
    VmState stopping() {
        return new VmState(VmDetail.STOPPING, Wanted.STOPPED, true, made, false, null);
    }

    /**
     * Its end was asked for.
     *
     * @param force whether a stop that was asked for before is cut short
     */
    VmState destroying(boolean force) {
        boolean stopping = mustStop && detail == VmDetail.STOPPING;
        return new VmState(VmDetail.DESTROYING, Wanted.DESTROYED, stopping && !force, made, mayRun(), null);
    }

    /** All places for those that are made are taken. */
    VmState queued() {
        return new VmState(VmDetail.QUEUED, wanted, mustStop, made, booted, bootBy);
    }

    /** It has got a place. */
    VmState creating() {
        return new VmState(VmDetail.CREATING, wanted, mustStop, made, booted, bootBy);
    }

    /** The driver has made it. */
    VmState nowMade() {
        return new VmState(VmDetail.STARTING, wanted, mustStop, true, booted, bootBy);
    }

    /** The driver has started it. */
    VmState nowBooted(Instant deadline) {
        return new VmState(VmDetail.RUNNING, wanted, mustStop, made, true, deadline);
    }

    /** One can log in, and the gate has its policy. */
    VmState ready() {
        return new VmState(VmDetail.READY, wanted, mustStop, made, true, bootBy);
    }

    /** Nothing of it runs, and that is known. */
    VmState nowStopped() {
        VmDetail next = detail == VmDetail.STOPPING ? VmDetail.STOPPED : detail;
        return new VmState(next, wanted, false, made, booted, bootBy);
    }

    /** It ended by itself. */
    VmState ended() {
        return new VmState(VmDetail.STOPPED, Wanted.STOPPED, false, made, false, null);
    }

    /** It cannot be used. */
    VmState failed() {
        return new VmState(VmDetail.FAILED, Wanted.STOPPED, made, made, false, null);
    }

    /** Nothing of it is left. */
    VmState destroyed() {
        return new VmState(VmDetail.DESTROYED, Wanted.DESTROYED, false, false, false, null);
    }
}
