package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps VMs in memory or in a folder, and runs nothing but a listener in the place of each sshd, which sends a banner and
 * then echoes. Has the image {@code debian-12}. Tests make it fail with {@link #failNext} and let guests end by themselves
 * with {@link #end}. Safe for use by many threads.
 *
 * <p>VMs in a folder and their tasks outlive the process: the next driver of that folder finds those that ran still running.
 */
public final class FakeDriver implements VmDriver {

    private static final HostKey HOST_KEY =
            new HostKey("ssh-ed25519", "AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");

    private static final int LARGEST_PART = 4096;

    private final FakeVms vms;
    private final FakeServers servers = new FakeServers();
    private final FakeFaults faults = new FakeFaults();
    private final FakeTasks tasks;
    private final FakeHold hold;
    private final FakeSnapshots snapshots;

    /** What can be made to fail. */
    public enum Step {
        /** {@link FakeDriver#create}. */
        CREATE,
        /** {@link FakeDriver#start}. */
        START,
        /** {@link FakeDriver#stop}. */
        STOP,
        /** {@link FakeDriver#destroy}. */
        DESTROY,
        /** {@link FakeDriver#observeAll}. */
        OBSERVE_ALL,
        /** {@link FakeDriver#capture}. */
        CAPTURE,
        /** {@link FakeDriver#seal}. */
        SEAL,
        /** {@link FakeDriver#discard}. */
        DISCARD,
        /** {@link FakeDriver#run}. */
        RUN,
        /** {@link FakeDriver#report}. */
        REPORT,
        /** {@link FakeDriver#refresh}. */
        REFRESH
    }

    /** Without any VM; keeps them in memory. */
    public FakeDriver() {
        hold = new FakeHold(Duration.ZERO);
        vms = FakeVms.inMemory();
        tasks = FakeTasks.inMemory();
        snapshots = new FakeSnapshots();
    }

    /**
     * With the VMs of a folder, which is made if it is not there.
     *
     * @param pause how long each change of a VM takes
     * @throws VmException {@code UNAVAILABLE} when the folder cannot be used
     */
    public FakeDriver(@Nullable Path dir, Duration pause) throws VmException {
        hold = new FakeHold(pause);
        try {
            FakeFolder folder = dir == null ? null : new FakeFolder(dir);
            snapshots = new FakeSnapshots(folder);
            vms = new FakeVms(folder);
            tasks = new FakeTasks(folder);
            for (Map.Entry<VmId, FakeVm> kept : vms.all().entrySet()) {
                if (kept.getValue().state() instanceof Observed.Running) {
                    vms.see(kept.getKey(), kept.getValue().as(servers.boot(kept.getKey())));
                }
            }
        } catch (IOException e) {
            throw new VmException(Reason.UNAVAILABLE, "driver fake: " + dir + ": " + e.getMessage(), e);
        }
    }

    /** Makes the next call of a method fail; what it was to do is not done. */
    public void failNext(Step step, VmException failure) {
        faults.failNext(step, failure);
    }

    /** Makes each call of a method fail, until it is called with null. */
    public void failAlways(Step step, @Nullable VmException failure) {
        faults.failAlways(step, failure);
    }

    /** Lets changes of these VMs, and questions for what was refused of them, wait from now on; null lets all go on. */
    public void hold(@Nullable Predicate<VmId> which) {
        hold.hold(which);
    }

    /** Lets the guest of this VM end as soon as it is started, from now on. */
    public void endAtOnce(VmId id) {
        servers.endAtOnce(id);
    }

    /** Lets a guest end by itself. */
    public synchronized void end(VmId id) throws VmException {
        keep(id, require(id).as(new Observed.Stopped()));
    }

    /** Lets what is left of a VM be damaged. */
    public synchronized void damage(VmId id, String reason) {
        FakeVm vm = vms.get(id);
        if (vm == null) {
            throw new IllegalArgumentException("there is no VM " + id);
        }
        FakeFaults.told(() -> keep(id, vm.as(new Observed.Failed(reason))));
    }

    /** Takes a VM away, as somebody does who removes it behind the back of the control plane. */
    public synchronized void lose(VmId id) throws VmException {
        forget(id);
    }

    /** Lets the sshd of a guest accept connections and say nothing, from now on. */
    public void silence(VmId id) {
        servers.silence(id);
    }

    /** How often a guest that did not run was started. */
    public synchronized int starts(VmId id) {
        return servers.starts(id);
    }

    /** What a VM was made of; empty when there is none. */
    public synchronized Optional<VmSpec> spec(VmId id) {
        return Optional.ofNullable(vms.get(id)).map(FakeVm::spec);
    }

    /** What a VM has in its environment; empty when there is none. */
    public synchronized Optional<GuestVariables> variables(VmId id) {
        return Optional.ofNullable(vms.get(id)).map(FakeVm::variables);
    }

    /** How often a guest was given variables. */
    public synchronized int refreshes(VmId id) {
        return vms.refreshes(id);
    }

    /** Decides what becomes of tasks that are started from now on; each ends at once with 0 unless this is called. */
    public synchronized void programs(BiFunction<TaskName, GuestTask, FakeProgram> programs) {
        tasks.programs(programs);
    }

    /** A task that was started since its VM was. */
    public synchronized Optional<GuestTask> task(VmId id, TaskName task) {
        return tasks.find(id, task);
    }

    /** Lets a task write. */
    public synchronized void write(VmId id, TaskName task, String text) {
        FakeFaults.told(() -> tasks.write(id, task, text));
    }

    /** Lets a task end. */
    public synchronized void endTask(VmId id, TaskName task, int code) {
        FakeFaults.told(() -> tasks.end(id, task, code));
    }

    /** Lets this be what the network has refused of a VM that runs, until it ends. */
    public synchronized void refuse(VmId id, Refused count) {
        servers.refuse(id, count);
    }

    /** Makes all VMs unavailable for this reason, until it is called with null. */
    public void miss(@Nullable String reason) {
        faults.miss(reason);
    }

    /** Lets the disk of the guests be full, or not. */
    public void fill(boolean full) {
        faults.fill(full);
    }

    @Override
    public Availability availability() {
        return faults.availability();
    }

    @Override
    public List<Image> images() {
        return FakeImages.all();
    }

    @Override
    public void create(VmId id, VmSpec spec) throws VmException, InterruptedException {
        hold.takeTime(id);
        synchronized (this) {
            faults.failIfTold(Step.CREATE);
            if (vms.isThere(id, spec)) {
                return;
            }
            switch (spec.origin()) {
                case Origin.OfImage image -> FakeImages.require(image.name());
                case Origin.OfSnapshot snapshot -> snapshots.requireSealed(snapshot.id());
            }
            vms.make(id, spec);
        }
    }

    @Override
    public void start(VmId id) throws VmException, InterruptedException {
        hold.takeTime(id);
        synchronized (this) {
            faults.failIfTold(Step.START);
            FakeVm vm = require(id);
            switch (vm.state()) {
                case Observed.Running running -> vms.see(id, vm.as(running));
                case Observed.Stopped stopped -> start(id, vm);
                case Observed.Failed failed ->
                    throw new VmException(Reason.FAILED, "VM " + id + ": " + failed.reason());
                case Observed.Absent absent -> throw absent(id);
            }
        }
    }

    private void start(VmId id, FakeVm vm) throws VmException {
        try {
            if (servers.begin(id)) {
                keep(id, vm.as(servers.boot(id)));
            }
        } catch (IOException e) {
            throw new VmException(Reason.FAILED, "VM " + id + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void stop(VmId id, Duration grace) throws VmException, InterruptedException {
        hold.takeTime(id);
        synchronized (this) {
            faults.failIfTold(Step.STOP);
            FakeVm vm = require(id);
            if (vm.state() instanceof Observed.Running) {
                keep(id, vm.as(new Observed.Stopped()));
            }
        }
    }

    @Override
    public void destroy(VmId id) throws VmException, InterruptedException {
        hold.takeTime(id);
        synchronized (this) {
            faults.failIfTold(Step.DESTROY);
            forget(id);
        }
    }

    @Override
    public synchronized Observed observe(VmId id) throws VmException {
        faults.failIfMissing();
        FakeVm vm = vms.get(id);
        return vm == null ? new Observed.Absent() : vm.state();
    }

    @Override
    public synchronized Map<VmId, Observed> observeAll() throws VmException {
        faults.failIfTold(Step.OBSERVE_ALL);
        Map<VmId, Observed> all = new TreeMap<>();
        vms.all().forEach((id, vm) -> all.put(id, vm.state()));
        return all;
    }

    @Override
    public synchronized List<HostKey> hostKeys(VmId id) throws VmException {
        require(id);
        return List.of(HOST_KEY);
    }

    @Override
    public Refused refused(VmId id) throws VmException, InterruptedException {
        hold.awaitTurn(id);
        synchronized (this) {
            require(id);
            return servers.refused(id);
        }
    }

    @Override
    public void capture(SnapshotId id, VmId vm) throws VmException, InterruptedException {
        hold.takeTime(vm);
        synchronized (this) {
            faults.failIfTold(Step.CAPTURE);
            if (!snapshots.isOf(id, vm)) {
                requireRunning(vm);
                snapshots.capture(id, vm);
            }
        }
    }

    @Override
    public Layer seal(SnapshotId id) throws VmException, InterruptedException {
        VmId vm;
        synchronized (this) {
            vm = snapshots.require(id).vm();
        }
        hold.takeTime(vm);
        synchronized (this) {
            faults.failIfTold(Step.SEAL);
            return snapshots.seal(id);
        }
    }

    @Override
    public synchronized void discard(SnapshotId id) throws VmException {
        faults.failIfTold(Step.DISCARD);
        snapshots.discard(id);
    }

    @Override
    public synchronized Set<SnapshotId> snapshots() throws VmException {
        faults.failIfMissing();
        return snapshots.ids();
    }

    @Override
    public void run(VmId id, TaskName name, GuestTask task) throws VmException, InterruptedException {
        hold.takeTime(id);
        synchronized (this) {
            faults.failIfTold(Step.RUN);
            requireRunning(id);
            tasks.run(id, name, task);
        }
    }

    @Override
    public synchronized TaskReport report(VmId id, TaskName name, long offset) throws VmException {
        faults.failIfTold(Step.REPORT);
        requireRunning(id);
        return tasks.report(id, name, offset, LARGEST_PART);
    }

    @Override
    public void refresh(VmId id, GuestVariables variables) throws VmException, InterruptedException {
        hold.takeTime(id);
        synchronized (this) {
            faults.failIfTold(Step.REFRESH);
            vms.refresh(id, requireRunning(id).with(variables));
        }
    }

    private FakeVm requireRunning(VmId id) throws VmException {
        FakeVm vm = require(id);
        if (!(vm.state() instanceof Observed.Running)) {
            throw new VmException(Reason.CONFLICT, "VM " + id + " does not run");
        }
        return vm;
    }

    /** Ends the listeners; VMs in a folder stay as they are there. */
    @Override
    public synchronized void close() {
        servers.endAll();
    }

    private void keep(VmId id, FakeVm vm) throws VmException {
        vms.keep(id, vm);
        if (!(vm.state() instanceof Observed.Running)) {
            servers.end(id);
            tasks.forget(id);
        }
    }

    private void forget(VmId id) throws VmException {
        vms.forget(id);
        servers.forget(id);
        tasks.forget(id);
    }

    private FakeVm require(VmId id) throws VmException {
        faults.failIfMissing();
        FakeVm vm = vms.get(id);
        if (vm == null) {
            throw absent(id);
        }
        return vm;
    }

    private static VmException absent(VmId id) {
        return new VmException(Reason.NOT_FOUND, "there is no VM " + id);
    }
}
