package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What QEMU is told about a virtual machine. It opens what it needs as root, and is nobody before the guest's first
 * instruction: a user of its own, without rights or a way to get any, and without the system calls to start programs.
 *
 * @param id whose it is
 * @param limits how large it is
 * @param kernel what it boots
 * @param files where its files and sockets are
 * @param below what its disk lies on, the uppermost first, and the image's last; what a disk says of that counts for nothing
 * @param tap the name of the tap that it makes
 * @param index the number of its address, for that of its network card
 * @param user the user that QEMU becomes, and the group
 * @param accelerator what runs its processors
 * @param discard whether what the guest discards of its disk is given back
 * @param incoming whether it waits for the state of another machine, in the place of booting
 */
record QemuArguments(
        VmId id,
        VmLimits limits,
        Path kernel,
        QemuFiles files,
        List<Path> below,
        String tap,
        int index,
        int user,
        Accelerator.Kind accelerator,
        boolean discard,
        boolean incoming) {

    /** Changes with the devices below: a machine goes on from the state of one that has the same. */
    static final int FORM = 2;

    /** Of TCG: for the code that it makes out of the guest's. */
    static final int CODE_MIB = 128;

    private static final int MIB = 1 << 20;
    private static final int MOST_PROCESSORS = 255;

    /** Without the controllers that a PC has and no guest needs: each of them reads what a guest writes. */
    private static final String MACHINE = "q35,usb=off,vmport=off,sata=off,smbus=off,i8042=off,dump-guest-core=off";

    /** mitigations=off: only the guest's own users are kept from each other by these. */
    private static final String COMMAND_LINE = "console=ttyS0 quiet loglevel=3 panic=-1 net.ifnames=0 tsc=reliable"
            + " no_timer_check mitigations=off random.trust_cpu=on ipv6.disable_ipv6=1";

    /** How many processors it has: the cgroup limits their time. */
    static int processors(VmLimits limits) {
        int wanted = (limits.cpuMillis() + 999) / 1000;
        return Math.max(1, Math.min(wanted, Math.min(Runtime.getRuntime().availableProcessors(), MOST_PROCESSORS)));
    }

    List<String> list() {
        List<String> all = new ArrayList<>(List.of("qemu-system-x86_64", "-name", id.value()));
        all.addAll(List.of("-machine", MACHINE));
        all.addAll(
                accelerator == Accelerator.Kind.KVM
                        ? List.of("-accel", "kvm", "-cpu", "host")
                        : List.of("-accel", "tcg,tb-size=" + CODE_MIB, "-cpu", "max"));
        all.addAll(List.of("-m", limits.memoryBytes() / MIB + "M", "-smp", Integer.toString(processors(limits))));
        all.addAll(List.of("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-S"));
        all.addAll(List.of("-sandbox", "on,obsolete=deny,spawn=deny,resourcecontrol=deny"));
        all.addAll(List.of("-runas", user + ":" + user));
        all.addAll(List.of(
                "-kernel", kernel.toString(), "-initrd", files.initramfs().toString()));
        all.addAll(List.of("-append", COMMAND_LINE));
        for (int i = below.size() - 1; i >= 0; i--) {
            String form = i == below.size() - 1 ? "driver=raw" : "driver=qcow2,backing=below" + (i + 1);
            all.addAll(blockdev(form + ",node-name=below" + i + ",read-only=on", below.get(i)));
        }
        all.addAll(blockdev(
                "driver=qcow2,backing=below0,node-name=disk,discard=" + (discard ? "unmap" : "ignore"), files.disk()));
        all.addAll(List.of(
                "-device",
                // The guest is told when this machine's disk is full, in the place of standing still until somebody
                // sees it.
                "virtio-blk-pci,drive=disk,werror=report,rerror=report"));
        all.addAll(List.of(
                "-netdev",
                "tap,id=net,script=no,downscript=no,vhost=off,ifname=" + tap,
                "-device",
                "virtio-net-pci,netdev=net,romfile=,mac=" + card()));
        all.addAll(List.of("-device", "virtio-rng-pci", "-device", "vmgenid,guid=auto"));
        all.addAll(List.of("-device", "virtio-serial-pci,max_ports=2"));
        all.addAll(socket("port", files.port()));
        all.addAll(List.of("-device", "virtserialport,chardev=port,name=dev.sallyport"));
        all.addAll(socket("monitor", files.monitor()));
        all.addAll(List.of("-mon", "chardev=monitor,mode=control"));
        all.addAll(List.of("-chardev", "ringbuf,id=console,size=65536", "-serial", "chardev:console"));
        if (incoming) {
            all.addAll(List.of("-incoming", "unix:" + files.incoming()));
        }
        return all;
    }

    private static List<String> blockdev(String options, Path file) {
        return List.of("-blockdev", options + ",file.driver=file,file.filename=" + file);
    }

    private static List<String> socket(String name, Path path) {
        return List.of("-chardev", "socket,id=" + name + ",server=on,wait=off,path=" + path);
    }

    /** The address of its network card. */
    String card() {
        return String.format(Locale.ROOT, "52:54:00:%02x:%02x:%02x", index >> 16 & 255, index >> 8 & 255, index & 255);
    }
}
