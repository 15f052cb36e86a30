package dev.sallyport.control.store;

import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;

/**
 * Reads a SQLite on a few connections, whose handles stay open: to make one takes Jdbi as long as many a query. A read within
 * a read has the handle of the outer one. Thread-safe.
 */
final class SqliteReaders implements AutoCloseable {

    private final BlockingDeque<Handle> idle = new LinkedBlockingDeque<>();
    private final ThreadLocal<Handle> outer;

    /** @param count how many connections it takes */
    SqliteReaders(Jdbi jdbi, int count) {
        outer = new ThreadLocal<>(); // a thread may read several stores
        for (int i = 0; i < count; i++) {
            Handle handle = jdbi.open();
            handle.getConfig(SqlStatements.class).setAttachAllStatementsForCleanup(true);
            idle.add(handle);
        }
    }

    <T> T read(Function<Handle, T> query) {
        Handle same = outer.get();
        if (same != null) {
            return query.apply(same);
        }
        Handle handle = take();
        outer.set(handle);
        try {
            return query.apply(handle);
        } finally {
            outer.remove();
            giveBack(handle);
        }
    }

    /** Also for a thread that is interrupted, unless it would have to wait. */
    private Handle take() {
        Handle ready = idle.poll();
        if (ready != null) {
            return ready;
        }
        try {
            Handle handle = idle.poll(Connections.WAIT_MILLIS, TimeUnit.MILLISECONDS);
            if (handle == null) {
                throw new IllegalStateException("no connection to read the database for " + Connections.WAIT_MILLIS
                        + " ms (expected: one soon)");
            }
            return handle;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before the database could be read", e);
        }
    }

    private void giveBack(Handle handle) {
        try {
            handle.clean(); // closes what the query has not read to its end
        } finally {
            idle.push(handle); // what was used last is what the processor's caches have
        }
    }

    /** Closes those that nobody uses now; the pool ends the others. */
    @Override
    public void close() {
        for (Handle handle = idle.poll(); handle != null; handle = idle.poll()) {
            handle.close();
        }
    }
}
