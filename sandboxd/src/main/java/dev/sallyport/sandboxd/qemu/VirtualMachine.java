package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandboxd.image.BaseDisks;
import dev.sallyport.sandboxd.system.Btrfs;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.system.UnixConnection;
import dev.sallyport.sandboxd.vm.Body;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.GuestProfile;
import dev.sallyport.sandboxd.vm.GuestShell;
import dev.sallyport.sandboxd.vm.HostKeyPair;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.VmRecord;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A VM as a process of QEMU, in a control group of its own, whose disk is an overlay on what it was made from. */
final class VirtualMachine implements Body {

    private static final Logger LOG = LoggerFactory.getLogger(VirtualMachine.class);
    private static final long MIB = 1L << 20;

    /** What QEMU takes besides the guest's memory; TCG has what it translates, too. */
    private static final long OVERHEAD = 256 * MIB;

    /** QEMU has a thread for each processor, and some that read and write. */
    private static final int THREADS = 128;

    private static final long SLACK = 64 * MIB;

    private static final Duration LONGEST_START = Duration.ofSeconds(15);
    private static final Duration LONGEST_LOAD = Duration.ofSeconds(60);
    private static final Duration STEP = Duration.ofMillis(10);

    /**
     * Puts itself into control groups and a folder, and starts a program that stays; what that complains of goes to the end of
     * a file. What it writes beyond its limit fails, and does not end it: the signal that it would get is ignored.
     */
    private static final String JOIN = "while [ \"$1\" != -- ]; do echo $$ > \"$1\" || exit 1; shift; done; shift;"
            + " trap '' XFSZ; cd \"$1\" && shift && exec setsid --fork \"$@\" < /dev/null > /dev/null 2>> \"$0\"";

    private static final String END = "kill -TERM 1";

    private final VmId id;
    private final QemuFiles files;
    private final Machine machine;
    private final Tools tools;

    /** What all virtual machines share. */
    record Tools(KernelStore kernels, BaseDisks disks, Accelerator accelerator) {}

    VirtualMachine(VmId id, QemuFiles files, Machine machine, Tools tools) {
        this.id = id;
        this.files = files;
        this.machine = machine;
        this.tools = tools;
    }

    @Override
    public void make(VmRecord vm, HostKeyPair key, List<Path> layers, @Nullable Path memory)
            throws IOException, WireException, CommandException, InterruptedException {
        PrivateFiles.create(files.told());
        Files.write(files.told(), Told.of(vm, key, machine.settings().plan().gate(), layers.isEmpty()));
        makeDisk(vm, layers);
        if (memory != null && machine.settings().snapshotMemory()) {
            try {
                Files.createLink(files.memory(), memory);
            } catch (NoSuchFileException e) {
                LOG.info("{} will boot, as its snapshot has been discarded", id);
            }
        }
    }

