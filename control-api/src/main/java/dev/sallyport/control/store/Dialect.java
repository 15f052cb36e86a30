package dev.sallyport.control.store;

import java.sql.SQLException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

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
        boolean isDiskFull(SQLException fault) {
            return fault.getErrorCode() == SQLiteErrorCode.SQLITE_FULL.code;
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

        @Override
        boolean isLockTimeout(SQLException fault) {
            return false;
        }

        @Override
        @Nullable String lockTimeout() {
            return null; // there is one writer
        }

        @Override
        @Nullable String takingOrder() {
            return null; // it always does
        }

        @Override
        boolean hasPartitions() {
            return false;
        }

        @Override
        String folder() {
            return "sqlite";
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
        boolean isDiskFull(SQLException fault) {
            return "53100".equals(fault.getSQLState());
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

        @Override
        boolean isLockTimeout(SQLException fault) {
            return "55P03".equals(fault.getSQLState());
        }

        @Override
        String lockTimeout() {
            return "set local lock_timeout = '100ms'";
        }

        @Override
        String takingOrder() {
            // What has to be sorted all the same seems so dear then that it would be compiled, for half a second.
            return "set local enable_sort = off; set local jit = off";
        }

        @Override
        boolean hasPartitions() {
            return true;
        }

        @Override
        String folder() {
            return "postgresql";
        }
    };

    /** Where processes that share a PostgreSQL tell each other of changes. */
    static final String CHANNEL = "sallyport_change";

    /** Whether a row with the same unique columns exists. */
    abstract boolean isDuplicate(SQLException fault);

    /** Whether the same transaction may succeed when it is tried again. */
    abstract boolean isTransient(SQLException fault);

    /** Whether the disk of the database has no room. */
    abstract boolean isDiskFull(SQLException fault);

    /** The statement that wakes other replicas, or null when there are none. */
    abstract @Nullable String notification();

    /** The end of a select that keeps its rows for this transaction. */
    abstract String rowLock();

    /** The statement with which a transaction begins that reads everything as it is at one moment. */
    abstract String beginReading();

    /** The query that takes a lock of this name until the transaction ends, or says false; null when none is needed. */
    abstract @Nullable String lockForLong();

    /** Whether a lock was not to be had in the time of {@link #lockTimeout}. */
    abstract boolean isLockTimeout(SQLException fault);

    /** The statement after which this transaction does not wait for locks for long; null when none has to. */
    abstract @Nullable String lockTimeout();

    /** The statement after which this transaction sorts only what no index has in order; null when none is needed. */
    abstract @Nullable String takingOrder();

    /** Whether tables that grow by time are divided by it. */
    abstract boolean hasPartitions();

    /** Where the migrations are that the other has not. */
    abstract String folder();

    /** Whether to try a transaction again: the second time, it sees the row that another one wrote meanwhile. */
    boolean retries(Throwable fault) {
        return isAny(fault, sql -> isDuplicate(sql) || isTransient(sql));
    }

    /** Whether a transaction failed because others had what it wanted to lock. */
    boolean gaveUp(Throwable fault) {
        return isAny(fault, this::isLockTimeout);
    }

    private static boolean isAny(Throwable fault, Predicate<SQLException> test) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && test.test(sql)) {
                return true;
            }
        }
        return false;
    }
}
