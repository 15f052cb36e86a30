package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a VM that is a virtual machine.
 *
 * @param home the folder of the VM
 * @param run what ends with a boot of this machine
 */
record QemuFiles(Path home, Path run) {

    static QemuFiles of(HostSettings settings, VmId id, Path home) {
        return new QemuFiles(home, settings.runDir().resolve("qemu").resolve(id.value()));
    }

    /** What the guest has written. */
    Path disk() {
        return home.resolve(DiskForm.NAME);
    }

    /** What its disk was made as. */
    Path made() {
        return home.resolve("disk.made");
    }

    /** What the guest is told, as an archive that follows that of the first file system. */
    Path told() {
        return home.resolve("guest.cpio");
    }

    /** The script of the profile that the guest was given last, as an archive that follows that one; not there before. */
    Path profile() {
        return home.resolve("profile.cpio");
    }

    /** What QEMU complains of. */
    Path complaints() {
        return home.resolve("qemu.log");
    }

    /** The first file system, with what the guest is told; there while QEMU reads it. */
    Path initramfs() {
        return run.resolve("initramfs");
    }

    /** Where QEMU listens. */
    Path monitor() {
        return run.resolve("qmp");
    }

    /** Where the port of the guest's is. */
    Path port() {
        return run.resolve("port");
    }

    /** What its parent had in memory, from which it goes on when it is started for the first time. */
    Path memory() {
        return home.resolve("memory");
    }

    /** Of what shape the machine is that runs, for the copies of its memory. */
    Path shape() {
        return run.resolve("shape");
    }

    /** There while a machine that has its parent's memory does not have an identity of its own yet. */
    Path renewing() {
        return run.resolve("renewing");
    }

    /** Where QEMU takes in the state of another one. */
    Path incoming() {
        return run.resolve("incoming");
    }

    /** The folder in which QEMU runs, the only one that it may pass through. */
    Path folder() {
        return run.resolve("cwd");
    }

    /** Where QEMU writes its state, by the name that this has in {@link #folder}. */
    Path outgoing() {
        return folder().resolve("state");
    }

    /** The shape of the machine that runs; empty where it is not known. */
    String knownShape() throws IOException {
        return Files.exists(shape()) ? Files.readString(shape()).strip() : "";
    }
}