    private void makeDisk(VmRecord vm, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException {
        long room = vm.spec().limits().diskBytes();
        if (layers.isEmpty()) {
            Path image = tools.disks().of(vm.digest(), room);
            overlay(image, "raw", Files.size(image));
        } else {
            Path layer = layers.getFirst();
            overlay(layer, "qcow2", DiskHeader.read(layer).size() + room); // which the guest takes
        }
        PrivateFiles.write(files.made(), DiskHeader.read(files.disk()).toText());
    }

    private void overlay(Path below, String form, long size) throws CommandException, InterruptedException {
        Command.of(
                        "qemu-img",
                        "create",
                        "-q",
                        "-u",
                        "-f",
                        "qcow2",
                        "-o",
                        "nocow=on", // on btrfs; elsewhere it says nothing
                        "-b",
                        files.home().relativize(below).toString(), // a copy of it has the same name
                        "-F",
                        form,
                        files.disk().toString(),
                        Long.toString(size))
                .run();
    }

    private DiskHeader made() throws IOException, WireException {
        return DiskHeader.parse(Files.readString(files.made()));
    }

    /** What its disk lies on, the uppermost first, and the image's last. */
    private List<Path> below(List<Path> layers) throws IOException, WireException {
        List<Path> below = new ArrayList<>(layers);
        Path lowest = layers.isEmpty() ? files.disk() : layers.getLast();
        DiskHeader header = layers.isEmpty() ? made() : DiskHeader.read(lowest);
        below.add(lowest.resolveSibling(header.below()).normalize());
        return below;
    }

    @Override
    public HostProcess start(VmRecord vm, HostKeyPair key, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException {
        made().require(files.disk());
        if (Files.exists(files.memory())) {
            try {
                return goOn(vm, layers);
            } catch (IOException | WireException | CommandException e) {
                LOG.warn("{} boots, as it does not go on from what its parent had in memory: {}", id, e.getMessage());
            } finally {
                Files.deleteIfExists(files.memory()); // its disk is not what it was
            }
            kill();
            machine.networks().detach(vm.address());
            free();
            Files.delete(files.disk());
            makeDisk(vm, layers);
        }
        return boot(vm, layers);
    }

    private HostProcess boot(VmRecord vm, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException {
        KernelStore.Kernel kernel = tools.kernels().current();
        launch(vm, layers, kernel, false);
        try (Qmp qmp = awaitMonitor()) {
            machine.networks().attachTap(vm.address());
            Files.delete(files.initramfs());
            HostProcess process = HostProcess.of(process());
            PrivateFiles.write(files.shape(), shape(vm, kernel, qmp) + "\n");
            qmp.execute("cont");
            return process;
        }
    }

    /**
     * Goes on from what its parent had in memory, and connects it when it has an identity of its own. Until then its tap is
     * in a namespace in which nothing else is, and whoever takes over from this process kills it.
     */
    private HostProcess goOn(VmRecord vm, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException {
        PrivateFiles.folder(files.run(), machine.settings().ids().base());
        PrivateFiles.create(files.renewing());
        KernelStore.Kernel kernel = tools.kernels().current();
        QemuArguments arguments = launch(vm, layers, kernel, true);
        try (Qmp qmp = awaitMonitor()) {
            Files.delete(files.initramfs());
            HostProcess process = HostProcess.of(process());
            String shape = shape(vm, kernel, qmp);
            load(qmp, shape);
            Files.delete(files.memory()); // before anything is written to the disk
            PrivateFiles.write(files.shape(), shape + "\n");
            qmp.execute("block_resize", Lines.object().put("node-name", "disk").put("size", made().size()));
            qmp.execute("cont");
            Renewal.run(new GuestPort(files.port()), arguments.card(), Files.readAllBytes(files.told()));
            machine.networks().attachTap(vm.address());
            Files.delete(files.renewing());
            return process;
        }
    }

    private void load(Qmp qmp, String shape) throws IOException, WireException, InterruptedException {
        String saved = SavedState.head(files.memory()).shape();
        if (!saved.equals(shape)) {
            throw new WireException("it is that of another machine: " + saved + " (expected: " + shape + ")");
        }
        try {
            try (UnixConnection incoming = UnixConnection.open(files.incoming(), LONGEST_LOAD)) {
                SavedState.send(files.memory(), incoming);
            }
            while (qmp.status().equals("inmigrate")) { // until the conversation ends, which it does in time
                Thread.sleep(STEP);
            }
        } catch (IOException e) {
            throw process() == 0 ? new IOException("QEMU does not take it in: " + complaints(), e) : e;
        }
    }

    private String shape(VmRecord vm, KernelStore.Kernel kernel, Qmp qmp)
            throws IOException, WireException, InterruptedException {
        return Shape.of(
                vm.spec().limits(),
                tools.accelerator().kind(),
                qmp.version(),
                tools.kernels().digest(kernel));
    }

    /** Starts QEMU, which waits for its first instruction. */
    private QemuArguments launch(VmRecord vm, List<Path> layers, KernelStore.Kernel kernel, boolean incoming)
            throws IOException, WireException, CommandException, InterruptedException {
        Inet4Address address = vm.address();
        int index = machine.settings().plan().index(address);
        QemuArguments arguments = new QemuArguments(
                id,
                vm.spec().limits(),
                kernel.image(),
                files,
                below(layers),
                machine.networks().cable(address),
                index,
                machine.settings().ids().base()
                        + index % machine.settings().ids().size(),
                tools.accelerator().kind(),
                !Btrfs.has(files.disk()),
                incoming);
        PrivateFiles.folder(files.run(), machine.settings().ids().base());
        PrivateFiles.folder(files.folder(), arguments.user());
        writeInitramfs(kernel);
        Path namespace = machine.networks().admitTap(address);
        List<Path> groups = machine.cgroups()
                .make(machine.settings().cgroup(), id, limits(vm.spec().limits()));
        launch(namespace, groups, arguments.list());
        return arguments;
    }

    private long process() throws IOException {
        return machine.cgroups().process(machine.settings().cgroup(), id);
    }

    /** Waits until QEMU has made all that it was told to. */
    private Qmp awaitMonitor() throws IOException, WireException, InterruptedException {
        long deadline = System.nanoTime() + LONGEST_START.toNanos();
        while (true) {
            boolean over = process() == 0 || System.nanoTime() > deadline;
            try {
                return Qmp.open(files.monitor(), LONGEST_LOAD);
            } catch (IOException e) {
                if (over) {
                    throw new IOException("QEMU does not start: " + complaints(), e);
                }
            }
            Thread.sleep(STEP);
        }
    }

    private String complaints() throws IOException, WireException {
        return new Complaints(files.complaints(), largestFile()).read();
    }

    private void writeInitramfs(KernelStore.Kernel kernel) throws IOException {
        Files.deleteIfExists(files.initramfs());
        PrivateFiles.create(files.initramfs());
        try (OutputStream whole = Files.newOutputStream(files.initramfs())) {
            Files.copy(kernel.initramfs(), whole);
            Files.copy(files.told(), whole);
            if (Files.exists(files.profile())) {
                Files.copy(files.profile(), whole);
            }
            if (machine.trust().isWanted()) {
                whole.write(Told.trust(machine.trust().files()));
            }
        }
    }

    private Cgroups.Limits limits(VmLimits limits) {
        long code = tools.accelerator().kind() == Accelerator.Kind.TCG ? 2 * QemuArguments.CODE_MIB * MIB : 0;
        return new Cgroups.Limits(
                limits.memoryBytes() + limits.memoryBytes() / 16 + OVERHEAD + code,
                limits.cpuMillis(),
                THREADS + QemuArguments.processors(limits));
    }

    private void launch(Path namespace, List<Path> groups, List<String> qemu)
            throws IOException, WireException, CommandException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("nsenter", "--net=" + namespace, "--", "sh", "-c", JOIN));
        all.add(files.complaints().toString());
        groups.forEach(group -> all.add(group.toString()));
        new Complaints(files.complaints(), largestFile()).clear();
        all.addAll(List.of("--", files.folder().toString(), "setpriv", "--no-new-privs", "--"));
        all.addAll(List.of("prlimit", "--core=0", "--fsize=" + largestFile(), "--"));
        all.addAll(qemu);
        Command.of(all).run();
    }

    @Override
    public void askForEnd(HostProcess first) throws IOException, InterruptedException {
        try {
            new GuestPort(files.port()).post(END);
        } catch (IOException e) {
            if (first.isAlive()) {
                LOG.info("{} cannot be asked for its end, and is killed after its time: {}", id, e.getMessage());
            }
        }
    }

    @Override
    public void kill() throws IOException, CommandException, InterruptedException {
        machine.cgroups().remove(machine.settings().cgroup(), id);
    }

    @Override
    public void free() throws IOException, InterruptedException {
        PrivateFiles.deleteFolder(files.run());
    }

    @Override
    public long largestCapture(VmRecord vm) throws IOException, WireException {
        return largestFile();
    }

    /**
     * A disk that is full, with what qcow2 needs to find its parts, and a quarter for parts between others that are free and
     * too small for what is written next. What a guest that sees to it has still to place then is an error to it.
     */
    private long largestFile() throws IOException, WireException {
        long size = made().size();
        return size + size / 4 + SLACK;
    }

    @Override
    public Duration capture(Target target) throws IOException, WireException, CommandException, InterruptedException {
        Duration stoodStill = copier().take(target, machine.settings().snapshotMemory() ? files.knownShape() : "");
        made().require(target.disk());
        return stoodStill;
    }

    /** Lets it go on where it stands still. */
    void resume() throws IOException, WireException {
        copier().resume();
    }

    private Copier copier() {
        return new Copier(id, files);
    }

    @Override
    public void setProfile(HostProcess first, GuestFiles.GuestFile profile)
            throws IOException, WireException, CommandException, InterruptedException {
        PrivateFiles.write(files.profile(), Told.instead(profile));
        GuestProfile.replace(shell(first), profile.text(), true);
    }

    @Override
    public GuestShell shell(HostProcess first) {
        return new GuestPort(files.port());
    }
}
