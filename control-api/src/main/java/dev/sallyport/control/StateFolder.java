package dev.sallyport.control;

import dev.sallyport.control.store.PrivateFiles;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The folder of a control plane's state, which one process uses at a time. */
final class StateFolder implements AutoCloseable {

    private static final String POINTER = "/state_dir";

    private final Path folder;
    private final FileChannel lock;

    private StateFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Makes the folder where there is none, and takes it.
     *
     * @throws ConfigException when that fails, or when another process has it
     */
    static StateFolder take(Path folder) throws ConfigException {
        try {
            make(folder);
            if (PrivateFiles.isOpenToOthers(folder)) {
                throw new ConfigException(POINTER, folder + " is open to other users", "a folder with mode 0700");
            }
            FileChannel channel =
                    FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isTaken(channel)) {
                channel.close();
                throw new ConfigException(POINTER, "another control plane uses this folder", "a folder of its own");
            }
            return new StateFolder(folder, channel);
        } catch (IOException e) {
            throw new ConfigException(POINTER, "cannot be used: " + e, "a folder that this user may write");
        }
    }

    private static void make(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (!Files.isDirectory(folder)) {
            PrivateFiles.createFolder(folder);
        }
    }

    private static boolean isTaken(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** The SQLite database, where no other one is configured. */
    String databaseUrl() {
        return "jdbc:sqlite:" + folder.resolve("control.db");
    }

    /** The file of the encryption key, where nothing else is configured. */
    Path keyFile() {
        return folder.resolve("encryption.key");
    }

    /** Where administrative commands connect. */
    Path socket() {
        return socket(folder);
    }

    /** As above, for those who connect. */
    static Path socket(Path folder) {
        return folder.resolve("admin.sock");
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
