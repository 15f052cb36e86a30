package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a guest with a kernel of its own takes, its QEMU takes no more of the host than its limits say. */
@Tag("long")
class QemuExhaustionTest extends TwoMachines {

    private static final long MIB = 1L << 20;

    private static long limit(String... names) throws Exception {
        for (String name : names) {
            String found = host.run(
                    "sh",
                    "-c",
                    "cat /sys/fs/cgroup/*" + Host.CGROUP + "/" + guest + "/" + name + " /sys/fs/cgroup" + Host.CGROUP
                            + "/" + guest + "/" + name + " 2> /dev/null || true");
            if (!found.isBlank()) {
                return Long.parseLong(found.strip());
            }
        }
        throw new AssertionError("no group of " + guest + " has one of " + List.of(names));
    }

    private static long field(String name) throws Exception {
        return Long.parseLong(
                host.run("sed", "-n", "s/^" + name + ":[[:space:]]*\\([0-9]*\\).*/\\1/p", "/proc/" + pid() + "/status")
                        .strip());
    }

    /** The time of processors that QEMU has used, in ticks of ten milliseconds. */
    private static long ticks() throws Exception {
        return Long.parseLong(
                host.run("sh", "-c", "set -- $(sed 's/.*) //' /proc/" + pid() + "/stat); echo $((${12} + ${13}))")
                        .strip());
    }

    @Test
    void memoryProcessesAndProcessorsHaveTheirLimitsOutsideToo() throws Exception {
        ssh("""
                exec > /dev/null 2>&1 < /dev/null
                for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done
                (while :; do perl -e '$x .= "a" x 1000000 while 1'; done) &
                (while :; do for i in $(seq 300); do sleep 100 & done; sleep 0.2; done) &
                (while :; do dd if=/dev/zero of=/dev/shm/fill bs=1M; done) &
                """);
        long memory = limit("memory.limit_in_bytes", "memory.max");
        long threads = limit("pids.max");
        String pid = pid();

        for (int i = 0; i < 5; i++) {
            long begin = System.nanoTime();
            long ticks = ticks();
            theNeighbourNoticesNothing();
            Thread.sleep(500);
            double wall = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 10.0;
            assertThat(ticks() - ticks).as("processors").isLessThan((long) (wall * 1.1) + 20);
            assertThat(1024 * field("VmHWM")).as("memory").isLessThan(memory);
            assertThat(field("Threads")).isLessThan(threads);
        }

        assertThat(pid()).as("it is not what the limits end").isEqualTo(pid);
        assertThat(memory).isLessThan(700 * MIB);
        revive();
    }

    @Test
    void theDiskHasALimitOfBytesAndOfFilesAndGivesBackWhatItDoesNotHold() throws Exception {
        Path disk = home().resolve("disk.qcow2");
        long before = used(disk);

        assertThat(ssh("dd if=/dev/urandom of=/root/big bs=1M count=500 2>&1; sync; stat -c %s /root/big"))
                .contains("No space left");
        assertThat(used(disk) - before).isBetween(50 * MIB, 80 * MIB);
        assertThat(ssh("rm /root/big; mkdir /root/many; cd /root/many; perl -e "
                        + "'for (1..1000000) { open(F, \">\", $_) or do { print \"stopped: $!\"; exit } }'"
                        + "; cd /; rm -rf /root/many; sync; fstrim /"))
                .contains("No space left");
        assertThat(used(disk) - before).as("what was discarded").isLessThan(20 * MIB);
        assertThat(ssh("echo still > /root/x && sync && cat /root/x")).isEqualTo("still");
    }

    @Test
    void whatLiesBehindTheEndOfTheDiskIsNotThere() throws Exception {
        Path disk = home().resolve("disk.qcow2");
        long before = Files.size(disk);

        assertThat(ssh("""
                n=$(cat /sys/block/vda/size)
                dd if=/dev/zero of=/dev/vda bs=512 count=1 seek=$n 2>&1 | head -n 1
                dd if=/dev/vda bs=512 count=1 skip=$((n + 2048)) 2> /dev/null | wc -c
                perl -e 'open($disk, "+<", "/dev/vda"); for (0x1277, 0x127f) {
                  print ioctl($disk, $_, pack("QQ", $ARGV[0] - 65536, 131072)) ? "done\n" : "$!\n" }' $((n * 512))
                echo $(($(cat /sys/block/vda/size) - n))"""))
                .isEqualTo(
                        "dd: error writing '/dev/vda': No space left on device\n0\nInvalid argument\nInvalid argument\n0");
        assertThat(Files.size(disk) - before).isLessThan(MIB);
    }

