package dev.sallyport.control.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Statements that run with every request or change, where what Jdbi looks up for each takes longer than the database.
 * Their parameters have places, {@code ?}, and no names.
 */
public final class Statements {

    private Statements() {}

    /** How a row is read. */
    @FunctionalInterface
    public interface Row<T> {

        /** Reads it. */
        T of(ResultSet row) throws SQLException;
    }

    /** What is done with a statement that has its values. */
    @FunctionalInterface
    private interface Use<T> {

        T of(PreparedStatement statement) throws SQLException;
    }

    /**
     * Changes rows; returns how many.
     *
     * @param values texts, numbers, bytes and nulls
     */
    public static int update(Handle handle, String sql, @Nullable Object... values) {
        return run(handle, sql, values, PreparedStatement::executeUpdate);
    }

    /** The first row that a query finds, or that a change returns; null when there is none. */
    public static <T> @Nullable T first(Handle handle, String sql, Row<T> row, @Nullable Object... values) {
        List<T> rows = all(handle, sql, row, values);
        return rows.isEmpty() ? null : rows.getFirst();
    }

    /** All rows that a query finds. */
    public static <T> List<T> all(Handle handle, String sql, Row<T> row, @Nullable Object... values) {
        return run(handle, sql, values, statement -> {
            List<T> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(row.of(rows));
                }
            }
            return found;
        });
    }

    private static <T> T run(Handle handle, String sql, @Nullable Object[] values, Use<T> use) {
        StatementBuilder builder = handle.getStatementBuilder();
        KeptStatements kept = builder instanceof KeptStatements all ? all : null;
        try {
            PreparedStatement statement = kept == null ? handle.getConnection().prepareStatement(sql) : kept.take(sql);
            try {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                return use.of(statement);
            } finally {
                if (kept == null) {
                    statement.close();
                } else {
                    kept.giveBack(sql, statement);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("a statement failed: " + sql, e); // without its values
        }
    }
}
