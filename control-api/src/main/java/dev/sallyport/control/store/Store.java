package dev.sallyport.control.store;

import com.zaxxer.hikari.HikariDataSource;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database: SQLite with one writer that commits in groups, or PostgreSQL. The statements of services are the same on
 * both. Thread-safe; all methods block.
 */
public final class Store implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Store.class);

    private static final int PORTION = 1000;
    private final Dialect dialect;
    private final HikariDataSource pool;
    private final Jdbi jdbi;
    private final @Nullable SqliteReaders readers;
    private final Writer writer;
    private final List<Wake> wakes = new CopyOnWriteArrayList<>();
    private final @Nullable ChangeListener listener;
    private final AtomicBoolean listening = new AtomicBoolean();

    private Store(
            StoreSettings settings, HikariDataSource pool, Jdbi jdbi, @Nullable SqliteReaders readers, Writer writer) {
        this.dialect = settings.dialect();
        this.listener = dialect == Dialect.POSTGRESQL ? new ChangeListener(settings, this::wakeAll) : null;
        this.pool = pool;
        this.jdbi = jdbi;
        this.readers = readers;
        this.writer = writer;
    }

    /**
     * Connects, and brings the schema up to date.
     *
     * @throws StoreException when the database cannot be reached, or was made by a newer version
     */
    public static Store open(StoreSettings settings, Clock clock) throws StoreException {
        return open(settings, clock, OpenTelemetry.noop());
    }

    /** As above, with meters. */
    public static Store open(StoreSettings settings, Clock clock, OpenTelemetry telemetry) throws StoreException {
        StoreMeters meters = new StoreMeters(telemetry);
        HikariDataSource pool = Connections.pool(settings);
        try {
            Migrations.run(pool, settings.dialect());
            Jdbi jdbi = Connections.jdbi(pool, settings.dialect());
            SqliteReaders readers = Connections.readers(jdbi, settings.dialect());
            return analyzed(
                    new Store(settings, pool, jdbi, readers, Connections.writer(settings, jdbi, clock, meters)));
        } catch (StoreException | RuntimeException e) {
            pool.close();
            throw e;
        } catch (SQLException e) {
            pool.close();
            throw new StoreException("the database cannot be used: " + StoreException.oneLine(e), "");
        }
    }

    private static Store analyzed(Store store) {
        try {
            Epoch.ensure(store);
            PositionSecret.ensure(store);
            store.analyze();
            return store;
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Reads; sees everything that was written before. */
    public <T> T read(Function<Handle, T> query) {
        return readers == null ? jdbi.withHandle(query::apply) : readers.read(query);
    }

    /**
     * Reads the first rows of an order that indexes have. PostgreSQL would else now and then sort all rows of a value that
     * it takes for a rare one.
     */
    public <T> T readInOrder(Function<Handle, T> query) {
        String takingOrder = dialect.takingOrder();
        if (takingOrder == null) {
            return read(query);
        }
        return read(handle -> handle.inTransaction(transaction -> {
            transaction.execute(takingOrder);
            return query.apply(transaction);
        }));
    }

    /** Reads with several statements that all see the same moment. */
    public <T> T readAtOneMoment(Function<Handle, T> query) {
        return read(handle -> {
            Statements.update(handle, dialect.beginReading());
            try {
                return query.apply(handle);
            } finally {
                Statements.update(handle, "rollback");
            }
        });
    }

    /**
     * Runs a transaction and returns once it is durable. Runtime exceptions of the work come through, and undo it.
     */
    public <T> Written<T> write(Work<T> work) {
        Written<T> written = writer.write(work);
        if (written.position() > 0) {
            wakes.forEach(each -> each.after(written.kinds()));
        }
        return written;
    }

    /**
     * The same for work that locks what others read and write: when they have it, and do not soon give it back, it is
     * undone and gives up, so that nobody has to wait behind it.
     *
     * @return whether it was done
     */
    public boolean writeUnlessBusy(Work<?> work) {
        String lockTimeout = dialect.lockTimeout();
        try {
            write(transaction -> {
                if (lockTimeout != null) {
                    transaction.sql().execute(lockTimeout);
                }
                return work.in(transaction);
            });
            return true;
        } catch (RuntimeException e) {
            if (dialect.gaveUp(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Whether tables that grow by time are divided by it, so that what is old goes without being deleted row by row. */
    public boolean hasPartitions() {
        return dialect.hasPartitions();
    }

    /**
     * Does something long that no other process does at the same time; empty when one does. PostgreSQL takes a connection
     * for that meanwhile; a SQLite has one process.
     *
     * @param name of what is done
     */
    public <T> Optional<T> alone(String name, Supplier<T> work) {
        String lock = dialect.lockForLong();
        if (lock == null) {
            return Optional.of(work.get());
        }
        // Not the handle of this thread, whose transaction the work would else be a part of.
        try (Handle handle = jdbi.open()) {
            return handle.inTransaction(holder -> holder.createQuery(lock)
                            .bind("name", "sallyport." + name)
                            .mapTo(Boolean.class)
                            .one()
                    ? Optional.of(work.get())
                    : Optional.empty());
        }
    }

    /**
     * Whoever waits for changes.
     *
     * @param kinds of these resources, or empty: of all
     */
    private record Wake(Set<String> kinds, Runnable action) {

        void after(Set<String> changed) {
            if (kinds.isEmpty() || !Collections.disjoint(kinds, changed)) {
                action.run();
            }
        }
    }

    private void wakeAll() {
        wakes.forEach(each -> each.action().run());
    }

    /**
     * Runs this after each transaction of this process that declared a change, on the thread that wrote it, and soon
     * after those of other processes, on a thread of its own. It must be quick, and not throw. Of other processes some
     * may be missed: {@link ChangeLog} has them all.
     */
    public void onChange(Runnable wake) {
        onChange(Set.of(), wake);
    }

    /** The same for changes of resources of these kinds alone; after those of other processes it runs whatever they are. */
    public void onChange(Set<String> kinds, Runnable wake) {
        wakes.add(new Wake(kinds, wake));
        if (listener != null && listening.compareAndSet(false, true)) {
            listener.start();
        }
    }

    /**
     * Deletes the rows that are older than this, some at a time, so that other changes need not wait for all of them.
     * Ends early when the thread is interrupted.
     *
     * @param key the columns of the primary key
     * @param time the column that tells the age
     */
    public void deleteInPortions(String table, String key, String time, Duration age) {
        deleteInPortions(table, key, time, age, "true");
    }

    /**
     * The same, for those rows alone.
     *
     * @param condition in SQL
     */
    public void deleteInPortions(String table, String key, String time, Duration age, String condition) {
        String sql = "delete from " + table + " where (" + key + ") in (select " + key + " from " + table + " where "
                + time + " <= :then and " + condition + " limit " + PORTION + ")";
        int deleted = PORTION;
        while (deleted == PORTION && !Thread.currentThread().isInterrupted()) {
            deleted = write(transaction -> transaction
                            .sql()
                            .createUpdate(sql)
                            .bind("then", transaction.now() - age.toMillis())
                            .execute())
                    .value();
        }
    }

    /** The order number of the last change; 0 before the first. */
    public static long position(Handle handle) {
        return Objects.requireNonNull(
                Statements.first(handle, "select value from change_counter where id = 1", row -> row.getLong(1)));
    }

    /** Whether the database answers, and changes can be written. */
    public boolean isReachable() {
        try {
            return writer.isAlive() && read(Store::position) >= 0;
        } catch (RuntimeException e) {
            LOG.warn("the database does not answer: {}", StoreException.oneLine(StoreException.root(e)));
            return false;
        }
    }

    /** The name of the numbering of changes: positions of two epochs have nothing to do with each other. */
    public String epoch() {
        return read(Epoch::read);
    }

    /** With what positions are hidden that accounts are told. */
    public byte[] positionSecret() {
        return read(PositionSecret::read);
    }

    /** Begins another epoch: the database is an older one again. */
    public void beginEpoch() {
        Epoch.begin(this);
    }

    /**
     * Writes a copy of a SQLite database, as it is at one moment, into a file that is not there yet, with mode 0600.
     * Changes go on meanwhile.
     *
     * @throws StoreException when that fails, or the database is PostgreSQL
     */
    public void backup(Path file) throws StoreException {
        if (dialect != Dialect.SQLITE) {
            throw new StoreException("the database is PostgreSQL, which makes its own backups", "pg_dump");
        }
        try {
            PrivateFiles.createEmpty(file);
        } catch (IOException e) {
            throw new StoreException(
                    "no backup can be made: " + e,
                    "a file that is not there, in a folder that the control plane may write");
        }
        try {
            read(handle -> handle.execute("vacuum into ?", file.toString()));
            try (FileChannel written = FileChannel.open(file, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            PrivateFiles.forceName(file);
        } catch (IOException | RuntimeException e) {
            discard(file);
            throw new StoreException(
                    "no backup can be made: " + StoreException.oneLine(StoreException.root(e)), "room for it");
        }
    }

    private static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("a part of a backup stays: {}", e.toString());
        }
    }

    /** Lets the database look at its tables again, so that it chooses the right indexes. */
    public void analyze() {
        write(transaction -> transaction.sql().execute("analyze"));
    }

    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
        writer.close();
        if (readers != null) {
            readers.close();
        }
        pool.close();
    }
}