    /**
     * Room on a disk comes in pieces of 64 KiB. Where those that are free lie apart, what needs two beside each other goes to
     * the end of the file, which so becomes larger than the disk.
     */
    @Test
    void aDiskInPiecesTakesNoMoreRoomAndEndsNoMachine() throws Exception {
        Path disk = home().resolve("disk.qcow2");
        String pid = pid();

        ssh(Bare.perl("""
                syscall(9, 0x10000000, 131072, 3, 0x32, -1, 0);
                open(my $random, "<", "/dev/urandom"); syscall(0, fileno($random), 0x10000000, 131072);
                sysopen(my $disk, "/dev/vda", 2 | 040000) or die $!;
                my $pieces = `cat /sys/block/vda/size` >> 7;
                sub put { syscall(18, fileno($disk), 0x10000000, $_[1], $_[0] << 16) == $_[1] or $failed++ }
                for my $odd (0, 1) { for (my $i = $odd; $i < $pieces; $i += 2) { put($i, 65536) } }
                for (my $i = 0; $i + 4 < $pieces; $i += 4) { ioctl($disk, 0x1277, pack("QQ", $i << 16, 131072)) or $failed++ }
                for (my $i = 0; $i + 4 < $pieces; $i += 4) { put($i, 131072) }
                print "failed: $failed\\n";"""));

        assertThat(pid()).isEqualTo(pid);
        assertThat(runs()).isTrue();
        assertThat(used(disk)).isLessThan(limitOfDisk());
        revive();
    }

    private static long limitOfDisk() throws Exception {
        long size = Long.parseLong(Files.readString(home().resolve("disk.made")).split(" ", -1)[0]);
        return size + size / 4 + 64 * MIB;
    }

    @Test
    void whatQemuSaysOfADeviceThatIsMisusedIsBounded() throws Exception {
        Path log = home().resolve("qemu.log");

        // A queue where the kernel's own program lies, over and over again.
        ssh(Bare.pieces("""
                my ($device) = grep { `cat $_/device` =~ /0x1005/ } glob("/sys/bus/pci/devices/*");
                open(my $driver, ">", "$device/driver/unbind"); print $driver $device =~ s/.*\\///r; close $driver;
                open(my $in, "<", "$device/resource"); my $at = (map { hex((split)[0]) } <$in>)[0];
                my ($from, $to) = map { hex } `grep 'Kernel code' /proc/iomem` =~ /([0-9a-f]+)-([0-9a-f]+)/;
                for (1..20) {
                  ports(map { ([3, $at + 18, 0], [4, $at + 14, 0], [5, $at + 8, ($from >> 12) + int rand(($to - $from) >> 12)],
                    [3, $at + 18, 3], [3, $at + 18, 7], [4, $at + 16, 0]) } 1..500);
                }"""));

        assertThat(used(log)).as("it says something").isPositive().isLessThanOrEqualTo(128 << 10);
        assertThat(runs()).isTrue();
        revive();
    }

    @Test
    void theConsoleIsARing() throws Exception {
        long before = used(home().resolve("disk.qcow2"));
        long memory = field("VmRSS");

        ssh("dd if=/dev/zero bs=1024 count=600 2> /dev/null | tr '\\0' x > /dev/ttyS0; echo the end > /dev/ttyS0");

        assertThat(ask("ringbuf-read", "{'device': 'console', 'size': 10000000}")
                        .strip())
                .contains("the end")
                .hasSizeLessThanOrEqualTo(65536);
        assertThat(used(home().resolve("disk.qcow2")) - before).isLessThan(4 * MIB);
        assertThat(field("VmRSS") - memory).isLessThan(64 << 10);
    }

    /** A disk may say of itself, at its beginning, that it is a qcow2 which lies on a file of the host's. */
    @Test
    void whatAGuestWritesOnItsDiskIsNeverReadAsTheHeadOfOne() throws Exception {
        ssh(Bare.perl("""
                open(my $disk, "+<", "/dev/vda") or die $!;
                syswrite($disk, pack("NNQ>NNQ>NNQ>Q>NNQ>", 0x514649fb, 3, 512, 11, 16, 1 << 30, 0, 1, 3 << 16, 1 << 16, 1, 0, 0));
                sysseek($disk, 512, 0); syswrite($disk, "/etc/shadow"); syscall(74, fileno($disk));"""));
        String look =
                "dd if=/dev/vda bs=1 count=4 2> /dev/null | od -An -tx1; dd if=/dev/vda bs=1 skip=512 count=11 2> /dev/null";

        host.driver().stop(guest, Duration.ofSeconds(Patience.SECONDS));
        host.driver().start(guest);
        host.awaitSsh(GUEST);
        assertThat(ssh(look)).isEqualTo("51 46 49 fb\n/etc/shadow");
        SnapshotId snapshot = host.snapshot(0, guest);
        host.fork(4, snapshot);

        assertThat(host.ssh(4, look).strip()).isEqualTo("51 46 49 fb\n/etc/shadow");
        host.driver().destroy(Host.id(4));
        host.driver().discard(snapshot);
        revive();
    }
}
