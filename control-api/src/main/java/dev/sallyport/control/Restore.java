package dev.sallyport.control;

import dev.sallyport.control.store.PrivateFiles;
import dev.sallyport.control.store.SqliteFile;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreException;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a backup in the place of the SQLite database of a control plane that does not run. The backup is brought up to
 * date and checked beside it first; at each moment, one of the two is in its place, whole.
 */
final class Restore {

    private static final String POINTER = "/database";
    private static final String WRITE_AHEAD_LOG = "-wal";
    private static final String INDEX_OF_LOG = "-shm";
    private static final String JOURNAL = "-journal";

    private static final Logger LOG = LoggerFactory.getLogger(Restore.class);

    private final Path database;
    private final EncryptionKey key;
    private final Clock clock;

    /** @param database its file, which need not be there */
    Restore(Path database, EncryptionKey key, Clock clock) {
        this.database = database.toAbsolutePath();
        this.key = key;
        this.clock = clock;
    }

    /**
     * Restores; what was there, whole or damaged, stays beside it, with the name {@code .replaced}. Owner, group and mode
     * stay as well, since root may restore what belongs to the user of the control plane; where there was nothing, owner
     * and group are those of the folder.
     *
     * @throws ConfigException when the backup cannot be used; then the database is as it was
     */
    void from(Path backup) throws ConfigException {
        Path copy = beside(".restoring");
        Path heldLog = beside(".restoring.replaced" + WRITE_AHEAD_LOG);
        try {
            remove(copy);
            Files.deleteIfExists(heldLog);
            copy(backup, copy);
            prepare(copy);
            if (Files.exists(database)) {
                PrivateFiles.copyAccess(database, copy);
            } else {
                inherit(Objects.requireNonNull(database.getParent()), copy);
            }
            setAside(heldLog);
            Files.move(copy, database, StandardCopyOption.ATOMIC_MOVE);
            PrivateFiles.forceName(database);
        } catch (IOException e) {
            throw new ConfigException(
                    POINTER, "cannot be restored: " + e, "a backup that this user may read, and room");
        } catch (StoreException e) {
            throw new ConfigException(POINTER, "cannot be restored: " + e.getMessage(), e.expected());
        } finally {
            discard(copy);
            discard(heldLog);
        }
    }

    /** Only who may give files away restores what is not its own. */
    private static void inherit(Path folder, Path copy) throws IOException {
        if (!Files.getOwner(folder).equals(Files.getOwner(copy))) {
            PrivateFiles.copyOwner(folder, copy);
        }
    }

    /**
     * Gives the database a second name. Its log is written into it, or keeps a name beside it when the database is too
     * damaged for that, or is not there: SQLite would take the log for that of the backup.
     *
     * @param heldLog a name for the log meanwhile: SQLite removes that of a database that it takes for empty
     */
    private void setAside(Path heldLog) throws IOException {
        Path log = beside(WRITE_AHEAD_LOG);
        boolean there = Files.exists(database);
        if (!there && !Files.exists(log) && !Files.exists(beside(JOURNAL))) {
            return;
        }
        if (Files.exists(log)) {
            Files.createLink(heldLog, log);
        }
        boolean whole = there && writeLog();
        if (whole) {
            refuseIfUsed(database);
        }
        Path kept = beside(".replaced");
        remove(kept);
        if (there) {
            Files.createLink(kept, database);
        }
        if (!whole) {
            moveIfThere(heldLog, withSuffix(kept, WRITE_AHEAD_LOG));
            moveIfThere(beside(JOURNAL), withSuffix(kept, JOURNAL));
            Files.deleteIfExists(log);
            Files.deleteIfExists(beside(INDEX_OF_LOG));
        }
    }

    private boolean writeLog() throws IOException {
        try {
            SqliteFile.writeLog(database);
            return true;
        } catch (StoreException e) {
            LOG.warn("{}; it is replaced all the same", e.getMessage());
            return false;
        }
    }

    private static void moveIfThere(Path from, Path to) throws IOException {
        if (Files.exists(from)) {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static void copy(Path backup, Path copy) throws IOException {
        try (FileChannel in = FileChannel.open(backup, StandardOpenOption.READ);
                FileChannel out = PrivateFiles.create(copy)) {
            long at = 0;
            while (at < in.size()) {
                at += in.transferTo(at, in.size() - at, out);
            }
            out.force(true);
        }
    }

    private void prepare(Path copy) throws StoreException, ConfigException, IOException {
        SqliteFile.check(copy);
        try (Store store = Store.open(new StoreSettings(SqliteFile.url(copy), null, null), clock)) {
            KeyCheck.check(store, KeyCheck.envelope(key, store));
            store.beginEpoch();
        }
        refuseIfUsed(copy);
    }

    /** Whoever closes a database as the last writes its log into it. The log of one must not be taken for another's. */
    private static void refuseIfUsed(Path file) throws IOException {
        if (Files.exists(withSuffix(file, WRITE_AHEAD_LOG))) {
            throw new IOException("another process uses " + file);
        }
    }

    private static void remove(Path file) throws IOException {
        for (String suffix : List.of("", WRITE_AHEAD_LOG, INDEX_OF_LOG, JOURNAL)) {
            Files.deleteIfExists(withSuffix(file, suffix));
        }
    }

    /** Removes what only a restore needs; whether that succeeds does not change how the restore ended. */
    private static void discard(Path file) {
        try {
            remove(file);
        } catch (IOException e) {
            LOG.warn("a part of a restore stays: {}", e.toString());
        }
    }

    private Path beside(String suffix) {
        return withSuffix(database, suffix);
    }

    private static Path withSuffix(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }
}
