package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.net.GuestNetworks;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings together what the files say and what the kernel has. A guest that runs and whose files are whole goes on; anything
 * else is removed: containers, half made VMs, mounts, cables, namespaces, rules, control groups. What cannot be removed is
 * logged and stays; it holds up nobody else.
 */
final class Startup {

    private static final Logger LOG = LoggerFactory.getLogger(Startup.class);

    /** Addresses, rules and namespaces have the same names whatever the folders are. */
    private static final Path HOST_LOCK = Path.of("/run/sallyport-sandboxd.lock");

    /** The kind of folders that say none: there was no other one. */
    private static final String FIRST_KIND = "oci";

    private final Machine machine;
    private final Platform platform;
    private final Map<VmId, Inet4Address> running = new TreeMap<>();
    private final Set<VmId> damaged = new HashSet<>();

    private Startup(Machine machine, Platform platform) {
        this.machine = machine;
        this.platform = platform;
    }

    static VmDriver open(Kind kind, HostSettings settings)
            throws VmException, IOException, CommandException, InterruptedException {
        Cgroups cgroups = Cgroups.probe();
        if (kind.check(settings, cgroups) instanceof Availability.Unavailable unavailable) {
            throw new VmException(
                    Reason.UNAVAILABLE, "driver " + kind.name() + ": " + String.join("; ", unavailable.problems()));
        }
        ProcessLocks single = new ProcessLocks();
        boolean opened = false;
        try {
            take(single, HOST_LOCK);
            for (Path folder : List.of(
                    settings.dir(),
                    settings.vms(),
                    settings.snapshots(),
                    settings.layers(),
                    settings.runDir(),
                    settings.runDir().resolve("vms"))) {
                PrivateFiles.folder(folder, settings.ids().base());
            }
            take(single, settings.dir().resolve("lock"));
            take(single, settings.runDir().resolve("lock"));
            PrivateFiles.removeUnfinished(settings.runDir().resolve("vms"));
            claim(settings, kind);
            Leases leases = new Leases();
            Machine machine = new Machine(
                    settings,
                    cgroups,
                    new ImageStore(settings.images(), settings.ids()),
                    new GuestNetworks(settings.plan(), leases::nameOf),
                    new GuestTrust(settings.authority(), settings.runDir().resolve("trust")));
            Platform platform = kind.open(machine);
            HostDriver driver = new HostDriver(kind, machine, platform, single, leases);
            new Startup(machine, platform).reconcile(driver);
            opened = true;
            return driver;
        } finally {
            if (!opened) {
                single.close();
            }
        }
    }

    private static void take(ProcessLocks locks, Path file) throws IOException, VmException {
        if (!locks.take(file)) {
            throw new VmException(
                    Reason.UNAVAILABLE,
                    "another process has locked " + file + " (expected: one sandboxd on a machine)");
        }
    }

    /** What one kind has made is of no use to another one. */
    private static void claim(HostSettings settings, Kind kind) throws IOException, VmException {
        String present = kindOf(settings).orElse(kind.name());
        if (!present.equals(kind.name())) {
            throw new VmException(
                    Reason.UNAVAILABLE,
                    "driver " + kind.name() + ": " + settings.dir() + " has VMs or snapshots of driver " + present
                            + " (expected: that driver, another dir, or none of them)");
        }
        PrivateFiles.write(kindFile(settings), kind.name() + "\n");
    }

    private static Path kindFile(HostSettings settings) {
        return settings.dir().resolve("driver");
    }

    static Optional<String> kindOf(HostSettings settings) throws IOException {
        boolean empty =
                (!Files.isDirectory(settings.vms()) || ids(settings.vms()).isEmpty())
                        && (!Files.isDirectory(settings.snapshots())
                                || SnapshotFiles.ids(settings.snapshots()).isEmpty());
        if (empty) {
            return Optional.empty();
        }
        Path file = kindFile(settings);
        return Optional.of(Files.exists(file) ? Files.readString(file).strip() : FIRST_KIND);
    }

    /** The VMs that have files. */
    static List<VmId> ids(Path vms) throws IOException {
        List<VmId> ids = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(vms)) {
            for (Path folder : folders) {
                String name = folder.getFileName().toString();
                if (VmId.isValid(name)) {
                    ids.add(new VmId(name));
                }
            }
        }
        return ids;
    }

    private void reconcile(HostDriver driver) throws IOException, CommandException, InterruptedException {
        attempt("letting guests go on", platform::resume);
        Map<VmId, Long> processes = platform.running();
        List<VmId> ids = ids(machine.settings().vms());
        for (VmId id : ids) {
            attempt("taking over " + id, () -> takeOver(id, driver, processes.getOrDefault(id, 0L)));
        }
        attempt("ending what belongs to no VM that runs", () -> platform.removeOthers(running.keySet()));
        machine.networks().reset(running.values());
        for (VmId id : ids) {
            attempt("tidying up " + id, () -> tidy(id));
        }
        driver.snapshotStore().collect(true);
        LOG.info("{} guests run", running.size());
    }

    private interface Step {
        void run() throws IOException, CommandException, WireException, InterruptedException;
    }

    private static void attempt(String what, Step step) throws InterruptedException {
        try {
            step.run();
        } catch (IOException | CommandException | WireException e) {
            LOG.warn("{} failed; going on without: {}", what, e.toString());
        }
    }

    private void takeOver(VmId id, HostDriver driver, long pid) throws IOException, WireException {
        Guest guest = new Guest(id, machine, platform);
        VmRecord vm = description(id, guest);
        if (vm != null) {
            driver.lease(vm.address(), id);
            if (isRunning(guest, pid)) {
                running.put(id, vm.address());
            }
        }
    }

    /** A process that was killed between the start of a guest and the note about it has left only the platform's word. */
    private static boolean isRunning(Guest guest, long pid) throws IOException, WireException {
        if (pid == 0) {
            return false;
        }
        if (guest.run() == null) {
            guest.remember(HostProcess.of(pid));
        }
        return guest.run() != null;
    }

    private void tidy(VmId id) throws IOException, CommandException, InterruptedException {
        if (running.containsKey(id)) {
            return;
        }
        Guest guest = new Guest(id, machine, platform);
        VmRecord vm = description(id, guest);
        if (vm == null && !damaged.contains(id)) {
            LOG.info("removing {}, which is half made", id);
            guest.remove();
        } else {
            guest.release(vm == null ? null : vm.address());
        }
    }

    /** Null for a VM that is half made, and for one whose files are damaged: that is for the control plane to destroy. */
    private @Nullable VmRecord description(VmId id, Guest guest) throws IOException {
        try {
            return guest.description();
        } catch (WireException e) {
            LOG.warn("the files of {} are damaged: {}", id, e.getMessage());
            damaged.add(id);
            return null;
        }
    }
}
