package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.image.IdRange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a guest's root may try, and that the host notices nothing of it. */
@Tag("long")
@TestInstance(Lifecycle.PER_CLASS)
class EscapeTest {

    private static final int ENOSYS = 38;

    private static Host host;
    private static VmId guest;

    Host open() throws Exception {
        return Host.open();
    }

    @BeforeAll
    void begin() throws Exception {
        host = open();
        guest = host.boot(2);
    }

    @AfterAll
    void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    private static String ssh(String script) throws Exception {
        return host.ssh(2, script).strip();
    }

    @ParameterizedTest
    @CsvSource({
        "CapInh, 0000000000000000",
        "CapPrm, 00000000800400fb",
        "CapEff, 00000000800400fb",
        "CapBnd, 00000000800400fb",
        "CapAmb, 0000000000000000",
        "NoNewPrivs, 1",
        "Seccomp, 2"
    })
    void rootHasFewRights(String field, String value) throws Exception {
        assertThat(ssh("grep '^" + field + ":' /proc/self/status | cut -f2")).isEqualTo(value);
    }

    /** Numbers of x86-64. */
    @ParameterizedTest
    @CsvSource({
        "mount, 165",
        "umount2, 166",
        "pivot_root, 155",
        "open_tree, 428",
        "move_mount, 429",
        "fsopen, 430",
        "mount_setattr, 442",
        "unshare, 272",
        "setns, 308",
        "clone3, 435",
        "add_key, 248",
        "request_key, 249",
        "keyctl, 250",
        "bpf, 321",
        "perf_event_open, 298",
        "userfaultfd, 323",
        "io_uring_setup, 425",
        "io_uring_enter, 426",
        "io_uring_register, 427",
        "init_module, 175",
        "finit_module, 313",
        "delete_module, 176",
        "kexec_load, 246",
        "kexec_file_load, 320",
        "open_by_handle_at, 304",
        "name_to_handle_at, 303",
        "reboot, 169",
        "swapon, 167",
        "swapoff, 168",
        "quotactl, 179",
        "acct, 163",
        "syslog, 103",
        "settimeofday, 164",
        "clock_settime, 227",
        "iopl, 172",
        "ioperm, 173",
        "modify_ldt, 154",
        "kcmp, 312",
        "sethostname, 170",
        "vhangup, 153",
        "fanotify_init, 300",
        "listmount, 458"
    })
    void aCallThatIsNotListedDoesNotExist(String name, int number) throws Exception {
        assumeTrue(
                !outside("syscall(" + number + ", 0, 0, 0, 0, 0); print $!+0").equals("" + ENOSYS),
                "this kernel has no " + name);

        assertThat(ssh("perl -e 'syscall(" + number + ", 0, 0, 0, 0, 0); print $!+0'"))
                .isEqualTo("" + ENOSYS);
    }

    @ParameterizedTest
    @ValueSource(longs = {0x1000_0000L, 0x2000_0000L, 0x4000_0000L, 0x2_0000L, 0x400_0000L, 0x800_0000L, 0x200_0000L})
    void cloneMakesNoNamespaces(long flag) throws Exception {
        assertThat(ssh("perl -e 'syscall(56, " + (flag | 17) + ", 0, 0, 0, 0); print $!+0'"))
                .isEqualTo("" + ENOSYS);
    }

    @Test
    void theCallsOfX32AreClosed() throws Exception {
        assumeTrue(outside("print syscall(0x40000000 | 39) > 0").equals("1"), "this kernel has no x32");

        assertThat(ssh("perl -e 'exit(syscall(0x40000000 | 39) > 0 ? 0 : 1)'; echo $?"))
                .isNotEqualTo("0");
    }

    /** Runs a script of perl on the host, as a user without rights. */
    private static String outside(String script) throws Exception {
        return host.run(
                        "setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        "--no-new-privs",
                        "perl",
                        "-e",
                        script)
                .strip();
    }

