package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.SshEndpoint;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmId;
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
    private static final int SSH = 22;
    private static final Duration AFTER_KILL = Duration.ofSeconds(10);

    private final VmId id;
    private final VmFiles files;
    private final Machine machine;
    private final Body body;

    Guest(VmId id, Machine machine, Platform platform) {
        this.id = id;
        this.files = VmFiles.of(machine.settings(), id);
        this.machine = machine;
        this.body = platform.body(id, files);
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

    /** How it is. Another thread may work on it meanwhile: a file is there as a whole or not at all. */
    Observed observe() throws IOException {
        try {
            VmRecord vm = description();
            if (vm == null) {
                return new Observed.Absent();
            }
            RunRecord run = run();
            return run == null
                    ? new Observed.Stopped()
                    : new Observed.Running(
                            run.since(), new SshEndpoint(vm.address().getHostAddress(), SSH));
        } catch (WireException e) {
            return new Observed.Failed("its files are damaged: " + e.getMessage());
        }
    }

    /** The same, where one VM whose files cannot be read is no reason to see none. */
    Observed observeAtAnyRate() {
        try {
            return observe();
        } catch (IOException e) {
            return new Observed.Failed("its files cannot be read: " + e.getMessage());
        }
    }

    /**
     * Makes its files.
     *
     * @param layers what snapshots added to its image, the uppermost first
     * @param memory of the one that the uppermost layer is of; null for nothing
     */
    void make(VmRecord vm, List<Path> layers, @Nullable Path memory)
            throws IOException, WireException, CommandException, InterruptedException {
        PrivateFiles.folder(files.home(), machine.settings().ids().base());
        HostKeyPair key = HostKeyPair.generate();
        PrivateFiles.write(files.hostKey(), key.toJson());
        body.make(vm, key, layers, memory);
        PrivateFiles.write(files.description(), vm.toJson());
    }

    /** Starts it, when it is its turn; its rules are loaded before. When that fails, what was begun is taken back. */
    void start(VmRecord vm, List<Path> layers, StartQueue turns)
            throws VmException, IOException, WireException, CommandException, InterruptedException {
        machine.trust().renew();
        Inet4Address address = vm.address();
        release(address);
        boolean started = false;
        try {
            machine.networks().admit(address);
            HostKeyPair key = hostKey();
            turns.run(() -> remember(body.start(vm, key, layers)));
            started = true;
        } finally {
            if (!started) {
                releaseAfterFailure(address);
            }
        }
    }

    /** Keeps which process it is that runs. */
    void remember(HostProcess process) throws IOException {
        PrivateFiles.writeUntilBoot(files.run(), new RunRecord(process, Instant.now()).toJson());
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

    /** The most that a copy of its disk may take, in bytes. */
    long largestCapture(VmRecord vm) throws IOException, WireException {
        return body.largestCapture(vm);
    }

    /**
     * Writes what it has, as it is at one moment.
     *
     * @return for how long it stood still
     */
    Duration capture(Body.Target target) throws IOException, WireException, CommandException, InterruptedException {
        return body.capture(target);
    }

    /** The tasks of a run. */
    GuestTasks tasks(RunRecord run) {
        return new GuestTasks(body.shell(run.process()));
    }

    /** Gives a run, and those after it, other variables. */
    void setVariables(RunRecord run, GuestVariables variables)
            throws IOException, WireException, CommandException, InterruptedException {
        body.setProfile(run.process(), GuestFiles.profile(variables.values()));
    }

    /** Stops it. */
    void stop(VmRecord vm, Duration grace) throws IOException, WireException, CommandException, InterruptedException {
        RunRecord run = run();
        if (run != null && !grace.isZero()) {
            body.askForEnd(run.process());
            run.process().awaitEnd(grace);
        }
        release(vm.address());
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
        body.free();
        Files.deleteIfExists(files.run());
    }

    private void kill() throws IOException, CommandException, InterruptedException {
        body.kill();
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
        body.free();
        Files.deleteIfExists(files.description());
        PrivateFiles.deleteFolder(files.home());
        Files.deleteIfExists(files.run());
    }
}
