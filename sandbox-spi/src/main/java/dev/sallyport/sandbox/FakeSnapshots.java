package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The made-up snapshots of a {@link FakeDriver}, which lets one thread at a time use them. */
final class FakeSnapshots {

    private static final Layer LAYER = new Layer("sha256:" + "1".repeat(64), 10_240);

    private final Map<SnapshotId, Held> all = new TreeMap<>();
    private final @Nullable FakeFolder folder;

    /** @param sealed whether VMs can be made from it */
    record Held(VmId vm, boolean sealed) {}

    FakeSnapshots() {
        folder = null;
    }

    /** @param folder where they are kept; null for nowhere */
    FakeSnapshots(@Nullable FakeFolder folder) throws IOException {
        this.folder = folder;
        if (folder != null) {
            all.putAll(folder.readSnapshots());
        }
    }

    Held require(SnapshotId id) throws VmException {
        Held held = all.get(id);
        if (held == null) {
            throw new VmException(Reason.SNAPSHOT_NOT_FOUND, "there is no snapshot " + id);
        }
        return held;
    }

    void requireSealed(SnapshotId id) throws VmException {
        if (!require(id).sealed()) {
            throw new VmException(Reason.SNAPSHOT_NOT_FOUND, "snapshot " + id + " is not sealed");
        }
    }

    /** Whether there is one, which has to be of this VM. */
    boolean isOf(SnapshotId id, VmId vm) throws VmException {
        Held held = all.get(id);
        if (held != null && !held.vm().equals(vm)) {
            throw new VmException(Reason.CONFLICT, "snapshot " + id + " is of another VM");
        }
        return held != null;
    }

    void capture(SnapshotId id, VmId vm) throws VmException {
        keep(id, new Held(vm, false));
    }

    Layer seal(SnapshotId id) throws VmException {
        Held held = require(id);
        if (!held.sealed()) {
            keep(id, new Held(held.vm(), true));
        }
        return LAYER;
    }

    void discard(SnapshotId id) throws VmException {
        try {
            if (folder != null) {
                folder.delete(id);
            }
        } catch (IOException e) {
            throw new VmException(Reason.FAILED, "snapshot " + id + ": " + e.getMessage(), e);
        }
        all.remove(id);
    }

    Set<SnapshotId> ids() {
        return new TreeSet<>(all.keySet());
    }

    private void keep(SnapshotId id, Held held) throws VmException {
        try {
            if (folder != null) {
                folder.write(id, held);
            }
        } catch (IOException e) {
            throw new VmException(Reason.FAILED, "snapshot " + id + ": " + e.getMessage(), e);
        }
        all.put(id, held);
    }
}
