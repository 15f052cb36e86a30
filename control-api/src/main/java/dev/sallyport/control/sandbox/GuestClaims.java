package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The addresses of guests at the gate, and which policies have to be in force for each of them. Thread-safe; blocks. */
@Singleton
final class GuestClaims {

    private final Gate gate;
    private final VmLedger ledger;

    /** Which change of policies has to be in force before a VM is ready. */
    private final Map<String, Long> policies = new ConcurrentHashMap<>();

    GuestClaims(Gate gate, VmLedger ledger) {
        this.gate = gate;
        this.ledger = ledger;
    }

    /** Whether guests can be judged here. */
    boolean arePossible() {
        return gate.problem() == null;
    }

    /** Refuses where nothing can judge a guest: {@code UNAVAILABLE}. */
    void require() throws VmException {
        String problem = gate.problem();
        if (problem != null) {
            throw new VmException(Reason.UNAVAILABLE, problem);
        }
    }

    /**
     * Lets the gate know a guest, before it is up: it is refused until all policies of this moment are in force.
     *
     * @throws VmException {@code UNAVAILABLE} when the gate does not take it now
     */
    void claim(VmRow vm, VmRow.Lease lease) throws VmException, InterruptedException {
        claim(vm, lease, ledger.lastChange());
    }

    /** The same for one that may be known, and waits for the policies that it has waited for. */
    void keep(VmRow vm, VmRow.Lease lease) throws VmException, InterruptedException {
        Long change = policies.get(vm.id());
        claim(vm, lease, change == null ? ledger.lastChange() : change);
    }

    private void claim(VmRow vm, VmRow.Lease lease, long change) throws VmException, InterruptedException {
        try {
            gate.claim(vm.id(), vm.identity().organization(), SandboxSettings.Subnet.address(lease.address()));
        } catch (IllegalStateException e) {
            throw unavailable(e);
        }
        policies.put(vm.id(), change);
    }

    /** Whether the policies that it waits for are in force. */
    boolean areConfirmed(VmRow vm) {
        return gate.confirms(vm.id(), policies.getOrDefault(vm.id(), 0L));
    }

    /**
     * Lets the address of a guest go that has ended.
     *
     * @throws VmException {@code UNAVAILABLE} when the gate does not confirm it now
     */
    void release(VmRow vm) throws VmException, InterruptedException {
        try {
            gate.release(vm.id());
        } catch (IllegalStateException e) {
            throw unavailable(e);
        }
        policies.remove(vm.id());
    }

    private static VmException unavailable(IllegalStateException cause) {
        return new VmException(Reason.UNAVAILABLE, String.valueOf(cause.getMessage()), cause);
    }
}
