package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Btrfs;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.Mounts;
import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of a guest's disk that shares all blocks with it, where the host's file system can do that (XFS and others, but see
 * {@link Btrfs}): it is made in a moment, however much there is, and read while the guest goes on. It is gone when it is
 * closed; what a killed process has left of one is removed before the next.
 */
final class SharedCopy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SharedCopy.class);

    /** How long the disk may take to have all of what the guest has written; then there is no copy. */
    private static final Duration LONGEST_RUNNING = Duration.ofSeconds(60);

    private static final Duration LONGEST_STILL = Duration.ofSeconds(10);

    private final ContainerFiles files;
    private final IdRange ids;

    private SharedCopy(ContainerFiles files, IdRange ids) {
        this.files = files;
        this.ids = ids;
    }

    /**
     * Of the disk of a guest that runs; nothing is copied yet. What the machine still has in memory for that disk is written,
     * so that little is left to write while the guest stands still.
     */
    static SharedCopy prepare(ContainerFiles files, IdRange ids)
            throws IOException, CommandException, InterruptedException {
        SharedCopy copy = new SharedCopy(files, ids);
        copy.close();
        if (Btrfs.has(files.disk()) || !copy.share(files.description()) || !copy.write(LONGEST_RUNNING)) {
            Files.deleteIfExists(files.copy());
        }
        return copy;
    }

    /** Copies the disk of a guest that stands still. Returns whether there is a copy: not every file system has such. */
    boolean take() throws InterruptedException {
        return Files.exists(files.copy()) && write(LONGEST_STILL) && share(files.disk());
    }

    private boolean write(Duration limit) throws InterruptedException {
        return succeeds(
                Command.of("sync", "--file-system", "--", files.mountedDisk().toString())
                        .within(limit));
    }

    private boolean share(Path file) throws InterruptedException {
        return succeeds(Command.of(
                "cp", "--reflink=always", "--", file.toString(), files.copy().toString()));
    }

    private static boolean succeeds(Command command) throws InterruptedException {
        try {
            command.run();
            return true;
        } catch (CommandException e) {
            LOG.debug("no copy that shares blocks: {}", e.getMessage());
            return false;
        }
    }

    /** Mounts it, which goes through its journal, and returns what the guest had written. */
    Path mount() throws IOException, CommandException, InterruptedException {
        PrivateFiles.folder(files.mountedCopy(), ids.base());
        Mounts.image(files.copy(), files.mountedCopy(), Mounts.NO_SETUID | Mounts.NO_DEVICES | Mounts.NO_PROGRAMS, "");
        Files.delete(files.copy()); // it ends with its mount
        return files.mountedCopy().resolve(GuestFileSystem.UPPER);
    }

    @Override
    public void close() throws IOException, CommandException, InterruptedException {
        Mounts.unmountUnder(files.mountedCopy());
        Files.deleteIfExists(files.copy());
    }
}
