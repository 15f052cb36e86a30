package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmId;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guests of the driver {@code qemu} where control groups are in another layout than the machine's own. */
@Tag("long")
class QemuGroupsTest {

    private static final Path FIRST = Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes");

    private static Host host;

    @BeforeAll
    static void open() throws Exception {
        host = Host.openQemuWithoutVersion2();
    }

    @AfterAll
    static void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @Test
    void inVersion1AloneItHasItsLimitsAndLeavesNothing() throws Exception {
        assumeTrue(Files.exists(FIRST), "needs version 1 of control groups");
        VmId id = host.boot(2);
        String pid = host.run("pgrep", "-f", "qemu-system-x86_64 -name " + id).strip();

        assertThat(host.run("grep", "-E", ":(memory|pids|freezer|cpu|cpu,cpuacct):", "/proc/" + pid + "/cgroup")
                        .lines())
                .hasSize(4)
                .allMatch(line -> line.endsWith(Host.CGROUP + "/" + id));
        assertThat(host.run(
                        "sh",
                        "-c",
                        "cd /sys/fs/cgroup && cat pids" + Host.CGROUP + "/" + id + "/pids.max cpu" + Host.CGROUP + "/"
                                + id + "/cpu.cfs_quota_us memory" + Host.CGROUP + "/" + id + "/memory.limit_in_bytes"))
                .matches("129\n100000\n[0-9]{9}\n");
        host.driver().destroy(id);
        assertThat(host.driver().observe(id)).isEqualTo(new Observed.Absent());
        assertThat(host.traces()).isEmpty();
    }

    /** Where version 1 has the controllers, version 2 has none, and a guest would have no limits. */
    @Test
    void inVersion2WithoutControllersNothingIsRun() throws Exception {
        assumeTrue(Files.exists(FIRST), "needs version 1 of control groups");

        assertThat(host.secondSandboxdAfter(
                        "umount /sys/fs/cgroup/unified && mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified"
                                + " && for m in $(awk '$3 == \"cgroup\" { print $2 }' /proc/self/mounts); do umount $m; done",
                        "--driver",
                        "qemu"))
                .contains("unified, in which nothing limits cpu, memory, pids");
    }
}
