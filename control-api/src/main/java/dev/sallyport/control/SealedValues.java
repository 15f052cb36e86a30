package dev.sallyport.control;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.store.Store;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All values of the database that are sealed, wherever they stand. */
final class SealedValues {

    private static final Logger LOG = LoggerFactory.getLogger(SealedValues.class);

    /** So few that other changes need not wait, and that long values need no memory. */
    private static final int PORTION = 16;

    /**
     * The columns that hold sealed values, but for the check of the key.
     *
     * @param keys the columns of the primary key
     * @param organization the column that the value is bound to besides its row; empty for none
     * @param place what it is bound to besides: the name of the table, or of a part of it
     * @param row the column of the key that names the row
     * @param encoded whether it stands there in base 64
     */
    record Column(
            String table,
            List<String> keys,
            String name,
            String organization,
            String place,
            String row,
            boolean encoded) {

        private String select(boolean goesOn) {
            String key = String.join(", ", keys);
            return "select " + (organization.isEmpty() ? "''" : organization) + " as bound_to, " + key + ", " + name
                    + " from " + table + " where " + name + " is not null"
                    + (goesOn ? " and (" + key + ") > (" + parameters() + ")" : "") + " order by " + key + " limit "
                    + PORTION;
        }

        private String update() {
            return "update " + table + " set " + name + " = :after where "
                    + keys.stream().map(key -> key + " = :" + key).collect(Collectors.joining(" and ")) + " and " + name
                    + " = :before";
        }

        private String parameters() {
            return keys.stream().map(key -> ":" + key).collect(Collectors.joining(", "));
        }
    }

    static final List<Column> COLUMNS = List.of(
            new Column("secret", List.of("id"), "sealed_value", "organization_id", "secret", "id", false),
            new Column(
                    "environment_variable",
                    List.of("id"),
                    "sealed_value",
                    "organization_id",
                    "environment_variable",
                    "id",
                    false),
            new Column("cosigner", List.of("id"), "sealed_key", "", "cosigner", "id", false),
            new Column("device_code", List.of("code_hash"), "sealed_token", "", "device_code", "code_hash", false),
            new Column(
                    "idempotency",
                    List.of("scope", "idempotency_key"),
                    "sealed_answer",
                    "scope",
                    "idempotency",
                    "idempotency_key",
                    false),
            new Column(
                    "idempotency",
                    List.of("scope", "idempotency_key"),
                    "request_hash",
                    "scope",
                    "idempotency.request",
                    "idempotency_key",
                    true));

    private final Store store;
    private final Envelope envelope;
    private final Runnable afterPortion;

    /** @param afterPortion runs when some have been written */
    SealedValues(Store store, Envelope envelope, Runnable afterPortion) {
        this.store = store;
        this.envelope = envelope;
        this.afterPortion = afterPortion;
    }

    /** How many values were sealed anew, and how many cannot be opened. */
    record Count(long resealed, long unreadable) {}

    /** A value with its keys, in the order of the columns. */
    private record Value(String organization, List<String> keys, byte[] sealed) {

        @Override
        public String toString() {
            return "Value" + keys;
        }
    }

    /**
     * Seals all with the present key that were sealed with another one.
     *
     * @throws InterruptedException when the thread is interrupted: then some are left
     */
    Count reseal() throws InterruptedException {
        long resealed = 0;
        long unreadable = 0;
        for (Column column : COLUMNS) {
            List<Value> portion = read(column, null);
            while (!portion.isEmpty()) {
                Count count = reseal(column, portion);
                afterPortion.run();
                if (Thread.interrupted()) {
                    throw new InterruptedException("values are left");
                }
                resealed += count.resealed();
                unreadable += count.unreadable();
                portion = read(column, portion.getLast());
            }
        }
        return new Count(resealed, unreadable);
    }

    private List<Value> read(Column column, @Nullable Value after) {
        return store.read(handle -> {
            Query query = handle.createQuery(column.select(after != null));
            if (after != null) {
                IntStream.range(0, column.keys().size())
                        .forEach(i ->
                                query.bind(column.keys().get(i), after.keys().get(i)));
            }
            return query.map((row, context) -> value(column, row)).list();
        });
    }

    private static Value value(Column column, ResultSet row) throws SQLException {
        List<String> keys = new ArrayList<>();
        for (String key : column.keys()) {
            keys.add(row.getString(key));
        }
        byte[] sealed = column.encoded()
                ? Base64.getDecoder().decode(row.getString(column.name()))
                : row.getBytes(column.name());
        return new Value(row.getString("bound_to"), keys, sealed);
    }

    /** A value that has changed meanwhile has been sealed with the present key. */
    private Count reseal(Column column, List<Value> portion) {
        List<Value> old = new ArrayList<>();
        List<byte[]> renewed = new ArrayList<>();
        long unreadable = 0;
        for (Value value : portion) {
            if (!envelope.isCurrent(value.sealed())) {
                byte[] sealed = renewed(column, value);
                if (sealed == null) {
                    unreadable++;
                } else {
                    old.add(value);
                    renewed.add(sealed);
                }
            }
        }
        if (old.isEmpty()) {
            return new Count(0, unreadable);
        }
        int written = store.write(transaction -> {
                    int rows = 0;
                    for (int i = 0; i < old.size(); i++) {
                        rows += write(transaction.sql(), column, old.get(i), renewed.get(i));
                    }
                    return rows;
                })
                .value();
        return new Count(written, unreadable);
    }

    /** Null for what no key opens. */
    private byte @Nullable [] renewed(Column column, Value value) {
        String row = value.keys().get(column.keys().indexOf(column.row()));
        byte[] plain = envelope.openIfSealed(value.sealed(), value.organization(), column.place(), row);
        if (plain == null) {
            LOG.warn("{}.{} of {} cannot be opened with any key", column.table(), column.name(), value.keys());
            return null;
        }
        try {
            return envelope.seal(plain, value.organization(), column.place(), row);
        } finally {
            Arrays.fill(plain, (byte) 0);
        }
    }

    private static int write(Handle sql, Column column, Value value, byte[] renewed) {
        Update update = sql.createUpdate(column.update());
        IntStream.range(0, column.keys().size())
                .forEach(i -> update.bind(column.keys().get(i), value.keys().get(i)));
        if (column.encoded()) {
            update.bind("before", Base64.getEncoder().encodeToString(value.sealed()))
                    .bind("after", Base64.getEncoder().encodeToString(renewed));
        } else {
            update.bind("before", value.sealed()).bind("after", renewed);
        }
        return update.execute();
    }
}
