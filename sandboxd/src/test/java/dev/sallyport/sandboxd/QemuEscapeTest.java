package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandboxd.image.IdRange;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a guest with a kernel of its own may try at its machine's border, and that neither the host nor its neighbour notice
 * anything of it. Inside, its root may do everything.
 */
@Tag("long")
class QemuEscapeTest extends TwoMachines {

    @Test
    void theMachineHasTheseDevicesAndNoOthers() throws Exception {
        assertThat(ask("human-monitor-command", "{'command-line': 'info qtree'}")
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.startsWith("dev: "))
                        .map(line -> line.split("[ ,]+", -1)[1].replaceAll("^(kvm|isa)-(i8259|ioapic|pit)$", "$2"))
                        .filter(device -> !device.equals("kvmclock")))
                .containsExactlyInAnyOrder(
                        // what makes it a PC
                        "q35-pcihost",
                        "mch",
                        "ICH9-LPC",
                        "ioapic",
                        "kvmvapic",
                        "hpet",
                        "mc146818rtc",
                        "i8259",
                        "i8259",
                        "pit",
                        "isa-pcspk",
                        "i8257",
                        "i8257",
                        "fw_cfg_io",
                        // what a guest is for
                        "virtio-blk-pci",
                        "virtio-blk-device",
                        "virtio-net-pci",
                        "virtio-net-device",
                        "virtio-rng-pci",
                        "virtio-rng-device",
                        "virtio-serial-pci",
                        "virtio-serial-device",
                        "virtserialport",
                        "isa-serial");
        assertThat(ssh("cat /sys/bus/pci/devices/*/device").lines())
                .containsExactlyInAnyOrder("0x29c0", "0x2918", "0x1000", "0x1001", "0x1003", "0x1005");
    }

    @Test
    void theFirmwareIsToldNothingOfTheHost() throws Exception {
        String told = ssh(Bare.pieces("""
                sub item { my ($number, $size) = @_; my @read = ports([4, 0x510, $number], map { [0, 0x511, 0] } 1..$size);
                  pack("C*", map { $_ & 255 } @read[1..$size]) }
                my $count = unpack("N", item(0x19, 4));
                my $all = item(0x19, 4 + 64 * $count);
                print unpack("Z56", substr($all, 12 + 64 * $_, 56)), "\\n" for 0..$count - 1;
                print item(0x15, unpack("L", item(0x14, 4)) - 1), "\\n", unpack("H*", item(2, 16)), "\\n\""""));

        assertThat(told)
                .as("names, the command line, and no number of the machine")
                .endsWith("ipv6.disable_ipv6=1\n" + "0".repeat(32))
                .doesNotContain(host.folder().toString(), "sandboxd", guest.value());
        assertThat(told.lines()
                        .filter(line -> !line.contains("="))
                        .filter(line -> !line.startsWith("000"))
                        .filter(line -> !line.equals("etc/msr_feature_control")))
                .containsExactlyInAnyOrder(
                        "bios-geometry",
                        "bootorder",
                        "etc/acpi/rsdp",
                        "etc/acpi/tables",
                        "etc/boot-fail-wait",
                        "etc/e820",
                        "etc/smbios/smbios-anchor",
                        "etc/smbios/smbios-tables",
                        "etc/smi/features-ok",
                        "etc/smi/requested-features",
                        "etc/smi/supported-features",
                        "etc/system-states",
                        "etc/table-loader",
                        "etc/tpm/log",
                        "etc/vmgenid_addr",
                        "etc/vmgenid_guid",
                        "genroms/kvmvapic.bin",
                        "genroms/linuxboot_dma.bin");
    }

    @Test
    void qemuHoldsItsDiskItsTapAndItsSocketsAndNothingElse() throws Exception {
        String pid = pid();

        assertThat(host.run(
                                "sh",
                                "-c",
                                "cd /proc/" + pid
                                        + "/fd; for i in *; do f=$(sed -n 's/^flags:.*\\(.\\)$/\\1/p' ../fdinfo/$i);"
                                        + " echo \"$(readlink $i | sed 's/:\\[.*/:/') $((f & 3))\"; done")
                        .lines()
                        .map(line -> line.replaceAll("/images/[0-9a-f]{64}/disk-[0-9]+", "/images/IMAGE"))
                        .filter(line -> !line.startsWith("anon_inode:")))
                .containsExactlyInAnyOrder(
                        "/dev/null 0",
                        "/dev/null 1",
                        home() + "/qemu.log 1",
                        host.folder() + "/images/IMAGE.ext4 0",
                        home() + "/disk.qcow2 2",
                        "/dev/net/tun 2",
                        "socket: 2",
                        "socket: 2");
        assertThat(host.run("grep", "-E", "^(Groups|CapInh|CapPrm|CapAmb|Threads):", "/proc/" + pid + "/status")
                        .lines()
                        .map(line -> line.replaceAll("\\s+", " ").strip()))
                .contains(
                        "Groups: " + (IdRange.DEFAULT.base() + GUEST),
                        "CapInh: 0000000000000000",
                        "CapPrm: 0000000000000000",
                        "CapAmb: 0000000000000000");
        assertThat(host.run("grep", "^Max core file size", "/proc/" + pid + "/limits")
                        .split("\\s{2,}"))
                .startsWith("Max core file size", "0", "0");
    }

    @Test
    void whoeverTakesQemuOverReachesNoFileOfOthers() throws Exception {
        String user = Integer.toString(IdRange.DEFAULT.base() + GUEST);
        String list = "/run/everything";
        host.run(
                "sh",
                "-c",
                "cd " + host.folder() + " && find $PWD/images $PWD/kernel $PWD/vms $PWD/s /run/sandboxd " + list
                        + " -maxdepth 3 > " + list + "; grep -q disk.qcow2 " + list + " && grep -q qmp " + list);

        assertThat(host.run(
                        "setpriv",
                        "--reuid=" + user,
                        "--regid=" + user,
                        "--clear-groups",
                        "--no-new-privs",
                        "sh",
                        "-c",
                        "while read -r f; do if [ -r $f ] || [ -w $f ]; then echo $f; fi; done < " + list))
                .as("the list itself alone")
                .isEqualTo(list + "\n");
    }

    /** Whatever is written where: at most this guest ends by it. Its kernel lets go of two devices before. */
    @ParameterizedTest
    @MethodSource("places")
    void nonsenseInRegistersHarmsNobodyElse(String place) throws Exception {
        long seed = System.nanoTime();
        ssh("for d in /sys/bus/pci/devices/*; do case $(cat $d/device) in 0x1003|0x1005)"
                + " echo ${d##*/} > $d/driver/unbind; ln -sfn $d /run/$(cat $d/device);; esac; done");
        assertThat(ssh(Bare.pieces("print pieces(\"/run/$_/resource4\", [8, 0, 0]) == 1 for qw(0x1003 0x1005);")))
                .as("its registers are reached")
                .isEqualTo("11");

        ssh(Bare.pieces("""
                srand(%d);
                sub value { (0, 0xffffffff, 1 << int rand 32, int rand 256, int rand 2**32)[rand 5] }
                sub nonsense { my ($base, $size) = @_; map { my $p = rand 2 < 1;
                  [$p ? 7 : 9, $base + ($p ? int rand $size : 4 * int rand $size / 4), value()] } 1..6000 }
                sub writes { my ($base, $size) = @_; map { [3 + int rand 3, $base + int rand $size, value()] } 1..6000 }
                sub begin { open(my $in, "<", "$_[0]/resource"); (map { hex((split)[0]) } <$in>)[0] }
                %s""".formatted(seed, place)));

        if (runs()) {
            host.driver().stop(guest, Duration.ZERO);
        }
        assertThat(host.driver().observe(guest)).as("seed %d", seed).isEqualTo(new Observed.Stopped());
    }

    static Stream<String> places() {
        return Stream.of(
                "pieces(\"/run/$_/resource4\", nonsense(0, 16384)) for qw(0x1003 0x1005);",
                "ports(writes(begin(\"/run/$_\"), 32)) for qw(0x1003 0x1005);",
                """
                for my $d (glob("/sys/bus/pci/devices/*")) { ports(writes(begin($d), 128)) if begin($d) }
                """,
                """
                for (1..600) { for my $d (qw(0x1003 0x1005)) {
                  open(my $c, "+<", "/run/$d/config"); sysseek($c, 4 + int rand 250, 0); syswrite($c, pack("L", value())) } }
                for my $d (reverse glob("/sys/bus/pci/devices/*")) { for (1..600) {
                  open(my $c, "+<", "$d/config"); sysseek($c, 4 + int rand 250, 0); syswrite($c, pack("L", value())) } }
                """,
                "ports(map { [3 + int rand 3, int rand 0x600, value()] } 1..6000);",
                "ports(writes(0x600, 128));",
                "ports(writes(0xcd8, 12));");
    }

    /** Each way to end a machine ends it, and leaves nothing that runs. */
    @ParameterizedTest
    @MethodSource("ends")
    void whateverEndsTheMachineStopsIt(String script) throws Exception {
        ssh(Bare.soon(script));

        awaitStopped();
        assertThat(host.traces()).containsKey("files");
        assertThat(host.run("sh", "-c", "pgrep -f '[q]emu-system-x86_64 -name " + guest + "' || true"))
                .isEmpty();
        host.driver().start(guest);
        host.awaitSsh(GUEST);
    }

    static Stream<String> ends() {
        return Stream.of(
                "echo c > /proc/sysrq-trigger",
                "/run/sallyport/busybox reboot -f",
                Bare.pieces("ports([3, 0xcf9, 2], [3, 0xcf9, 6]);"),
                Bare.pieces("ports([4, 0x604, 0x2800]);"), // S4
                // By kexec: a page that has the processor take exceptions from nowhere, and then one.
                Bare.perl("""
                        my $code = pack("H*", "0f011d01000000cc" . "00" x 10);
                        syscall(246, 0x1000000, 1, pack("PQQQ", $code, length $code, 0x1000000, 4096), 62 << 16);
                        syscall(169, 0xfee1dead, 672274793, 0x45584543, 0);"""));
    }

    @Test
    void oneThatSleepsIsStoppedByItsDriver() throws Exception {
        ssh(Bare.soon(Bare.pieces("ports([4, 0x604, 0x2400]);"))); // S3, and nothing that wakes it
        while (!ask("query-status", "{}").contains("suspended")) {
            Thread.sleep(20);
        }

        assertThat(host.driver().observe(guest)).isInstanceOf(Observed.Running.class);
        host.driver().capture(Host.snapshotId(0), guest);
        host.driver().discard(Host.snapshotId(0));
        assertThat(host.driver().observe(guest)).isInstanceOf(Observed.Running.class);
        host.driver().stop(guest, Duration.ofSeconds(1));
        assertThat(host.driver().observe(guest)).isEqualTo(new Observed.Stopped());
        host.driver().start(guest);
        host.awaitSsh(GUEST);
    }
}
