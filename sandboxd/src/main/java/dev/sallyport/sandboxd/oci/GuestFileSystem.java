package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Btrfs;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.Mounts;
import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The file system of a guest: an image, layers of snapshots, the guest's layer, and a disk of its own that takes what the
 * guest writes. The disk is a sparse file with ext4 in it, so that it has a limit of bytes and of inodes whatever file system
 * the host has, and goes away as one file.
 */
final class GuestFileSystem {

    /** The folder of its disk that has what the guest has written. */
    static final String UPPER = "upper";

    private static final int FLAGS = Mounts.NO_SETUID | Mounts.NO_DEVICES;

    /** What a layer is does not depend on what this machine's kernel does by default: no notes that lead to other layers. */
    private static final String OPTIONS = "redirect_dir=off,metacopy=off,index=off";

    private final ContainerFiles files;
    private final IdRange ids;
    private final FormattedDisks disks;

    GuestFileSystem(ContainerFiles files, IdRange ids, FormattedDisks disks) {
        this.files = files;
        this.ids = ids;
        this.disks = disks;
    }

    /** Makes the disk. */
    void makeDisk(long bytes) throws IOException, CommandException, InterruptedException {
        PrivateFiles.create(files.disk());
        if (Btrfs.has(files.disk())) {
            Btrfs.writeInPlace(files.disk());
        }
        disks.format(files.disk(), bytes);
    }

    /**
     * Mounts disk and layers.
     *
     * @param lower what lies below the guest's layer, the uppermost first
     */
    void mount(List<Path> lower) throws IOException {
        PrivateFiles.folder(files.mountedDisk(), ids.base());
        PrivateFiles.folder(files.root(), ids.base());
        Mounts.image(files.disk(), files.mountedDisk(), FLAGS, Btrfs.has(files.disk()) ? "" : "discard");
        PrivateFiles.pass(files.mountedDisk(), ids.base());
        Path upper = guestFolder(UPPER);
        Path work = guestFolder("work");
        Mounts.overlay(files.root(), FLAGS, options(lower, upper, work));
    }

    /** The options of the mount of all layers as one; what the kernel takes is a page. */
    String options(List<Path> lower, Path upper, Path work) {
        String below = lower.stream().map(Path::toString).collect(Collectors.joining(":"));
        return OPTIONS + ",lowerdir=" + files.guestLayer() + ":" + below + ",upperdir=" + upper + ",workdir=" + work;
    }

    private Path guestFolder(String name) throws IOException {
        Path folder = files.mountedDisk().resolve(name);
        if (!Files.exists(folder)) {
            Files.createDirectory(folder);
        }
        // Always: a process may have been killed after it had made the folder.
        Files.setAttribute(folder, "unix:uid", ids.base());
        Files.setAttribute(folder, "unix:gid", ids.base());
        return folder;
    }

    /** What the guest has written, while it is mounted. */
    Path written() {
        return files.mountedDisk().resolve(UPPER);
    }

    /** Unmounts all of it. Nothing of the guest may run any more. */
    void unmount() throws IOException, InterruptedException {
        if (Files.exists(files.run())) { // else none of it was ever mounted
            Mounts.unmountUnder(files.run());
        }
    }
}
