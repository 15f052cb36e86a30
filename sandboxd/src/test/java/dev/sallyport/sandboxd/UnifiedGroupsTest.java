package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandboxd.oci.Examination;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Need;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guests of the driver {@code oci} where control groups are of version 2 alone, with all controllers, whatever this machine
 * has: in a machine that QEMU translates, whose disk is made here. What is seen there, {@code unified.py} says.
 */
@Tag("long")
class UnifiedGroupsTest {

    private static final String PACKAGES =
            "linux-image-cloud-amd64,initramfs-tools,crun,runc,nftables,iproute2,e2fsprogs,kmod,"
                    + "openssh-client,procps,python3";

    /** The kernel brings disk and file system as modules. */
    private static final String MODULES = "mkdir -p \"$1/etc/initramfs-tools/conf.d\" \"$1/etc/initramfs-tools/hooks\""
            + " && echo MODULES=list > \"$1/etc/initramfs-tools/conf.d/trial\""
            + " && printf '#!/bin/sh\\n[ \"$1\" = prereqs ] && exit\\n. /usr/share/initramfs-tools/hook-functions\\n"
            + "manual_add_modules virtio_pci virtio_blk ext4\\n' > \"$1/etc/initramfs-tools/hooks/trial\""
            + " && chmod 755 \"$1/etc/initramfs-tools/hooks/trial\"";

    private static final String LIMITS = "134217728, 0, 64, 80000 100000";
    private static final String GROUP = "0::/.../vm_cccccccccccccccccccccccccc";

    private static Path folder;
    private static Process machine;
    private static BufferedReader said;

