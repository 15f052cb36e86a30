package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.VmId;
import java.nio.file.Path;

/**
 * The files of a VM.
 *
 * @param home all that stays over a boot
 * @param run what ends with a boot: a file that names its first process
 */
record VmFiles(Path home, Path run) {

    static VmFiles of(OciSettings settings, VmId id) {
        return new VmFiles(
                settings.vms().resolve(id.value()),
                settings.runDir().resolve("vms").resolve(id.value()));
    }

    /** What it is made of. Written last, so that a VM without it is half made. */
    Path description() {
        return home.resolve("vm.json");
    }

    /** The secret half of the key of its sshd. */
    Path hostKey() {
        return home.resolve("ssh_host_key.json");
    }

    /** The file system that the guest writes to, as a file. */
    Path disk() {
        return home.resolve("disk.img");
    }

    /** Where that is mounted. */
    Path mountedDisk() {
        return home.resolve("disk");
    }

    /** The layer between the image and what the guest writes. */
    Path guestLayer() {
        return home.resolve("guest");
    }

    /** Where the layers are mounted as one. */
    Path root() {
        return home.resolve("rootfs");
    }

    /** The container's configuration. */
    Path config() {
        return home.resolve("config.json");
    }

    /** What is run in it next, besides its first process. */
    Path process() {
        return home.resolve("process.json");
    }

    /** What the runtime is told of it when a process joins it. */
    Path runtimeState() {
        return home.resolve("runtime");
    }

    /** What the guest's first process writes; on the guest's own disk, so that it fills that alone. */
    Path console() {
        return mountedDisk().resolve("console.log");
    }

    /** What the runtime complains of. */
    Path complaints() {
        return home.resolve("runtime.log");
    }
}
