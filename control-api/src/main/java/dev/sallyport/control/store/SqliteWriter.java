package dev.sallyport.control.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;

/**
 * The one writer of a SQLite database: a thread that takes what waits, up to {@value #GROUP} pieces of work, and commits
 * them together, each within a savepoint of its own. Whoever waits is told after the commit. Transactions are begun and
 * ended in SQL, for each group: the driver would begin the next one after a commit, and so hold the lock while idle, and
 * lose count when SQLite itself rolls back, as it does when the disk is full. It is told that it does not commit by itself,
 * since it would else try to, in vain, after each statement.
 */
final class SqliteWriter implements Writer {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteWriter.class);
    private static final int GROUP = 64;

    /** After so many pages the log is written into the database; many of them are one page, written again and again. */
    private static final int CHECKPOINT_PAGES = 4000;

    private final BlockingQueue<Job<?>> queue = new LinkedBlockingQueue<>();
    private final Connection connection;
    private final Handle handle;
    private final PreparedStatement begin;
    private final PreparedStatement savepoint;
    private final PreparedStatement release;
    private final PreparedStatement commit;
    private final Clock clock;
    private final StoreMeters meters;
    private final Thread thread;
    private volatile boolean closing;

    /** One piece of work and whoever waits for it. */
    private static final class Job<T> {

        private final Work<T> work;
        private final CompletableFuture<Written<T>> done = new CompletableFuture<>();
        private Runnable completion = () -> {};

        Job(Work<T> work) {
            this.work = work;
        }

        void run(Transaction transaction) {
            T value = work.in(transaction);
            Written<T> written = new Written<>(value, transaction.number(), transaction.kinds());
            completion = () -> done.complete(written);
        }

        void failed(Throwable fault) {
            completion = () -> done.completeExceptionally(fault);
        }
    }

    SqliteWriter(Connection connection, Clock clock, StoreMeters meters) throws SQLException {
        this.connection = connection;
        this.clock = clock;
        this.meters = meters;
        connection.setAutoCommit(true);
        execute(connection, "pragma wal_autocheckpoint = " + CHECKPOINT_PAGES);
        execute(
                connection,
                "pragma temp_store = memory"); // what savepoints keep, which would else go to a file and back
        KeptStatements statements = new KeptStatements(connection);
        handle = Connections.withoutArguments(Jdbi.create(connection))
                .setStatementBuilderFactory(same -> statements)
                .open();
        begin = connection.prepareStatement("begin immediate");
        savepoint = connection.prepareStatement("savepoint job");
        release = connection.prepareStatement("release job");
        commit = connection.prepareStatement("commit");
        commitsItself(false);
        thread = Thread.ofPlatform().daemon().name("sallyport-control-writer").start(this::run);
    }

    @Override
    public <T> Written<T> write(Work<T> work) {
        if (Thread.currentThread().equals(thread)) {
            throw new IllegalStateException("a transaction within a transaction (expected: one)");
        }
        Job<T> job = new Job<>(work);
        queue.add(job);
        if (closing && queue.remove(job)) {
            throw new IllegalStateException("the store is closed");
        }
        try {
            return job.done.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private void run() {
        List<Job<?>> group = new ArrayList<>();
        try {
            for (Job<?> first = next(); first != null; first = next()) {
                group.clear();
                group.add(first);
                queue.drainTo(group, GROUP - 1);
                commit(group);
            }
        } finally {
            closing = true;
            queue.drainTo(group);
            // Without effect on those that were told.
            group.forEach(job -> job.done.completeExceptionally(new IllegalStateException("the store is closed")));
        }
    }

    /** Waits for work; null at the end. */
    private @Nullable Job<?> next() {
        while (!closing) {
            try {
                return queue.take();
            } catch (InterruptedException e) {
                LOG.debug("woken"); // by close()
            }
        }
        return queue.poll();
    }

    private void commit(List<Job<?>> group) {
        long began = System.nanoTime();
        try {
            begin.execute();
            for (Job<?> job : group) {
                run(job);
            }
            commit.execute();
        } catch (SQLException | RuntimeException | Error e) {
            LOG.error("a commit failed; {} changes are undone", group.size(), e);
            undo();
            meters.failed();
            group.forEach(job -> job.failed(new IllegalStateException("the commit failed", e)));
            group.forEach(job -> job.completion.run());
            return;
        }
        meters.committed(began, group.size());
        group.forEach(job -> job.completion.run()); // durable: nothing may fail the group any more
    }

    private void run(Job<?> job) throws SQLException {
        savepoint.execute();
        try {
            job.run(new Transaction(handle, Dialect.SQLITE, clock.millis()));
            release.execute();
        } catch (RuntimeException | Error e) {
            execute(connection, "rollback to job"); // fails when SQLite has rolled back all: then the group has failed
            release.execute();
            job.failed(e);
        }
    }

    private void undo() {
        try {
            execute(connection, "rollback");
        } catch (SQLException e) {
            LOG.debug("SQLite had rolled back: {}", e.toString());
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Sets what the driver believes; its own setter would begin or end a transaction as well. */
    private void commitsItself(boolean does) throws SQLException {
        connection.unwrap(SQLiteConnection.class).getConnectionConfig().setAutoCommit(does);
    }

    @Override
    public boolean isAlive() {
        return thread.isAlive();
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            commitsItself(true); // Jdbi would take it for a transaction that nobody has ended
            handle.close();
            connection.close();
        } catch (SQLException e) {
            LOG.warn("the database does not close: {}", e.toString());
        }
    }
}
