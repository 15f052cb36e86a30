package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.client.SandboxdDriver;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.image.ImageBuilder;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.system.Mounts;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.testsupport.GuestTraces;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A machine inside this one: a network namespace and a mount namespace, in which sandboxd runs as a process of its own and
 * mounts are shared, as service managers have them. Skips the test where that is not possible. The image is the tar file that
 * {@code TEST_SANDBOX_IMAGE} names, else one that mmdebstrap makes; the kernel of virtual machines is made of the packages
 * that {@code TEST_SANDBOX_KERNEL} names, with commas between them, else of those that APT fetches.
 */
final class Host implements AutoCloseable {

    static final ImageName IMAGE = new ImageName("test");

    /** The exit status of ssh where it is its own failure and none of the script (ssh(1)). */
    private static final int SSH_FAILED = 255;

    static final String CGROUP = "/sallyport-test-" + ProcessHandle.current().pid();
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));
    static final String SUITE = "bookworm";
    private static final String CONTROLLERS = "/sys/fs/cgroup/unified/cgroup.controllers";

    /** Mounted over a program, it makes it one that cannot be run. */
    private static final String NO_PROGRAM = "/dev/null";

    private static final String WITHOUT_CRUN =
            "for f in $(which -a crun); do mount --bind " + NO_PROGRAM + " $f 2>/dev/null || true; done";

    private static final String WITH_CRUN = "awk '/crun/ {print $5}' /proc/self/mountinfo | xargs -r umount";
    private static final String WITHOUT_VERSION_2 = "! mountpoint -q /sys/fs/cgroup/unified ||"
            + " (umount /sys/fs/cgroup/unified && mount -t tmpfs tmpfs /sys/fs/cgroup/unified)";

    private final Path folder;
    private final Process holder;
    private final Path key;
    private final String driver;
    private final List<String> options;
    private final GuestTraces traces;
    private final List<Process> helpers = new ArrayList<>();
    private Process sandboxd;

    private Host(Path folder, Process holder, Path key, String driver, List<String> options) {
        this.folder = folder;
        this.holder = holder;
        this.key = key;
        this.driver = driver;
        this.options = options;
        this.traces = new GuestTraces(this::inside, folder, CGROUP);
    }

    /** With an image, and sandboxd running. */
    static Host open() throws Exception {
        return openAt(TEMPORARY);
    }

    /** As {@link #open()}, with the folder of sandboxd in another one. */
    static Host openAt(Path parent) throws Exception {
        Tools.requireOneOf("crun", "runc");
        return open(parent, "true", "oci", List.of());
    }

    /** As {@link #open()}, without crun. */
    static Host openWithRunc() throws Exception {
        Tools.require("runc");
        return open(TEMPORARY, WITHOUT_CRUN, "oci", List.of());
    }

    /** Has crun from now on. */
    void bringCrun() throws IOException, InterruptedException {
        Tools.require("crun");
        run("sh", "-c", WITH_CRUN);
    }

    /** As {@link #open()}, with crun, and without version 2 of control groups beside version 1. */
    static Host openWithCrunAndVersion1() throws Exception {
        Tools.require("crun");
        return open(TEMPORARY, WITHOUT_VERSION_2, "oci", List.of());
    }

    /** As {@link #open()}, with virtual machines in the place of containers. */
    static Host openQemu(String... options) throws Exception {
        return openQemuAfter(TEMPORARY, "true", options);
    }

    /** As {@link #openQemu}, with the folder of sandboxd in another one. */
    static Host openQemuAt(Path parent) throws Exception {
        return openQemuAfter(parent, "true");
    }

    /** As {@link #openQemu}, without version 2 of control groups beside version 1. */
    static Host openQemuWithoutVersion2() throws Exception {
        return openQemuAfter(TEMPORARY, WITHOUT_VERSION_2);
    }

    private static Host openQemuAfter(Path parent, String preparation, String... options) throws Exception {
        Tools.require("qemu-system-x86_64", "qemu-img", "dpkg-deb");
        return open(parent, preparation, "qemu", List.of(options));
    }

    private static Host open(Path parent, String preparation, String driver, List<String> options) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("ip", "nft", "mke2fs", "nsenter", "unshare", "ssh", "ssh-keygen", "python3");
        Path folder = Files.createTempDirectory(parent, "svt");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Process holder = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "--mount",
                        "sh",
                        "-c",
                        preparation
                                + " && mount --make-rshared / && mount -t tmpfs tmpfs /run && ip link set lo up && echo ready && exec cat")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Path key = folder.resolve("id");
        Host host = new Host(folder, holder, key, driver, options);
        try {
            BufferedReader said = holder.inputReader();
            assumeTrue("ready".equals(said.readLine()), "needs network namespaces");
            Tools.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", key.toString());
            bringImage(folder);
            if (driver.equals("qemu")) {
                host.bringKernel();
            }
            host.startSandboxd();
            return host;
        } catch (Exception | Error e) {
            host.close();
            throw e;
        }
    }

    /** Brings the image into a folder of sandboxd. */
    static void bringImage(Path folder) throws Exception {
        ImageStore store = new ImageStore(folder.resolve("images"), IdRange.DEFAULT);
        String archive = System.getenv("TEST_SANDBOX_IMAGE");
        if (archive != null) {
            store.add(IMAGE, Path.of(archive));
        } else {
            Tools.require("mmdebstrap");
            new ImageBuilder(store).build(IMAGE, SUITE, List.of());
        }
    }

    private void bringKernel() throws Exception {
        String packages = System.getenv("TEST_SANDBOX_KERNEL");
        new Kernels(HostSettings.of(Map.of("dir", folder.toString())))
                .build(
                        packages == null
                                ? List.of()
                                : Stream.of(packages.split(",", -1))
                                        .map(Path::of)
                                        .toList());
    }

    /** Starts sandboxd, and returns when it listens. */
    void startSandboxd() throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(
                "--socket",
                socket().toString(),
                "--dir",
                folder.toString(),
                "--run-dir",
                GuestTraces.RUN_FOLDER,
                "--cgroup",
                CGROUP,
                "--driver",
                driver,
                "--connections-per-vm",
                "20"));
        arguments.addAll(options);
        List<String> command = inside(Tools.java(Sandboxd.class, arguments.toArray(String[]::new)));
        Path log = folder.resolve("sandboxd.log");
        Files.deleteIfExists(log);
        sandboxd = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        while (!Files.readString(log).contains("sandboxd listens")) {
            assertThat(sandboxd.isAlive()).as(Files.readString(log)).isTrue();
            Thread.sleep(10);
        }
    }

    /** Runs another one, with folders of its own, to its end; returns what it printed. */
    String secondSandboxd() throws IOException, InterruptedException {
        return secondSandboxdAfter("true");
    }

    /** The same, after a script that may change what is mounted for it. */
    String secondSandboxdAfter(String preparation, String... options) throws IOException, InterruptedException {
        Path other = Files.createDirectories(folder.resolve("second"));
        List<String> command =
                new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", preparation + " && exec \"$@\"", "sh"));
        command.addAll(Tools.java(
                Sandboxd.class,
                "--socket",
                other.resolve("s").toString(),
                "--dir",
                other.toString(),
                "--run-dir",
                "/run/second"));
        command.addAll(List.of(options));
        Process second =
                new ProcessBuilder(inside(command)).redirectErrorStream(true).start();
        try {
            String printed = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(second.waitFor()).isEqualTo(1);
            return printed;
        } finally {
            second.destroyForcibly().waitFor();
        }
    }

    /** Leaves what a sandboxd does that is killed after it has made a container and before it starts it. */
    void makeContainer(VmId id) throws IOException, InterruptedException {
        Path bundle = Files.createDirectories(folder.resolve("bundle"));
        String runtime = runtime();
        run("sh", "-c", "cd " + bundle + " && " + runtime + " spec");
        String root = run("sh", "-c", "echo " + folder.resolve("images") + "/*/rootfs")
                .strip();
        Path config = bundle.resolve("config.json");
        Files.writeString(
                config,
                Files.readString(config)
                        .replace("\"terminal\": true", "\"terminal\": false")
                        .replace("\"path\": \"rootfs\"", "\"path\": \"" + root + "\""));
        run(
                "unshare",
                "--mount",
                "sh",
                "-c",
                (runtime.equals("crun")
                                ? "[ ! -e " + CONTROLLERS + " ] || mount --bind " + NO_PROGRAM + " " + CONTROLLERS
                                        + "; "
                                : "")
                        + runtime + " --root " + GuestTraces.RUN_FOLDER + "/runtime create --bundle " + bundle + " "
                        + id
                        + " < /dev/null > " + bundle + "/log 2>&1 || { cat " + bundle + "/log; exit 1; }");
    }

    /** What the driver runs containers with. */
    String runtime() throws IOException, InterruptedException {
        return run("sh", "-c", "[ -x \"$(command -v crun)\" ] && echo crun || echo runc")
                .strip();
    }

    /** Kills sandboxd as the kernel does when memory runs out. */
    void killSandboxd() throws InterruptedException {
        sandboxd.destroyForcibly().waitFor();
    }

    /** Asks sandboxd for its end. */
    void endSandboxd() throws InterruptedException {
        sandboxd.destroy();
        assertThat(sandboxd.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    SandboxdDriver driver() {
        return new SandboxdDriver(socket());
    }

    private Path socket() {
        return folder.resolve("s");
    }

    Path folder() {
        return folder;
    }

    /** Where a container has what ends with a boot of the machine. */
    static Path run(VmId id) {
        return Path.of(GuestTraces.RUN_FOLDER, "oci", id.value());
    }

    static VmId id(int number) {
        return new VmId("vm_" + ("" + (char) ('a' + number)).repeat(26));
    }

    /** A small VM at 10.77.0.{@code number}. */
    VmSpec spec(int number) throws Exception {
        return new VmSpec(
                IMAGE,
                new VmLimits(128 << 20, 1000, 64, 64 << 20),
                new NetworkLease(Members.address("address", "10.77.0." + number)),
                new GuestSetup(
                        "guest" + number,
                        Files.readString(folder.resolve("id.pub")).strip(),
                        Map.of("TOKEN", "it's a placeholder")));
    }

    /** The same, from a snapshot. */
    VmSpec spec(int number, SnapshotId snapshot) throws Exception {
        VmSpec spec = spec(number);
        return new VmSpec(new Origin.OfSnapshot(snapshot), spec.limits(), spec.network(), spec.guest());
    }

    /** Takes a snapshot of a VM that runs. */
    SnapshotId snapshot(int number, VmId vm) throws Exception {
        SnapshotId id = snapshotId(number);
        driver().capture(id, vm);
        driver().seal(id);
        return id;
    }

    static SnapshotId snapshotId(int number) {
        return new SnapshotId("snap_" + ("" + (char) ('a' + number)).repeat(26));
    }

    /** Makes a VM from a snapshot and starts it, and returns when its sshd answers. */
    VmId fork(int number, SnapshotId snapshot) throws Exception {
        createFork(number, snapshot);
        driver().start(id(number));
        awaitSsh(number);
        return id(number);
    }

    /** Makes a VM from a snapshot, as soon as its layers have been read. */
    void createFork(int number, SnapshotId snapshot) throws Exception {
        for (int i = 0; i < 3_000; i++) {
            try {
                driver().create(id(number), spec(number, snapshot));
                return;
            } catch (VmException e) {
                if (e.reason() != VmException.Reason.PREPARING) {
                    throw e;
                }
                Thread.sleep(10);
            }
        }
        throw new AssertionError("the layers of " + snapshot + " are being read for ever");
    }

    /** What sandboxd has said. */
    String log() throws IOException {
        return Files.readString(folder.resolve("sandboxd.log"));
    }

    /** Returns when sandboxd says something. */
    void awaitLog(String text) throws IOException, InterruptedException {
        for (int i = 0; i < 100 * Patience.SECONDS; i++) {
            if (log().contains(text)) {
                return;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("sandboxd does not say " + text + " in: " + log());
    }

    /** Creates and starts a VM, and returns when its sshd answers. */
    VmId boot(int number) throws Exception {
        driver().create(id(number), spec(number));
        driver().start(id(number));
        awaitSsh(number);
        return id(number);
    }

    void awaitSsh(int number) throws Exception {
        Tools.run(inside(List.of(
                "bash",
                "-c",
                "for i in $(seq 5000); do if exec 3<>/dev/tcp/10.77.0.$0/22; then read -t 5 -u 3 l; exec 3>&-;"
                        + " [[ $l == SSH* ]] && exit 0; fi 2>/dev/null; sleep 0.02; done; exit 1",
                Integer.toString(number))));
    }

    /** Runs a script in a VM, over SSH, with the host key that sandboxd told; returns what it printed, on both streams. */
    String ssh(int number, String script) throws Exception {
        // A file: ssh may end, where the guest cannot be reached, before it has taken all that a pipe would bring.
        Path input = Files.writeString(Files.createTempFile(folder, "script", ".sh"), script + "\n");
        Process ssh = new ProcessBuilder(inside(sshCommand(number, "sh")))
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(ssh.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return ssh.waitFor() == SSH_FAILED ? printed + "(ssh itself failed)\n" : printed;
    }

    /** The command that runs another one in a VM, over SSH, with the host key that sandboxd told. */
    List<String> sshCommand(int number, String command) throws Exception {
        Path known = folder.resolve("known_hosts");
        var hostKey = driver().hostKeys(id(number)).getFirst();
        Files.writeString(known, "10.77.0." + number + " " + hostKey.type() + " " + hostKey.key() + "\n");
        return List.of(
                "ssh",
                "-i",
                key.toString(),
                "-o",
                "StrictHostKeyChecking=yes",
                "-o",
                "UserKnownHostsFile=" + known,
                "-o",
                "LogLevel=ERROR",
                "-o",
                "ConnectTimeout=10",
                "-o",
                "ServerAliveInterval=2", // a connection that rules which came back have cut says nothing
                "root@10.77.0." + number,
                command);
    }

    /** Removes all VMs and all snapshots. */
    void removeAll() throws Exception {
        for (VmId id : driver().observeAll().keySet()) {
            driver().destroy(id);
        }
        for (SnapshotId id : driver().snapshots()) {
            driver().discard(id);
        }
    }

    /** Runs a program in the machine to its end. */
    String run(String... command) throws IOException, InterruptedException {
        return Tools.run(inside(List.of(command)));
    }

    /** Starts a program in the machine, which ends with it, and returns when it says {@code ready}. */
    void help(String... command) throws IOException {
        help(List.of(command));
    }

    void help(List<String> command) throws IOException {
        Process helper = new ProcessBuilder(inside(command))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        helpers.add(helper);
        assertThat(helper.inputReader().readLine()).isEqualTo("ready");
    }

    private List<String> inside(List<String> command) {
        return Stream.concat(
                        Stream.of("nsenter", "--net", "--mount", "--target=" + holder.pid(), "--"), command.stream())
                .toList();
    }

    /** All that guests leave in the kernel and on the disk, by kind; a kind of which nothing is left is not there. */
    Map<String, String> traces() throws Exception {
        return traces.found();
    }

    /** What sandboxd itself leaves, once it has ended without guests. */
    Map<String, String> remains() throws Exception {
        return traces.remains();
    }

    @Override
    public void close() throws Exception {
        for (Process helper : helpers) {
            helper.destroyForcibly().waitFor();
        }
        if (sandboxd != null) {
            if (!sandboxd.isAlive()) {
                startSandboxd();
            }
            for (VmId id : driver().observeAll().keySet()) {
                driver().destroy(id);
            }
            for (SnapshotId id : driver().snapshots()) {
                driver().discard(id);
            }
            endSandboxd();
        }
        holder.destroyForcibly().waitFor();
        assertThat(Mounts.under(folder)).isEmpty();
        Tools.run("rm", "-rf", "--one-file-system", "--", folder.toString());
    }
}