    /** Packets, vsock, the kernel's cryptography, CAN, raw IP, SCTP, UDP-Lite, MPTCP, audit, netfilter, uevents, crypto. */
    @ParameterizedTest
    @CsvSource({
        "17, 3, 0, 38",
        "40, 1, 0, 38",
        "38, 5, 0, 38",
        "29, 3, 1, 38",
        "2, 3, 1, 1",
        "2, 3, 255, 38",
        "2, 1, 132, 38",
        "2, 2, 136, 38",
        "10, 1, 262, 38",
        "16, 3, 9, 93",
        "16, 3, 12, 38",
        "16, 3, 15, 38",
        "16, 3, 21, 38"
    })
    void socketsThatSeeMoreAreClosed(int family, int type, int protocol, int error) throws Exception {
        assertThat(ssh("perl -e 'syscall(41, %d, %d, %d); print $!+0'".formatted(family, type, protocol)))
                .isEqualTo("" + error);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 0", "2, 1, 0", "2, 1, 6", "2, 2, 17", "10, 1, 6", "16, 3, 0", "16, 3, 4"})
    void socketsOfPlainProgramsAreOpen(int family, int type, int protocol) throws Exception {
        assertThat(ssh("perl -e 'print syscall(41, %d, %d, %d) >= 0'".formatted(family, type, protocol)))
                .isEqualTo("1");
    }

    @Test
    void theControlGroupHasNoNameInside() throws Exception {
        assertThat(ssh("cat /proc/self/cgroup")).contains(":/").doesNotContain("sallyport", guest.value());
    }

    @Test
    void inotifyLeavesTheHostSome() throws Exception {
        assertThat(ssh("perl -e '$n++ while $n < 1000 && syscall(294, 0) >= 0; print $n'"))
                .isEqualTo("16");
        assertThat(ssh("cat /proc/sys/user/max_inotify_watches")).isEqualTo("16384");
    }

    @ParameterizedTest
    @CsvSource({"Max core file size, 0", "Max msgqueue size, 131072", "Max pending signals, 1024"})
    void whatIsCountedForRootHasALimit(String name, String limit) throws Exception {
        assertThat(ssh("grep '^" + name + " ' /proc/self/limits | cut -c 27-").split("\\s+"))
                .startsWith(limit, limit);
    }

    @Test
    void fileSystemsInMemoryAreSmallerThanTheMemory() throws Exception {
        long sum = ssh("df -B1 --output=size /dev /dev/shm /run /run/sshd /tmp | tail -n +2")
                .lines()
                .mapToLong(line -> Long.parseLong(line.strip()))
                .sum();

        assertThat(sum).isBetween(64L << 20, (128L << 20) - 1);
    }

    @Test
    void theFileSystemGivesNoRights() throws Exception {
        assertThat(ssh("grep -E '^[^ ]+ / overlay ' /proc/self/mounts").split("[ ,]", -1))
                .contains("nosuid", "nodev");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/proc/sys/kernel/core_pattern",
                "/proc/sys/kernel/panic",
                "/proc/sys/vm/drop_caches",
                "/proc/sys/user/max_inotify_instances",
                "/proc/sysrq-trigger",
                "/proc/irq/0/smp_affinity",
                "/sys/devices/system/cpu/cpu1/online"
            })
    void settingsOfTheKernelCannotBeWritten(String file) throws Exception {
        assumeTrue(Files.exists(Path.of(file)), "this kernel has no " + file);

        assertThat(ssh("(echo 1 > " + file + ") 2>&1")).containsAnyOf("Read-only file system", "Permission denied");
    }

