package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.Body;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.GuestProfile;
import dev.sallyport.sandboxd.vm.GuestShell;
import dev.sallyport.sandboxd.vm.HostKeyPair;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.VmRecord;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A VM as a container. */
final class Container implements Body {

    private static final Logger LOG = LoggerFactory.getLogger(Container.class);

    /** An archive has names and blocks of its own. */
    private static final long SLACK = 64L << 20;

    private final VmId id;
    private final ContainerFiles files;
    private final Machine machine;
    private final Tools tools;

    /** What runs and describes containers. */
    record Tools(OciRuntime runtime, Bundle bundle, SshServers sshServers, FormattedDisks disks) {}

    Container(VmId id, ContainerFiles files, Machine machine, Tools tools) {
        this.id = id;
        this.files = files;
        this.machine = machine;
        this.tools = tools;
    }

    @Override
    public void make(VmRecord vm, HostKeyPair key, List<Path> layers, @Nullable Path memory)
            throws IOException, CommandException, InterruptedException {
        fileSystem().makeDisk(vm.spec().limits().diskBytes());
    }

    @Override
    public HostProcess start(VmRecord vm, HostKeyPair key, List<Path> layers)
            throws IOException, CommandException, InterruptedException {
        PrivateFiles.folder(files.run(), machine.settings().ids().base());
        new GuestLayer(files.guestLayer(), machine.settings().ids())
                .write(vm.spec().guest(), key, machine.settings().plan().gate());
        Path image = machine.images().root(vm.digest());
        List<Path> lower = new ArrayList<>(layers);
        lower.add(image);
        fileSystem().mount(lower);
        List<Path> above = new ArrayList<>(layers);
        above.add(fileSystem().written());
        Bundle.Place place = new Bundle.Place(
                files.root(),
                machine.networks().attach(vm.address()),
                tools.sshServers().of(image, above));
        PrivateFiles.writeUntilBoot(files.config(), tools.bundle().config(id, vm, place));
        return tools.runtime().run(id, files);
    }

    @Override
    public void askForEnd(HostProcess first) throws IOException, CommandException, InterruptedException {
        try {
            tools.runtime().kill(id, "TERM");
        } catch (CommandException e) {
            if (first.isAlive()) {
                throw e;
            }
            LOG.debug("{} has ended by itself", id);
        }
    }

    @Override
    public void kill() throws CommandException, InterruptedException {
        tools.runtime().delete(id);
    }

    @Override
    public void free() throws IOException, CommandException, InterruptedException {
        fileSystem().unmount();
        PrivateFiles.deleteFolder(files.run());
    }

    @Override
    public long largestCapture(VmRecord vm) {
        long disk = vm.spec().limits().diskBytes();
        return disk + disk / 4 + SLACK;
    }

    @Override
    public Duration capture(Target target) throws IOException, CommandException, InterruptedException {
        Cgroups cgroups = machine.cgroups();
        String parent = machine.settings().cgroup();
        try (SharedCopy copy = SharedCopy.prepare(files, machine.settings().ids())) {
            boolean copied;
            long begin = System.nanoTime();
            try {
                cgroups.freeze(parent, id);
                copied = copy.take();
                if (!copied) {
                    archive(fileSystem().written(), target);
                }
            } finally {
                cgroups.thaw(parent, id);
            }
            Duration stoodStill = Duration.ofNanos(System.nanoTime() - begin);
            if (copied) {
                LOG.info("{} goes on while a copy of its disk is read that shares its blocks", id);
                archive(copy.mount(), target);
            }
            return stoodStill;
        }
    }

    private static void archive(Path written, Target target) throws CommandException, InterruptedException {
        Archives.write(written, GuestFiles.PATHS, target.disk(), target.most());
    }

    @Override
    public void setProfile(HostProcess first, GuestFiles.GuestFile profile)
            throws IOException, WireException, CommandException, InterruptedException {
        GuestProfile.replace(shell(first), profile.text(), false);
    }

    @Override
    public GuestShell shell(HostProcess first) {
        return (script, arguments, input, most) -> run(first, script, arguments, input, most);
    }

    private byte[] run(HostProcess first, String script, List<String> arguments, Command.Input input, int most)
            throws IOException, WireException, CommandException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("/bin/sh", "-c", script, "sallyport-task"));
        all.addAll(arguments);
        PrivateFiles.writeUntilBoot(files.process(), Bundle.task(all));
        return tools.runtime().exec(id, files, first).reading(input).runAlone(files.run(), most);
    }

    private GuestFileSystem fileSystem() {
        return new GuestFileSystem(files, machine.settings().ids(), tools.disks());
    }
}
