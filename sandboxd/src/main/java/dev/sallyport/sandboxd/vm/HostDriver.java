package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.HostKey;
import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.net.GuestNetworks;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs VMs, of one kind. Files say what there is, the kernel says what runs, so that a process that takes over from one that
 * died needs nothing else; {@link #open} brings both together.
 */
public final class HostDriver implements VmDriver {

    private static final Logger LOG = LoggerFactory.getLogger(HostDriver.class);

    private final Kind kind;
    private final Machine machine;
    private final Platform platform;
    private final ProcessLocks single;
    private final Leases leases;
    private final KeyLocks<VmId> locks = new KeyLocks<>();
    private final SnapshotStore snapshots;
    private final StartQueue starts = new StartQueue();

    HostDriver(Kind kind, Machine machine, Platform platform, ProcessLocks single, Leases leases) {
        this.kind = kind;
        this.machine = machine;
        this.platform = platform;
        this.single = single;
        this.leases = leases;
        this.snapshots = new SnapshotStore(machine.settings(), platform.layers());
    }

    SnapshotStore snapshotStore() {
        return snapshots;
    }

    /**
     * Takes over what there is: guests that run are found, remains are removed.
     *
     * @throws VmException {@code UNAVAILABLE} where a requirement is not met, or another process runs VMs on this machine
     */
    public static VmDriver open(Kind kind, HostSettings settings) throws VmException, InterruptedException {
        try {
            return Startup.open(kind, settings);
        } catch (IOException | CommandException e) {
            throw new VmException(Reason.UNAVAILABLE, "driver " + kind.name() + ": " + e.getMessage(), e);
        }
    }

    /** The name of the kind whose VMs and snapshots are in the folder of these settings; empty where there are none. */
    public static Optional<String> kindOf(HostSettings settings) throws IOException {
        return Startup.kindOf(settings);
    }

    /** Remembers whose an address is; for the start. */
    void lease(Inet4Address address, VmId id) {
        leases.remember(address, id);
    }

    @Override
    public Availability availability() throws VmException, InterruptedException {
        try {
            Availability found = kind.check(machine.settings(), machine.cgroups());
            if (found instanceof Availability.Available available) {
                List<String> details = new ArrayList<>(available.details());
                details.add("driver: " + kind.name());
                details.addAll(Room.facts(machine.settings().dir()));
                return new Availability.Available(details);
            }
            return found;
        } catch (IOException e) {
            throw failed("the machine cannot be looked at", e);
        }
    }

    @Override
    public List<Image> images() throws VmException {
        try {
            return machine.images().list();
        } catch (IOException e) {
            throw failed("the images cannot be read", e);
        }
    }

    private interface Work<T> {
        T on(Guest guest) throws VmException, IOException, WireException, CommandException, InterruptedException;
    }

    /** Works on one VM, alone. */
    private <T> T with(VmId id, Work<T> work) throws VmException, InterruptedException {
        try (KeyLocks.Held alone = locks.lock(id)) {
            return work.on(guest(id));
        } catch (CommandException | IOException | WireException e) {
            throw failed(id.value(), e);
        }
    }

    @Override
    public void create(VmId id, VmSpec spec) throws VmException, InterruptedException {
        with(id, guest -> {
            VmRecord present = guest.description();
            if (present == null) {
                create(guest, id, spec);
            } else if (!present.spec().equals(spec)) {
                throw new VmException(Reason.CONFLICT, "VM " + id + " exists and is made of something else");
            }
            return id;
        });
    }

    private void create(Guest guest, VmId id, VmSpec spec)
            throws VmException, IOException, WireException, CommandException, InterruptedException {
        Inet4Address address = spec.network().address();
        if (!machine.settings().plan().isForGuests(address)) {
            throw new VmException(Reason.INVALID, address.getHostAddress() + " is no address for guests of the subnet");
        }
        if (spec.limits().memoryBytes() < platform.leastMemory()) {
            throw new VmException(
                    Reason.INVALID,
                    "a VM of driver " + kind.name() + " does not boot with "
                            + spec.limits().memoryBytes() + " bytes of memory (expected: " + platform.leastMemory()
                            + " at least)");
        }
        leases.take(address, id);
        boolean made = false;
        try {
            switch (spec.origin()) {
                case Origin.OfImage(ImageName name) -> {
                    try (ImageStore.Hold hold = machine.images().hold()) {
                        make(guest, new VmRecord(spec, find(name).digest(), List.of()), null);
                    }
                }
                case Origin.OfSnapshot(SnapshotId snapshot) -> {
                    try (SnapshotStore.Opened opened = snapshots.open(snapshot);
                            ImageStore.Hold hold = machine.images().hold()) {
                        SnapshotRecord named = opened.record();
                        snapshots.recheck(snapshot, named); // it keeps the image until this VM does
                        make(guest, new VmRecord(spec, named.image(), named.layers()), snapshots.memory(snapshot));
                    }
                }
            }
            made = true;
        } finally {
            if (!made) {
                undo(guest, id);
            }
        }
    }

    private void make(Guest guest, VmRecord vm, @Nullable Path memory)
            throws IOException, WireException, CommandException, InterruptedException {
        guest.remove(); // what an attempt that was killed has left
        guest.make(vm, layers(vm), memory);
    }

    private Image find(ImageName name) throws IOException, VmException {
        Image image = machine.images().find(name);
        if (image == null) {
            throw new VmException(
                    Reason.IMAGE_NOT_FOUND, "there is no image " + name + " (sallyport sandbox image build makes one)");
        }
        return image;
    }

    /** What snapshots added to a VM's image, the uppermost first. */
    private List<Path> layers(VmRecord vm) {
        return vm.layers().stream().map(snapshots.layers()::root).toList();
    }

    private Guest guest(VmId id) {
        return new Guest(id, machine, platform);
    }

    private void undo(Guest guest, VmId id) throws InterruptedException {
        boolean interrupted = Thread.interrupted();
        try {
            guest.remove();
        } catch (IOException | CommandException e) {
            LOG.warn("remains of {} are removed at the next start: {}", id, e.getMessage());
        } finally {
            leases.release(id);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void start(VmId id) throws VmException, InterruptedException {
        with(id, guest -> {
            VmRecord vm = require(id, guest.description());
            if (guest.run() == null) {
                guest.start(vm, layers(vm), starts);
            }
            return id;
        });
    }

    @Override
    public void stop(VmId id, Duration grace) throws VmException, InterruptedException {
        with(id, guest -> {
            guest.stop(require(id, guest.description()), grace);
            return id;
        });
    }

    @Override
    public void destroy(VmId id) throws VmException, InterruptedException {
        with(id, guest -> {
            if (guest.hasFiles()) {
                guest.release(leases.of(id));
            }
            guest.remove();
            leases.release(id);
            return id;
        });
        snapshots.collect(false);
    }

    @Override
    public void capture(SnapshotId id, VmId vm) throws VmException, InterruptedException {
        snapshots.with(id, () -> {
            if (!snapshots.isOf(id, vm)) {
                take(id, vm);
            }
            return id;
        });
    }

    /** The VM is locked as long as it stands still; it may be gone before the snapshot names what both are made of. */
    private void take(SnapshotId id, VmId vm) throws VmException, IOException, CommandException, InterruptedException {
        try (ImageStore.Hold hold = machine.images().hold();
                SnapshotStore.Copy copy = with(vm, guest -> copy(id, vm, guest))) {
            snapshots.keep(id, vm, copy);
        }
    }

    private SnapshotStore.Copy copy(SnapshotId id, VmId vm, Guest guest)
            throws VmException, IOException, WireException, CommandException, InterruptedException {
        VmRecord source = require(vm, guest.description());
        requireRunning(vm, guest);
        return snapshots.copy(id, vm, source, guest);
    }

    @Override
    public Layer seal(SnapshotId id) throws VmException, InterruptedException {
        return snapshots.with(id, () -> snapshots.seal(id));
    }

    @Override
    public void discard(SnapshotId id) throws VmException, InterruptedException {
        snapshots.with(id, () -> {
            snapshots.discard(id);
            return id;
        });
        snapshots.collect(false);
    }

    @Override
    public Set<SnapshotId> snapshots() throws VmException {
        try {
            return snapshots.ids();
        } catch (IOException e) {
            throw failed("the snapshots cannot be read", e);
        }
    }

    @Override
    public Observed observe(VmId id) throws VmException {
        try {
            return guest(id).observe();
        } catch (IOException e) {
            throw failed(id.value(), e);
        }
    }

    @Override
    public Map<VmId, Observed> observeAll() throws VmException, InterruptedException {
        try {
            Map<VmId, Observed> all = new TreeMap<>();
            for (VmId id : Startup.ids(machine.settings().vms())) {
                Observed observed = guest(id).observeAtAnyRate();
                if (!(observed instanceof Observed.Absent)) {
                    all.put(id, observed);
                }
            }
            return all;
        } catch (IOException e) {
            throw failed("the VMs cannot be read", e);
        }
    }

    @Override
    public List<HostKey> hostKeys(VmId id) throws VmException, InterruptedException {
        return with(id, guest -> {
            require(id, guest.description());
            return List.of(guest.hostKey().publicKey());
        });
    }

    @Override
    public Refused refused(VmId id) throws VmException, InterruptedException {
        return with(
                id,
                guest -> machine.networks()
                        .refused(require(id, guest.description()).address()));
    }

    @Override
    public void run(VmId id, TaskName name, GuestTask task) throws VmException, InterruptedException {
        with(id, guest -> {
            guest.tasks(requireRunning(id, guest)).start(name, task);
            return id;
        });
    }

    @Override
    public TaskReport report(VmId id, TaskName name, long offset) throws VmException, InterruptedException {
        return with(id, guest -> guest.tasks(requireRunning(id, guest)).report(name, offset));
    }

    @Override
    public void refresh(VmId id, GuestVariables variables) throws VmException, InterruptedException {
        with(id, guest -> {
            guest.setVariables(requireRunning(id, guest), variables);
            return id;
        });
    }

    private static RunRecord requireRunning(VmId id, Guest guest) throws VmException, IOException, WireException {
        require(id, guest.description());
        RunRecord run = guest.run();
        if (run == null) {
            throw new VmException(Reason.CONFLICT, "VM " + id + " does not run");
        }
        return run;
    }

    /** Lets go of what no guest needs: with no guest, of rules and control groups, too. */
    @Override
    public void close() {
        try (ProcessLocks held = single;
                SnapshotStore store = snapshots) {
            GuestNetworks networks = machine.networks();
            networks.close();
            boolean idle = observeAll().values().stream().noneMatch(Observed.Running.class::isInstance);
            if (idle) {
                platform.removeOthers(Set.of());
            }
        } catch (IOException | CommandException | VmException e) {
            LOG.warn("the driver has left something behind, which the next one removes: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static VmRecord require(VmId id, @Nullable VmRecord vm) throws VmException {
        if (vm == null) {
            throw new VmException(Reason.NOT_FOUND, "there is no VM " + id);
        }
        return vm;
    }

    private static VmException failed(String what, Exception cause) {
        return new VmException(Reasons.of(cause), what + ": " + cause.getMessage(), cause);
    }
}
