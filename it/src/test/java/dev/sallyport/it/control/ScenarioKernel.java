package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What a machine inside this one has of the kernel: namespaces of mounts and of the network, and what runs in them. */
final class ScenarioKernel {

    private final Path folder;
    private final String cgroup;
    private final Process holder;

    private ScenarioKernel(Path folder, String cgroup, Process holder) {
        this.folder = folder;
        this.cgroup = cgroup;
        this.holder = holder;
    }

    /**
     * One that has just booted; skips the test where there can be none.
     *
     * @param folder of sandboxd
     * @param cgroup above those of guests
     */
    static ScenarioKernel boot(Path folder, String cgroup) throws IOException {
        Process holder = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "--mount",
                        "sh",
                        "-c",
                        "mount --make-rshared / && mount -t tmpfs tmpfs /run && ip link set lo up && ip addr add 10.99.2.1/32 dev lo"
                                + " && ip addr add 10.99.2.2/32 dev lo && ip addr add 10.99.2.3/32 dev lo && echo ready && exec cat")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assumeTrue("ready".equals(holder.inputReader().readLine()), "needs network namespaces");
        return new ScenarioKernel(folder, cgroup, holder);
    }

    /** The command that runs another one in it. */
    List<String> inside(List<String> command) {
        return Stream.concat(
                        Stream.of("nsenter", "--net", "--mount", "--target=" + holder.pid(), "--"), command.stream())
                .toList();
    }

    /** What runs in it, guests included, without what holds it. */
    List<ProcessHandle> processes() {
        Path mounts = namespace(holder.toHandle(), "mnt");
        Path network = namespace(holder.toHandle(), "net");
        // Where the folder is a mount of the machine around this one, everybody has it.
        boolean tells = !tell(ProcessHandle.current(), "mountinfo").contains(folder.toString());
        return ProcessHandle.allProcesses()
                .filter(process -> process.pid() != holder.pid())
                .filter(process -> namespace(process, "mnt").equals(mounts)
                        || namespace(process, "net").equals(network)
                        || tell(process, "cgroup").contains(cgroup + "/")
                        || (tells && tell(process, "mountinfo").contains(folder.toString())))
                .toList();
    }

    private static Path namespace(ProcessHandle process, String type) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/ns/" + type));
        } catch (IOException e) {
            return Path.of("none"); // it has ended
        }
    }

    /** What proc(5) has of a process; nothing when it has ended. */
    static String tell(ProcessHandle process, String file) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/" + file));
        } catch (IOException e) {
            return "";
        }
    }

    /** Ends what a loss of power ends: processes, namespaces with what is in them, loop devices and control groups. */
    void losePower() throws IOException, InterruptedException {
        List<ProcessHandle> left = processes();
        for (int i = 0; i < 100 * Patience.SECONDS && !left.isEmpty(); i++) {
            assertThat(left).as("what is outside").doesNotContain(ProcessHandle.current());
            left.forEach(ProcessHandle::destroyForcibly);
            Thread.sleep(10);
            left = processes();
        }
        assertThat(left).isEmpty();
        close();
        Tools.run(
                "sh",
                "-c",
                "losetup -n -O NAME,BACK-FILE | grep -F " + folder
                        + " | while read name file; do losetup -d $name; done");
        Tools.run(
                "sh",
                "-c",
                "find /sys/fs/cgroup -depth -type d \\( -path '*" + cgroup + "' -o -path '*" + cgroup
                        + "/*' \\) -exec rmdir {} +");
    }

    void close() throws InterruptedException {
        holder.destroyForcibly().waitFor();
    }
}
