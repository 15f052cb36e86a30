package dev.sallyport.sandbox;

import dev.sallyport.sandbox.FakeDriver.Vm;
import dev.sallyport.sandbox.VmException.Reason;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The made-up VMs of a {@link FakeDriver}, which lets one thread at a time use them. */
final class FakeVms {

    private final Map<VmId, Vm> vms = new TreeMap<>();
    private final @Nullable FakeFolder folder;

    /** @param folder where they are kept; null for nowhere */
    FakeVms(@Nullable FakeFolder folder) throws IOException {
        this(folder, folder == null ? Map.of() : folder.read());
    }

    private FakeVms(@Nullable FakeFolder folder, Map<VmId, Vm> kept) {
        this.folder = folder;
        vms.putAll(kept);
    }

    /** In memory. */
    static FakeVms inMemory() {
        return new FakeVms(null, Map.of());
    }

    @Nullable Vm get(VmId id) {
        return vms.get(id);
    }

    /** A copy. */
    Map<VmId, Vm> all() {
        return new TreeMap<>(vms);
    }

    /** Has it as this, which ends with the process. */
    void see(VmId id, Vm vm) {
        vms.put(id, vm);
    }

    void keep(VmId id, Vm vm) throws VmException {
        try {
            if (folder != null) {
                folder.write(id, vm);
            }
        } catch (IOException e) {
            throw new VmException(Reason.FAILED, "VM " + id + ": " + e.getMessage(), e);
        }
        vms.put(id, vm);
    }

    void forget(VmId id) throws VmException {
        try {
            if (folder != null) {
                folder.delete(id);
            }
        } catch (IOException e) {
            throw new VmException(Reason.FAILED, "VM " + id + ": " + e.getMessage(), e);
        }
        vms.remove(id);
    }
}
