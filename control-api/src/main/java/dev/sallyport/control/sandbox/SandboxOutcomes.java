package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Outcome;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;

/** Whether that has come about which was asked of sandboxes, for those who wait. Thread-safe; blocks for the database only. */
@Singleton
public final class SandboxOutcomes {

    private final Store store;
    private final VmLedger ledger;

    SandboxOutcomes(Store store, VmLedger ledger) {
        this.store = store;
        this.ledger = ledger;
    }

    /** That one can log in to a VM, and the gate has its policy. */
    public Outcome ready(Caller caller, String vm) {
        return vm(caller, vm, VmState.Wanted.RUNNING, VmDetail.READY);
    }

    /** That nothing of a VM runs. */
    public Outcome stopped(Caller caller, String vm) {
        return vm(caller, vm, VmState.Wanted.STOPPED, VmDetail.STOPPED);
    }

    /** That nothing of a VM is left. */
    public Outcome destroyed(Caller caller, String vm) {
        return vm(caller, vm, VmState.Wanted.DESTROYED, VmDetail.DESTROYED);
    }

    private Outcome vm(Caller caller, String id, VmState.Wanted wanted, VmDetail end) {
        // What is not there any more was destroyed long ago.
        VmState gone = VmState.asked().destroyed();
        return () -> {
            VmState state = store.read(handle -> Vms.find(handle, caller, id, ""))
                    .map(VmRow::state)
                    .orElse(gone);
            if (state.wanted() != wanted || state.detail() == VmDetail.FAILED) {
                return Outcome.Standing.MISSED;
            }
            return state.detail() == end ? Outcome.Standing.REACHED : Outcome.Standing.OPEN;
        };
    }

    /** That VMs can be made from a snapshot. */
    public Outcome copied(Caller caller, String snapshot) {
        return () -> store.read(handle -> Snapshots.find(handle, caller, snapshot, ""))
                .map(row -> switch (row.status()) {
                    case PENDING, UPLOADING -> Outcome.Standing.OPEN;
                    case READY -> Outcome.Standing.REACHED;
                    case FAILED -> Outcome.Standing.MISSED;
                })
                .orElse(Outcome.Standing.MISSED);
    }

    /** That guests of the account that are ready have its variables and placeholders. */
    public Outcome told(Caller caller) {
        return () -> ledger.hasOutdated(caller.organizationId()) ? Outcome.Standing.OPEN : Outcome.Standing.REACHED;
    }
}