    @Test
    void ofSysOnlyTheProcessorsAreThere() throws Exception {
        assertThat(ssh("ls -d /sys/* /sys/devices/* /sys/devices/system/*"))
                .isEqualTo("/sys/devices\n/sys/devices/system\n/sys/devices/system/cpu");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/proc/kcore",
                "/proc/kallsyms",
                "/proc/keys",
                "/proc/key-users",
                "/proc/timer_list",
                "/proc/slabinfo",
                "/proc/cmdline",
                "/proc/interrupts",
                "/proc/vmallocinfo"
            })
    void partsOfProcAreEmpty(String file) throws Exception {
        assumeTrue(Files.exists(Path.of(file)), "this kernel has no " + file);

        assertThat(ssh("head -c 100 " + file + " 2>/dev/null | wc -c")).isEqualTo("0");
    }

    /** crun makes a link to the kernel's memory, which is masked. */
    @Test
    void devicesAreThoseOfEveryContainer() throws Exception {
        assertThat(ssh("if [ -L /dev/core ]; then readlink /dev/core; head -c 1 /dev/core 2>/dev/null | wc -c; fi"))
                .isIn("", "/proc/kcore\n0");
        assertThat(ssh("ls /dev | grep -vx core | tr '\\n' ' '"))
                .isEqualTo("fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero");
        assertThat(ssh("mknod /root/disk b 7 0; mknod /root/mem c 1 1; ls /root/disk /root/mem"))
                .contains("Operation not permitted")
                .contains("cannot access '/root/disk'", "cannot access '/root/mem'");
    }

    @Test
    void processesOfTheHostAreNotThere() throws Exception {
        long ours = ProcessHandle.current().pid();

        assertThat(ssh("ls -d /proc/[0-9]* | wc -l").strip()).matches("[1-9]|1[0-9]");
        assertThat(ssh("kill -0 " + ours + " 2>&1; perl -e 'syscall(101, 16, " + ours + ", 0, 0); print $!+0'"))
                .contains("No such process")
                .endsWith("3");
        assertThat(ssh("readlink /proc/1/exe")).isEqualTo("/usr/sbin/sshd");
    }

    @Test
    void theUsersOfTheGuestAreNobodyOutside() throws Exception {
        ssh("touch /root/mine; sleep 100 > /dev/null 2>&1 &");

        Path file = Host.run(guest).resolve("disk/upper/root/mine");
        assertThat(host.run("stat", "-c", "%u", file.toString()).strip()).isEqualTo("" + IdRange.DEFAULT.base());
        assertThat(ssh("cat " + host.folder() + "/id")).contains("No such file");
        for (Path folder : List.of(host.folder().resolve("vms"), Host.run(guest).getParent(), Host.run(guest))) {
            assertThat(host.run("stat", "-c", "%a %u %g", folder.toString()))
                    .isEqualTo("710 0 " + IdRange.DEFAULT.base() + "\n");
        }
    }

    @Test
    void processesHaveALimit() throws Exception {
        assertThat(ssh("bash -c 'for i in $(seq 200); do sleep 20 & done' 2>&1; true"))
                .contains("Resource temporarily unavailable");
        assertThat(host.run("sh", "-c", "echo the host starts processes")).isEqualTo("the host starts processes\n");
        revive();
    }

    @Test
    void memoryHasALimit() throws Exception {
        assertThat(ssh("perl -e '$x = \"a\" x 500_000_000; print length $x' 2>&1; echo code $?"))
                .doesNotContain("500000000");
        assertThat(ssh("dd if=/dev/zero of=/dev/shm/x bs=1M count=500 2>&1 | tail -1; rm -f /dev/shm/x; echo end"))
                .endsWith("end");
        revive();
    }

    @Test
    void theDiskHasALimitOfBytesAndOfFiles() throws Exception {
        long before = host.folder().toFile().getUsableSpace();

        assertThat(ssh("dd if=/dev/zero of=/root/big bs=1M count=500 2>&1; rm -f /root/big"))
                .contains("No space left");
        assertThat(ssh("mkdir /root/many && cd /root/many && perl -e "
                        + "'for (1..1000000) { open(F, \">\", $_) or do { print \"stopped: $!\"; exit } }'"
                        + "; rm -rf /root/many"))
                .contains("No space left");
        assertThat(before - host.folder().toFile().getUsableSpace()).isLessThan(1L << 30);
        assertThat(ssh("echo still > /root/x && cat /root/x")).isEqualTo("still");
    }

    @Test
    void theConsoleFillsTheGuestsOwnDisk() throws Exception {
        Path disk = Host.run(guest).resolve("disk");
        String console = disk.resolve("console.log").toString();

        // A copy of what sshd writes to: pidfd_open and pidfd_getfd.
        assertThat(ssh("perl -e '$f = syscall(438, syscall(434, 1, 0), 2, 0); open(O, \">&=\", $f) or die $!;"
                        + " for (1..500) { syswrite(O, \"x\" x 1048576) or do { print $!; exit } }'"))
                .isEqualTo("No space left on device");

        String[] found = host.run("stat", "-c", "%s %m", console).strip().split(" ", -1);
        assertThat(Long.parseLong(found[0])).isBetween(16L << 20, 64L << 20);
        assertThat(found[1]).isEqualTo(disk.toString());
        revive();
    }

    /** A new run of the same guest, whatever the test did to the last one. */
    private static void revive() throws Exception {
        host.driver().destroy(guest);
        assertThat(host.traces()).isEmpty();
        guest = host.boot(2);
    }
}
