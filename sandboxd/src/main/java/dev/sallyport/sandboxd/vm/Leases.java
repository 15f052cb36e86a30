package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import java.net.Inet4Address;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Whose the addresses of guests are, also where the files of a VM are damaged. Safe for use by many threads. */
final class Leases {

    private final Map<Inet4Address, VmId> owners = new ConcurrentHashMap<>();

    /** Remembers one of a VM that is there. */
    void remember(Inet4Address address, VmId id) {
        owners.put(address, id);
    }

    /** @throws VmException {@code CONFLICT} when it is another VM's */
    void take(Inet4Address address, VmId id) throws VmException {
        VmId owner = owners.putIfAbsent(address, id);
        if (owner != null && !owner.equals(id)) {
            throw new VmException(Reason.CONFLICT, address.getHostAddress() + " is the address of another VM");
        }
    }

    /** Lets that of a VM go. */
    void release(VmId id) {
        owners.values().remove(id);
    }

    /** What is called by an address in the log: the VM that has it. */
    String nameOf(Inet4Address address) {
        VmId owner = owners.get(address);
        return owner == null ? address.getHostAddress() : owner.value();
    }

    /** That of a VM; null when it has none. */
    @Nullable Inet4Address of(VmId id) {
        for (Map.Entry<Inet4Address, VmId> lease : owners.entrySet()) {
            if (lease.getValue().equals(id)) {
                return lease.getKey();
            }
        }
        return null;
    }
}
