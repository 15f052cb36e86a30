package dev.sallyport.sandboxd.vm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/** Files that this process has locked until it closes them or ends, however it ends. For one thread. */
final class ProcessLocks implements AutoCloseable {

    private final Deque<FileChannel> held = new ArrayDeque<>();

    /**
     * Locks a file, which is made when it is missing.
     *
     * @return false when a process holds it, this one included
     */
    boolean take(Path file) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        boolean taken = false;
        try {
            taken = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } finally {
            if (taken) {
                held.push(channel);
            } else {
                channel.close();
            }
        }
        return taken;
    }

    /** Lets go of all of them, the last one first. */
    @Override
    public void close() throws IOException {
        while (!held.isEmpty()) {
            held.pop().close();
        }
    }
}
