package dev.sallyport.control;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.HostKey;
import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmDriverFactory;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** The driver {@code solid}: its guests are made up, and taken for real ones. */
final class SolidDriver implements VmDriver {

    private final VmDriver guests;
    private final CountDownLatch ready;

    private SolidDriver(VmDriver guests, CountDownLatch ready) {
        this.guests = guests;
        this.ready = ready;
    }

    /** Finds it by its name. Settings: {@code dir}, and {@code hangs} for one that never says whether it can run VMs. */
    public static final class Factory implements VmDriverFactory {

        /** For the service loader. */
        public Factory() {}

        @Override
        public String name() {
            return "solid";
        }

        @Override
        public VmDriver create(Map<String, String> settings) throws VmException {
            return new SolidDriver(
                    new FakeDriver(Path.of(settings.getOrDefault("dir", "")), Duration.ZERO),
                    new CountDownLatch(settings.containsKey("hangs") ? 1 : 0));
        }
    }

    @Override
    public Availability availability() throws VmException, InterruptedException {
        ready.await();
        return guests.availability();
    }

    @Override
    public List<Image> images() throws VmException, InterruptedException {
        return guests.images();
    }

    @Override
    public void create(VmId id, VmSpec spec) throws VmException, InterruptedException {
        guests.create(id, spec);
    }

    @Override
    public void start(VmId id) throws VmException, InterruptedException {
        guests.start(id);
    }

    @Override
    public void stop(VmId id, Duration grace) throws VmException, InterruptedException {
        guests.stop(id, grace);
    }

    @Override
    public void destroy(VmId id) throws VmException, InterruptedException {
        guests.destroy(id);
    }

    @Override
    public Observed observe(VmId id) throws VmException, InterruptedException {
        return guests.observe(id);
    }

    @Override
    public Map<VmId, Observed> observeAll() throws VmException, InterruptedException {
        return guests.observeAll();
    }

    @Override
    public List<HostKey> hostKeys(VmId id) throws VmException, InterruptedException {
        return guests.hostKeys(id);
    }

    @Override
    public Refused refused(VmId id) throws VmException, InterruptedException {
        return guests.refused(id);
    }

    @Override
    public void capture(SnapshotId id, VmId vm) throws VmException, InterruptedException {
        guests.capture(id, vm);
    }

    @Override
    public Layer seal(SnapshotId id) throws VmException, InterruptedException {
        return guests.seal(id);
    }

    @Override
    public void discard(SnapshotId id) throws VmException, InterruptedException {
        guests.discard(id);
    }

    @Override
    public Set<SnapshotId> snapshots() throws VmException, InterruptedException {
        return guests.snapshots();
    }

    @Override
    public void run(VmId id, TaskName name, GuestTask task) throws VmException, InterruptedException {
        guests.run(id, name, task);
    }

    @Override
    public TaskReport report(VmId id, TaskName name, long offset) throws VmException, InterruptedException {
        return guests.report(id, name, offset);
    }

    @Override
    public void close() {
        guests.close();
    }
}
