package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs nothing, and says why. Holds no VM and no snapshot: {@link #destroy}, {@link #discard} and the methods that look succeed. */
public final class NoDriver implements VmDriver {

    private final String reason;

    /** @param reason one sentence for the user */
    public NoDriver(String reason) {
        this.reason = reason;
    }

    @Override
    public Availability availability() {
        return new Availability.Unavailable(List.of(reason));
    }

    @Override
    public List<Image> images() {
        return List.of();
    }

    @Override
    public void create(VmId id, VmSpec spec) throws VmException {
        throw new VmException(Reason.UNAVAILABLE, reason);
    }

    @Override
    public void start(VmId id) throws VmException {
        throw absent(id);
    }

    @Override
    public void stop(VmId id, Duration grace) throws VmException {
        throw absent(id);
    }

    @Override
    public void destroy(VmId id) {}

    @Override
    public Observed observe(VmId id) {
        return new Observed.Absent();
    }

    @Override
    public Map<VmId, Observed> observeAll() {
        return Map.of();
    }

    @Override
    public List<HostKey> hostKeys(VmId id) throws VmException {
        throw absent(id);
    }

    @Override
    public Refused refused(VmId id) throws VmException {
        throw absent(id);
    }

    @Override
    public void capture(SnapshotId id, VmId vm) throws VmException {
        throw absent(vm);
    }

    @Override
    public Layer seal(SnapshotId id) throws VmException {
        throw new VmException(Reason.SNAPSHOT_NOT_FOUND, "there is no snapshot " + id);
    }

    @Override
    public void discard(SnapshotId id) {}

    @Override
    public Set<SnapshotId> snapshots() {
        return Set.of();
    }

    @Override
    public void run(VmId id, TaskName name, GuestTask task) throws VmException {
        throw absent(id);
    }

    @Override
    public TaskReport report(VmId id, TaskName name, long offset) throws VmException {
        throw absent(id);
    }

    @Override
    public void refresh(VmId id, GuestVariables variables) throws VmException {
        throw absent(id);
    }

    @Override
    public void close() {}

    private static VmException absent(VmId id) {
        return new VmException(Reason.NOT_FOUND, "there is no VM " + id);
    }
}