    @BeforeAll
    static void boot() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue("amd64".equals(System.getProperty("os.arch")), "needs x86-64");
        Tools.require("qemu-system-x86_64", "mmdebstrap", "mke2fs", "unshare");
        assumeTrue(new ProcessBuilder("unshare", "--mount", "true").start().waitFor() == 0, "needs mount namespaces");
        folder = Files.createTempDirectory("svu");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path tree = folder.resolve("tree");
        Tools.run(
                "mmdebstrap",
                "--variant=minbase",
                "--format=directory",
                "--include=" + PACKAGES,
                "--dpkgopt=force-unsafe-io",
                "--essential-hook=" + MODULES,
                Host.SUITE,
                tree.toString());
        Path trial = Files.createDirectory(tree.resolve("trial"));
        Host.bringImage(Files.createDirectory(trial.resolve("s")));
        bringJava(trial);
        resource("unified.py", trial);
        resource("unified-init.sh", trial).toFile().setExecutable(true);
        Path disk = folder.resolve("disk");
        Tools.run("mke2fs", "-q", "-t", "ext4", "-d", tree.toString(), disk.toString(), "8G");
        start(tree.resolve("boot"), disk);
    }

    /** This machine's Java, and the class path of these tests. */
    private static void bringJava(Path trial) throws Exception {
        Tools.run(
                "cp",
                "-a",
                System.getProperty("java.home"),
                trial.resolve("jdk").toString());
        Path folder = Files.createDirectory(trial.resolve("classes"));
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (Files.exists(Path.of(entry))) {
                String name = entries.size() + "-" + Path.of(entry).getFileName();
                Tools.run("cp", "-a", entry, folder.resolve(name).toString());
                entries.add("/trial/classes/" + name);
            }
        }
        Files.write(
                trial.resolve("java"),
                List.of(
                        Long.toString(Patience.seconds(60).toSeconds()),
                        "/trial/jdk/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        String.join(":", entries)));
    }

    private static Path resource(String name, Path to) throws IOException {
        Path file = to.resolve(name);
        try (InputStream stream = UnifiedGroupsTest.class.getResourceAsStream(name)) {
            Files.copy(stream, file);
        }
        return file;
    }

    private static void start(Path kernel, Path disk) throws Exception {
        machine = new ProcessBuilder(
                        "qemu-system-x86_64",
                        "-M",
                        "q35,accel=tcg",
                        "-cpu",
                        "max",
                        "-smp",
                        "2",
                        "-m",
                        "1536",
                        "-nodefaults",
                        "-no-user-config",
                        "-no-reboot",
                        "-display",
                        "none",
                        "-kernel",
                        only(kernel, "vmlinuz-"),
                        "-initrd",
                        only(kernel, "initrd.img-"),
                        "-append",
                        "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off random.trust_cpu=on root=/dev/vda rw"
                                + " init=/trial/unified-init.sh",
                        "-drive",
                        "if=none,id=d,format=raw,cache=unsafe,file=" + disk,
                        "-device",
                        "virtio-blk-pci,drive=d",
                        "-serial",
                        "file:" + console(),
                        "-serial",
                        "stdio")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        said = machine.inputReader();
        assertThat(said.readLine()).as(() -> "the machine says ready: " + log()).isEqualTo("ready: ");
    }

    private static String only(Path folder, String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString)
                    .filter(file -> file.startsWith(folder.resolve(prefix).toString()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Path console() {
        return folder.resolve("console");
    }

    private static String log() {
        try {
            return Files.readString(console());
        } catch (IOException e) {
            return e.toString();
        }
    }

    @AfterAll
    static void end() throws Exception {
        if (machine != null) {
            machine.destroyForcibly().waitFor();
        }
        if (folder != null) {
            Tools.run("rm", "-rf", "--one-file-system", "--", folder.toString());
        }
    }

    private static Map<String, String> ask(String what) throws IOException {
        machine.outputWriter().append(what).append('\n').flush();
        Map<String, String> seen = new LinkedHashMap<>();
        for (String line = said.readLine(); !"end".equals(line); line = said.readLine()) {
            assertThat(line).as(() -> seen + log()).isNotNull().doesNotStartWith("failed: ");
            String[] parts = line.split(": ", 2);
            seen.put(parts[0], parts[1]);
        }
        return seen;
    }

    /** What {@code sallyport doctor --for sandboxes} says of containers. */
    static final class Doctor {

        public static void main(String[] arguments) throws Exception {
            for (Need need : Examination.of(HostSettings.of(Map.of()))) {
                System.out.println(need.name() + ": " + (need.met() ? need.found() : need.problem()));
            }
        }
    }

    @Test
    void theDoctorSaysTheLayout() throws Exception {
        assertThat(ask("doctor"))
                .containsEntry("control groups", "unified")
                .containsEntry("root", "this process is root");
    }

    @ParameterizedTest
    @ValueSource(strings = {"crun", "runc"})
    void guestsHaveTheirLimitsAndLeaveNothing(String runtime) throws Exception {
        Map<String, String> seen = ask(runtime);

        assertThat(seen.get("available")).startsWith("runtime: " + runtime).contains("control groups: unified");
        assertThat(seen.get("root passes on").split(" ")).contains("cpu", "memory", "pids");
        assertThat(seen.get("hog")).endsWith("137");
        assertThat(seen)
                .containsAllEntriesOf(Map.ofEntries(
                        Map.entry("sandboxd", runtime.equals("crun") ? "0::/" : "0::/system.slice/sallyport.service"),
                        Map.entry("limits", LIMITS),
                        Map.entry("a login sees", "0 guest2 0::/"),
                        Map.entry("a process of a login", GROUP),
                        Map.entry("a task", GROUP),
                        Map.entry("taking the limits away", "Device or resource busy"),
                        Map.entry("hog killed", "True"),
                        Map.entry("neighbour killed", "False"),
                        Map.entry("after the hog", "here here"),
                        Map.entry("beside the busy one", "here"),
                        Map.entry("frozen meanwhile", "['0', '1', '0']"),
                        Map.entry("frozen afterwards", "0"),
                        Map.entry("fork", "20000000 guest4"),
                        Map.entry("limits of the fork", LIMITS),
                        Map.entry("group of the fork", "False"),
                        Map.entry("the same run", "True"),
                        Map.entry("frozen after the restart", "0"),
                        Map.entry("limits after the restart", LIMITS),
                        Map.entry("after the restart", "here here"),
                        Map.entry("bomb within", "True"),
                        Map.entry("beside the bomb", "here"),
                        Map.entry("stopped", "stopped"),
                        Map.entry("group of the stopped one", "False"),
                        Map.entry("started again", "20000000 guest2"),
                        Map.entry("limits when started again", LIMITS),
                        Map.entry("left", "{}"),
                        Map.entry("left by sandboxd", "[]")));
    }
}
