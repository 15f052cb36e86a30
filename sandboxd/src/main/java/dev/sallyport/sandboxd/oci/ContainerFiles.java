package dev.sallyport.sandboxd.oci;

import java.nio.file.Path;

/**
 * The files of a VM that is a container.
 *
 * @param home the folder of the VM
 */
record ContainerFiles(Path home) {

    /** The file system that the guest writes to, as a file. */
    Path disk() {
        return home.resolve("disk.img");
    }

    /** Where that is mounted. */
    Path mountedDisk() {
        return home.resolve("disk");
    }

    /** A copy of that file, for as long as it takes to read it. */
    Path copy() {
        return home.resolve("copy.img");
    }

    /** Where the copy is mounted. */
    Path mountedCopy() {
        return home.resolve("copy");
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
