package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What QEMU is told. */
class QemuArgumentsTest {

    private static List<String> list(Accelerator.Kind accelerator) {
        return list(accelerator, true, false);
    }

    private static List<String> list(Accelerator.Kind accelerator, boolean discard, boolean incoming) {
        return new QemuArguments(
                        new VmId("vm_" + "a".repeat(26)),
                        new VmLimits(512L << 20, 500, 100, 1L << 30),
                        Path.of("/s/kernel/6.1/vmlinuz"),
                        new QemuFiles(Path.of("/s/vms/vm_x"), Path.of("/r/qemu/vm_x")),
                        List.of(
                                Path.of("/s/layers/b/disk.qcow2"),
                                Path.of("/s/layers/a/disk.qcow2"),
                                Path.of("/s/images/i/disk.ext4")),
                        "svh258",
                        258,
                        1_879_048_450,
                        accelerator,
                        discard,
                        incoming)
                .list();
    }

    private static String after(List<String> all, String option) {
        return all.get(all.indexOf(option) + 1);
    }

    @Test
    void qemuIsNobodyAndGetsNoRights() {
        List<String> all = list(Accelerator.Kind.TCG);

        assertThat(after(all, "-runas")).isEqualTo("1879048450:1879048450");
        assertThat(after(all, "-sandbox")).isEqualTo("on,obsolete=deny,spawn=deny,resourcecontrol=deny");
        assertThat(all).contains("-nodefaults", "-no-user-config", "-S", "-no-reboot");
    }

    @Test
    void theMachineHasADiskATapAPortAndNothingElse() {
        List<String> all = list(Accelerator.Kind.TCG);

        assertThat(after(all, "-m")).isEqualTo("512M");
        assertThat(after(all, "-smp")).isEqualTo("1");
        assertThat(all.stream().filter(option -> option.contains("node-name=")))
                .containsExactly(
                        "driver=raw,node-name=below2,read-only=on,file.driver=file,file.filename=/s/images/i/disk.ext4",
                        "driver=qcow2,backing=below2,node-name=below1,read-only=on,file.driver=file,file.filename=/s/layers/a/disk.qcow2",
                        "driver=qcow2,backing=below1,node-name=below0,read-only=on,file.driver=file,file.filename=/s/layers/b/disk.qcow2",
                        "driver=qcow2,backing=below0,node-name=disk,discard=unmap,file.driver=file,file.filename=/s/vms/vm_x/disk.qcow2");
        assertThat(after(all, "-netdev")).isEqualTo("tap,id=net,script=no,downscript=no,vhost=off,ifname=svh258");
        assertThat(all.stream().filter("-device"::equals)).hasSize(6);
        assertThat(after(all, "-machine")).contains("usb=off", "sata=off", "smbus=off", "i8042=off");
        assertThat(all).contains("virtio-blk-pci,drive=disk,werror=report,rerror=report");
        assertThat(all).anyMatch(option -> option.endsWith("mac=52:54:00:00:01:02"));
    }

    @Test
    void whereNoRoomIsGivenBackNoneOfTheDiskIsFreed() {
        assertThat(list(Accelerator.Kind.TCG, false, false))
                .anyMatch(option -> option.contains("node-name=disk,discard=ignore,"))
                .noneMatch(option -> option.contains("unmap"));
    }

    @Test
    void theAcceleratorIsTheOneThatWasFound() {
        assertThat(after(list(Accelerator.Kind.TCG), "-accel")).startsWith("tcg,");
        assertThat(after(list(Accelerator.Kind.KVM), "-accel")).isEqualTo("kvm");
        assertThat(after(list(Accelerator.Kind.KVM), "-cpu")).isEqualTo("host");
    }

    @Test
    void eachMachineHasANumberOfItsGeneration() {
        assertThat(list(Accelerator.Kind.TCG)).contains("vmgenid,guid=auto");
    }

    @Test
    void oneThatGoesOnWaitsForAStateAndHasTheSameDevices() {
        List<String> boots = list(Accelerator.Kind.TCG);

        List<String> goesOn = list(Accelerator.Kind.TCG, true, true);

        assertThat(goesOn).startsWith(boots.toArray(String[]::new)).hasSize(boots.size() + 2);
        assertThat(after(goesOn, "-incoming")).isEqualTo("unix:/r/qemu/vm_x/incoming");
    }

    @Test
    void thereAreAsManyProcessorsAsItMayUseAndThisMachineHas() {
        int here = Runtime.getRuntime().availableProcessors();

        assertThat(QemuArguments.processors(new VmLimits(1 << 28, 10, 100, 1 << 30)))
                .isEqualTo(1);
        assertThat(QemuArguments.processors(new VmLimits(1 << 28, 1001, 100, 1 << 30)))
                .isEqualTo(Math.min(2, here));
        assertThat(QemuArguments.processors(new VmLimits(1 << 28, 1_024_000, 100, 1 << 30)))
                .isEqualTo(Math.min(255, here));
    }
}
