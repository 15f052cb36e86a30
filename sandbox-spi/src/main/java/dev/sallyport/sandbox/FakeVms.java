package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The made-up VMs of a {@link FakeDriver}, which lets one thread at a time use them. */
final class FakeVms {

    private final Map<VmId, FakeVm> vms = new TreeMap<>();
    private final Map<VmId, Integer> refreshes = new HashMap<>();
    private final @Nullable FakeFolder folder;

    /** @param folder where they are kept; null for nowhere */
    FakeVms(@Nullable FakeFolder folder) throws IOException {
        this(folder, folder == null ? Map.of() : folder.read());
    }

    private FakeVms(@Nullable FakeFolder folder, Map<VmId, FakeVm> kept) {
        this.folder = folder;
        vms.putAll(kept);
    }

    /** In memory. */
    static FakeVms inMemory() {
        return new FakeVms(null, Map.of());
    }

    @Nullable FakeVm get(VmId id) {
        return vms.get(id);
    }

    /** A copy. */
    Map<VmId, FakeVm> all() {
        return new TreeMap<>(vms);
    }

    /**
     * Whether there is one that is made of this.
     *
     * @throws VmException {@code CONFLICT} when it is made of something else
     */
    boolean isThere(VmId id, VmSpec spec) throws VmException {
        FakeVm present = vms.get(id);
        if (present != null && !present.spec().equals(spec)) {
            throw new VmException(Reason.CONFLICT, "VM " + id + " exists and is made of something else");
        }
        return present != null;
    }

    /**
     * Makes one that is not there.
     *
     * @throws VmException {@code CONFLICT} when another one has its address
     */
    void make(VmId id, VmSpec spec) throws VmException {
        if (vms.values().stream().anyMatch(vm -> vm.spec().network().equals(spec.network()))) {
            throw new VmException(
                    Reason.CONFLICT, spec.network().address().getHostAddress() + " is the address of another VM");
        }
        keep(id, new FakeVm(spec));
    }

    /** Keeps one that has other variables. */
    void refresh(VmId id, FakeVm vm) throws VmException {
        keep(id, vm);
        refreshes.merge(id, 1, Integer::sum);
    }

    /** How often it was given other variables since this process began. */
    int refreshes(VmId id) {
        return refreshes.getOrDefault(id, 0);
    }

    /** Has it as this, which ends with the process. */
    void see(VmId id, FakeVm vm) {
        vms.put(id, vm);
    }

    void keep(VmId id, FakeVm vm) throws VmException {
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
