package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The VMs of agents: made, judged and removed as all others are, in the transactions of their agents. Thread-safe; blocks
 * for the database only.
 */
@Singleton
public final class AgentVms {

    private static final String PREFIX = "vm_";

    private final Store store;
    private final Vms vms;
    private final VmLedger ledger;
    private final Sandboxes sandboxes;
    private final Ids ids;

    AgentVms(Store store, Vms vms, VmLedger ledger, Sandboxes sandboxes, Ids ids) {
        this.store = store;
        this.vms = vms;
        this.ledger = ledger;
        this.sandboxes = sandboxes;
        this.ids = ids;
    }

    /** Refuses with 503 where no VM can be made at this moment. */
    public void refuseUnlessAvailable(Caller caller) {
        sandboxes.refuseUnlessAvailable();
    }

    /**
     * Asks for a VM: 404 or 409 when its snapshot is not there or not ready, 409 when the quota is used up. The organization
     * has to be locked.
     *
     * @param image null for what all VMs begin as
     * @param snapshot what it begins as instead; null for the image
     */
    public Vm create(
            Transaction transaction,
            Caller caller,
            String name,
            String publicKey,
            @Nullable String image,
            @Nullable String snapshot) {
        String id = ids.next(PREFIX, transaction.now());
        return vms.insert(transaction, caller, id, new Vms.Wish(name, publicKey, image, snapshot));
    }

    /** Asks for its end, in any state; 503 when the operator wants no sandboxes. */
    public void destroy(Transaction transaction, Caller caller, String id) {
        vms.destroy(transaction, caller, id);
    }

    /** How far a VM is; empty when it was forgotten. */
    @WithoutCaller("part of what brings agents about")
    public Optional<VmDetail> detail(String id) {
        return store.read(handle -> VmRow.find(handle, id, ""))
                .map(row -> row.state().detail());
    }

    /** Stops one that is to run, on behalf of the operator. */
    @WithoutCaller("part of what brings agents about")
    public void stop(String id, String message) {
        ledger.find(id)
                .filter(row -> row.state().wanted() == VmState.Wanted.RUNNING)
                .ifPresent(row -> ledger.order(row, row.state().stopping(), message));
    }
}
