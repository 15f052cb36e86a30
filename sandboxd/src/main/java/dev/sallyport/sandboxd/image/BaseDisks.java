package dev.sallyport.sandboxd.image;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Images as disks with ext4 on them, beside the trees that they are made from, and removed with these. Made once for each
 * size, by a process that is nobody outside of its user namespace, and without a mount. For any number of threads of one
 * process.
 */
public final class BaseDisks {

    private static final Duration LONGEST = Duration.ofMinutes(15);
    private static final long MIB = 1L << 20;

    /** What ext4 needs for itself, besides the tables of inodes. */
    private static final long OVERHEAD = 24 * MIB;

    /** How much of a disk there is for each inode, as mke2fs has it. */
    private static final long BYTES_PER_INODE = 16_384;

    private static final long INODE = 256;

    private final ImageStore images;
    private final IdRange ids;
    private final ReentrantLock making = new ReentrantLock();

    /** @param ids whom the files of images belong to */
    public BaseDisks(ImageStore images, IdRange ids) {
        this.images = images;
        this.ids = ids;
    }

    /**
     * An image as a disk, which is made when it is missing. The caller holds the image.
     *
     * @param free how much can be written on top of what the image has, in bytes
     */
    public Path of(String digest, long free) throws IOException, CommandException, InterruptedException {
        Path root = images.root(digest);
        Path disk = root.resolveSibling("disk-" + free + ".ext4");
        if (!Files.exists(disk)) {
            making.lockInterruptibly();
            try {
                if (!Files.exists(disk)) {
                    make(root, disk, free);
                }
            } finally {
                making.unlock();
            }
        }
        return disk;
    }

    private void make(Path root, Path disk, long free) throws IOException, CommandException, InterruptedException {
        long used = measure(root, "--block-size=1");
        long inodes = measure(root, "--inodes") + free / BYTES_PER_INODE + 1000;
        long size = used + used / 50 + inodes * INODE + free + free / 50 + OVERHEAD;
        Path fresh = disk.resolveSibling(".new-" + disk.getFileName());
        Files.deleteIfExists(fresh);
        PrivateFiles.create(fresh);
        try {
            try (RandomAccessFile file = new RandomAccessFile(fresh.toFile(), "rw")) {
                file.setLength((size + MIB - 1) / MIB * MIB);
            }
            Files.setAttribute(fresh, "unix:uid", ids.base());
            Files.setAttribute(fresh, "unix:gid", ids.base());
            try (UserNamespace namespace = UserNamespace.open(ids)) {
                Command.of(namespace.command(mke2fs(root, fresh, inodes)))
                        .within(LONGEST)
                        .run();
            }
            Files.setAttribute(fresh, "unix:uid", 0);
            Files.setAttribute(fresh, "unix:gid", 0);
            Files.move(fresh, disk, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static List<String> mke2fs(Path root, Path disk, long inodes) {
        return List.of(
                "mke2fs",
                "-q",
                "-F",
                "-t",
                "ext4",
                "-b",
                "4096",
                "-m",
                "0",
                "-J",
                "size=16",
                "-N",
                Long.toString(inodes),
                "-E",
                "lazy_itable_init=1,lazy_journal_init=1,root_owner=0:0,nodiscard",
                "-d",
                root.toString(),
                disk.toString());
    }

    private static long measure(Path root, String unit) throws CommandException, InterruptedException {
        String counted = Command.of("du", "--summarize", unit, "--one-file-system", "--", root.toString())
                .within(LONGEST)
                .run();
        return Long.parseLong(counted.substring(0, counted.indexOf('\t')));
    }
}
