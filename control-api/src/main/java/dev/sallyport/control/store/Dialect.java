package dev.sallyport.control.store;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Where the two databases differ. */
enum Dialect {
    SQLITE {
        @Override
        boolean isDuplicate(SQLException fault) {
            String message = String.valueOf(fault.getMessage());
            return fault.getErrorCode() == 19 && message.contains("UNIQUE");
        }

        @Override
        boolean isTransient(SQLException fault) {
            return false;
        }

        @Override
        @Nullable String notification() {
            return null;
        }

        @Override
        String rowLock() {
            return ""; // there is one writer
        }

        @Override
        String beginReading() {
            return "begin deferred";
        }

        @Override
        @Nullable String lockForLong() {
            return null; // one process at a time uses the state folder
        }
    },
    POSTGRESQL {
        @Override
        boolean isDuplicate(SQLException fault) {
            return "23505".equals(fault.getSQLState());
        }

        @Override
        boolean isTransient(SQLException fault) {
            return "40001".equals(fault.getSQLState()) || "40P01".equals(fault.getSQLState());
        }

        @Override
        String notification() {
            return "select pg_notify('" + CHANNEL + "', cast(:position as text))";
        }

        @Override
        String rowLock() {
            return " for update";
        }

        @Override
        String beginReading() {
            return "begin isolation level repeatable read read only";
        }

        @Override
        String lockForLong() {
            return "select pg_try_advisory_xact_lock(hashtext(:name))";
        }
    };

    /** Where processes that share a PostgreSQL tell each other of changes. */
    static final String CHANNEL = "sallyport_change";

    /** Whether a row with the same unique columns exists. */
    abstract boolean isDuplicate(SQLException fault);

    /** Whether the same transaction may succeed when it is tried again. */
    abstract boolean isTransient(SQLException fault);

    /** The statement that wakes other replicas, or null when there are none. */
    abstract @Nullable String notification();

    /** The end of a select that keeps its rows for this transaction. */
    abstract String rowLock();

    /** The statement with which a transaction begins that reads everything as it is at one moment. */
    abstract String beginReading();

    /** The query that takes a lock of this name until the transaction ends, or says false; null when none is needed. */
    abstract @Nullable String lockForLong();

    /** Whether to try a transaction again: the second time, it sees the row that another one wrote meanwhile. */
    boolean retries(Throwable fault) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && (isDuplicate(sql) || isTransient(sql))) {
                return true;
            }
        }
        return false;
    }
}
