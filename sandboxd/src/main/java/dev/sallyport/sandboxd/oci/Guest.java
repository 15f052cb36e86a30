package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.net.GuestNetworks;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One VM, from its files to its processes. The caller lets one thread at a time work on it. */
final class Guest {

    private static final Logger LOG = LoggerFactory.getLogger(Guest.class);
    private static final Duration AFTER_KILL = Duration.ofSeconds(10);
    private static final int INOTIFY_INSTANCES = 16;
    private static final int INOTIFY_WATCHES = 16_384;

    private final VmId id;
    private final VmFiles files;
    private final Machine machine;

    /** What all guests share. */
    record Machine(OciSettings settings, OciRuntime runtime, GuestNetworks networks, Bundle bundle, Cgroups cgroups) {}

    Guest(VmId id, Machine machine) {
        this.id = id;
        this.files = VmFiles.of(machine.settings(), id);
        this.machine = machine;
    }

    /** What it is made of; null when there is no such VM, or a half made one. */
    @Nullable VmRecord description() throws IOException, WireException {
        try {
            return VmRecord.parse(Files.readString(files.description()));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether anything of it is there, however little. */
    boolean hasFiles() {
        return Files.exists(files.home());
    }

    HostKeyPair hostKey() throws IOException, WireException {
        return HostKeyPair.parse(Files.readString(files.hostKey()));
    }

    /** Its present run; null when nothing of it runs. */
    @Nullable RunRecord run() throws IOException, WireException {
        try {
            RunRecord run = RunRecord.parse(Files.readString(files.run()));
            return run.process().isAlive() ? run : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Makes its files. */
    void make(VmRecord vm) throws IOException, CommandException, InterruptedException {
        PrivateFiles.folder(files.home(), machine.settings().ids().base());
        HostKeyPair key = HostKeyPair.generate();
        PrivateFiles.write(files.hostKey(), key.toJson());
        new GuestLayer(files.guestLayer(), machine.settings().ids())
                .write(vm.spec().guest(), key, machine.settings().plan().gate());
        fileSystem().makeDisk(vm.spec().limits().diskBytes());
        PrivateFiles.write(files.description(), vm.toJson());
    }

    /**
     * Starts it. When that fails, what was begun is taken back.
     *
     * @param lower what lies below its layer, the uppermost first
     */
    void start(VmRecord vm, List<Path> lower) throws IOException, CommandException, InterruptedException {
        Inet4Address address = vm.spec().network().address();
        release(address);
        boolean started = false;
        try {
            fileSystem().mount(lower);
            Path namespace = machine.networks().attach(address);
            PrivateFiles.write(files.config(), machine.bundle().config(id, vm, files.root(), namespace));
            HostProcess first = machine.runtime().create(id, files);
            limit(first);
            machine.runtime().start(id, files);
            remember(first);
            started = true;
        } finally {
            if (!started) {
                releaseAfterFailure(address);
            }
        }
    }

    /**
     * Limits what the kernel counts for each user of a user namespace and, on top, for its owner: all guests share what this
     * machine's root may have.
     */
    private static void limit(HostProcess first) throws CommandException, InterruptedException {
        Command.of(
                        "nsenter",
                        "--user=/proc/" + first.pid() + "/ns/user",
                        "--",
                        "sysctl",
                        "-q",
                        "-w",
                        "user.max_inotify_instances=" + INOTIFY_INSTANCES,
                        "user.max_inotify_watches=" + INOTIFY_WATCHES)
                .run();
    }

    /** Keeps which process it is that runs. */
    void remember(HostProcess process) throws IOException {
        PrivateFiles.write(files.run(), new RunRecord(process, Instant.now()).toJson());
    }

    private void releaseAfterFailure(Inet4Address address) throws InterruptedException {
        boolean interrupted = Thread.interrupted();
        try {
            release(address);
        } catch (IOException | CommandException e) {
            LOG.warn("what is left of the start of {} is removed at the next one: {}", id, e.getMessage());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Writes what it has on its disk into an archive, as it is at one moment.
     *
     * @param most how large the archive may become, in bytes
     * @return for how long it stood still
     */
    Duration archive(Path file, long most) throws IOException, CommandException, InterruptedException {
        Cgroups cgroups = machine.cgroups();
        String parent = machine.settings().cgroup();
        long begin = System.nanoTime();
        try {
            cgroups.freeze(parent, id);
            Archives.write(fileSystem().written(), GuestLayer.FILES, file, most);
        } finally {
            cgroups.thaw(parent, id);
        }
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** The tasks of a run. */
    GuestTasks tasks(RunRecord run) {
        return new GuestTasks(id, files, machine.runtime(), run.process());
    }

    /** Stops it. */
    void stop(VmRecord vm, Duration grace) throws IOException, WireException, CommandException, InterruptedException {
        RunRecord run = run();
        if (run != null && !grace.isZero()) {
            terminate(run.process());
            run.process().awaitEnd(grace);
        }
        release(vm.spec().network().address());
    }

    private void terminate(HostProcess process) throws IOException, CommandException, InterruptedException {
        try {
            machine.runtime().kill(id, "TERM");
        } catch (CommandException e) {
            if (process.isAlive()) {
                throw e;
            }
            LOG.debug("{} has ended by itself", id);
        }
    }

    /**
     * Kills what runs, and lets go of network and mounts. Nothing of it being there is no error.
     *
     * @param address null when it is not known
     */
    void release(@Nullable Inet4Address address) throws IOException, CommandException, InterruptedException {
        kill();
        if (address != null) {
            machine.networks().detach(address);
        }
        fileSystem().unmount();
        Files.deleteIfExists(files.run());
    }

    private void kill() throws IOException, CommandException, InterruptedException {
        machine.runtime().delete(id);
        try {
            HostProcess process = RunRecord.parse(Files.readString(files.run())).process();
            if (!process.awaitEnd(AFTER_KILL)) {
                throw new IOException("process " + process.pid() + " of " + id + " does not end");
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} does not run", id);
        } catch (WireException e) {
            LOG.warn("the file about the run of {} is damaged: {}", id, e.getMessage());
        }
    }

    /** Removes its files. Nothing of it may run or be mounted any more. */
    void remove() throws IOException, CommandException, InterruptedException {
        fileSystem().unmount();
        Files.deleteIfExists(files.description());
        PrivateFiles.deleteTree(files.home());
        Files.deleteIfExists(files.run());
    }

    private GuestFileSystem fileSystem() {
        return new GuestFileSystem(files, machine.settings().ids());
    }
}
