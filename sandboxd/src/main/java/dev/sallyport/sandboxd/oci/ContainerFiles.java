package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.VmFiles;
import java.nio.file.Path;

/**
 * The files of a VM that is a container.
 *
 * @param home the folder of the VM
 * @param run what ends with a boot of this machine; made for each start, and gone when nothing of the VM runs
 */
record ContainerFiles(Path home, Path run) {

    static ContainerFiles of(HostSettings settings, VmId id, Path home) {
        return new ContainerFiles(home, runs(settings).resolve(id.value()));
    }

    /** Where what ends with a boot is of all VMs. */
    static Path runs(HostSettings settings) {
        return settings.runDir().resolve("oci");
    }

    /** What the VM is made of: a small file. */
    Path description() {
        return VmFiles.description(home);
    }

    /** The file system that the guest writes to, as a file. */
    Path disk() {
        return home.resolve("disk.img");
    }

    /** Where that is mounted. */
    Path mountedDisk() {
        return run.resolve("disk");
    }

    /** A copy of that file, for as long as it takes to read it. */
    Path copy() {
        return home.resolve("copy.img");
    }

    /** Where the copy is mounted. */
    Path mountedCopy() {
        return run.resolve("copy");
    }

    /** The layer between the image and what the guest writes. */
    Path guestLayer() {
        return run.resolve("guest");
    }

    /** Where the layers are mounted as one. */
    Path root() {
        return run.resolve("rootfs");
    }

    /** The container's configuration. */
    Path config() {
        return run.resolve("config.json");
    }

    /** The number of its first process, as the runtime writes it. */
    Path pid() {
        return run.resolve("pid");
    }

    /** What is run in it next, besides its first process. */
    Path process() {
        return run.resolve("process.json");
    }

    /** What the runtime is told of it when a process joins it. */
    Path runtimeState() {
        return run.resolve("runtime");
    }

    /** What the guest's first process writes; on the guest's own disk, so that it fills that alone. */
    Path console() {
        return mountedDisk().resolve("console.log");
    }

    /** What the runtime complains of. */
    Path complaints() {
        return run.resolve("runtime.log");
    }
}
