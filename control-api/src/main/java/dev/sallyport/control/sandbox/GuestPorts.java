package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Refusal;
import dev.sallyport.sandbox.SshEndpoint;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import jakarta.inject.Singleton;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SSH port of each VM on its way: one that another program has is left to it. Thread-safe. */
@Singleton
final class GuestPorts {

    private static final Logger LOG = LoggerFactory.getLogger(GuestPorts.class);

    private static final int ATTEMPTS = 20;

    private final SshPorts ports;
    private final VmLedger ledger;

    GuestPorts(SshPorts ports, VmLedger ledger) {
        this.ports = ports;
        this.ledger = ledger;
    }

    /**
     * Binds the port of a VM that nobody was told yet, another one if need be. Blocks.
     *
     * @return the lease with the port that is bound; null when something else is wanted of the VM meanwhile
     * @throws VmException {@code UNAVAILABLE} when no port can be had at this moment
     */
    VmRow.@Nullable Lease bind(VmRow vm) throws VmException {
        VmRow.Lease lease = VmSteps.lease(vm);
        for (int attempt = 1; lease != null; attempt++) {
            try {
                ports.bind(vm.id(), lease.sshPort());
                return lease;
            } catch (SshPorts.TakenException e) {
                if (attempt == ATTEMPTS) {
                    throw unavailable(e);
                }
                lease = other(vm, lease);
            } catch (IOException e) {
                throw unavailable(e);
            }
        }
        return null;
    }

    /** After a start of the control plane: no other program is to take the port of a VM, be it stopped. */
    void keep(VmRow vm) {
        VmRow.Lease lease = vm.lease();
        if (lease == null) {
            return;
        }
        try {
            ports.bind(vm.id(), lease.sshPort());
        } catch (IOException e) {
            LOG.warn("VM {} cannot be logged in to: {}", vm.id(), e.getMessage()); // it is tried again when it runs
        }
    }

    private VmRow.@Nullable Lease other(VmRow vm, VmRow.Lease lease) throws VmException {
        try {
            return ledger.otherPort(vm, lease);
        } catch (Refusal e) {
            throw unavailable(e);
        }
    }

    /**
     * Lets a VM's port lead to the sshd of its guest.
     *
     * @throws VmException {@code UNAVAILABLE} when another program has the port, which clients know
     */
    void lead(VmRow vm, VmRow.Lease lease, SshEndpoint guest) throws VmException {
        try {
            ports.lead(vm.id(), lease.sshPort(), guest);
        } catch (IOException e) {
            throw unavailable(e);
        }
    }

    /** Ends the connections of a VM; its port leads nowhere until further notice. */
    void suspend(VmRow vm) {
        ports.suspend(vm.id());
    }

    /** Gives a VM's port back. Blocks for a moment. */
    void release(VmRow vm) {
        ports.release(vm.id());
    }

    private static VmException unavailable(Exception cause) {
        return new VmException(Reason.UNAVAILABLE, String.valueOf(cause.getMessage()), cause);
    }
}
