package dev.sallyport.control.environment;

import com.google.re2j.Pattern;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.ShellVariables;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Listing;
import dev.sallyport.control.store.Quota;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The environment variables of each account. */
@Singleton
public final class Variables {

    private static final Logger LOG = LoggerFactory.getLogger(Variables.class);

    private static final String RESOURCE = "environment_variable";
    private static final Pattern KEY = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    /** Fewer bytes than a program of Linux can be started with, so that every sandbox can have all of them. */
    private static final Quota QUOTA = new Quota(RESOURCE, "environment variables", 1000, 1 << 20);

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Envelope envelope;
    private final Clock clock;

    public Variables(Store store, Ids ids, AdminAudit audit, Envelope envelope, Clock clock) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.envelope = envelope;
        this.clock = clock;
    }

    /** A variable with its value sealed. */
    private record Row(String id, String key, byte[] sealed, Instant createdAt, Instant updatedAt) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getString("id"),
                    row.getString("name"),
                    row.getBytes("sealed_value"),
                    Instant.ofEpochMilli(row.getLong("created_at")),
                    Instant.ofEpochMilli(row.getLong("updated_at")));
        }

        @Override
        public String toString() {
            return "Row[" + id + "]";
        }
    }

    /** What the administrative record shows: not the value. */
    private record State(String key, Instant updatedAt) {

        static State of(Row row) {
            return new State(row.key(), row.updatedAt());
        }
    }

    /**
     * A place in the list.
     *
     * @param variable null when its value cannot be decrypted now
     */
    public record Listed(
            PageRequest.Position position, @Nullable Variable variable) {}

    /** The variables of the account, by time. */
    public Page<Listed> list(Caller caller, PageRequest page) {
        Page<Row> rows = store.read(handle -> new Listing(RESOURCE, caller).page(handle, "created_at", page, Row::of));
        return new Page<>(rows.rows().stream().map(row -> listed(caller, row)).toList(), rows.hasMore());
    }

    private Listed listed(Caller caller, Row row) {
        String value = openOrNull(caller.organizationId(), row);
        return new Listed(
                new PageRequest.Position(row.createdAt().toEpochMilli(), row.id()),
                value == null ? null : variable(row, value));
    }

    /** A variable; 404 when the account has none with this key, 503 when its value cannot be decrypted now. */
    public Variable get(Caller caller, String key) {
        Row row = row(caller, key);
        String value = openOrNull(caller.organizationId(), row);
        if (value == null) {
            throw Refusal.unavailable(
                    "value_unreadable",
                    "the value of " + key + " cannot be decrypted now (expected: the encryption key with which it was"
                            + " stored; PUT replaces the value, DELETE removes it)");
        }
        return variable(row, value);
    }

    private Row row(Caller caller, String key) {
        return store.read(handle -> find(handle, caller, key, "")).orElseThrow(Variables::unknown);
    }

    /** Refuses with 404 when the account has no variable with this key. */
    public void refuseUnlessKnown(Caller caller, String key) {
        row(caller, key);
    }

    /** Reports a key that no variable can have. */
    public void check(Caller caller, String key, FieldProblems problems) {
        if (!KEY.matches(key)) {
            problems.add("key", "malformed (expected: 1 to 128 letters, digits and underscores, no digit first)");
        }
        ShellVariables.checkSettable("key", key, problems);
    }

    /** Makes a variable, or replaces its value; 409 when the quota is used up. */
    public Written<Variable> put(Caller caller, String key, VariableDraft draft) {
        String fresh = ids.next("env_", clock.millis());
        return store.write(transaction -> {
            Optional<Row> before = find(transaction.sql(), caller, key, transaction.rowLock());
            long now = before.map(
                            row -> Math.max(transaction.now(), row.updatedAt().toEpochMilli() + 1))
                    .orElse(transaction.now());
            String id = before.map(Row::id).orElse(fresh);
            Instant createdAt = before.map(Row::createdAt).orElse(Instant.ofEpochMilli(now));
            // Which row it is, the transaction alone knows; it takes microseconds.
            byte[] sealed = envelope.seal(
                    draft.value().getBytes(StandardCharsets.UTF_8), caller.organizationId(), RESOURCE, id);
            Row after = new Row(id, key, sealed, createdAt, Instant.ofEpochMilli(now));
            QUOTA.refuseBeyond(transaction, caller, bytes(after), id);
            write(transaction, caller, after);
            transaction.environmentChanged(caller.organizationId());
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(
                    transaction,
                    caller,
                    before.isPresent()
                            ? Administered.updated(RESOURCE, id, State.of(before.get()), State.of(after))
                            : Administered.created(RESOURCE, id, State.of(after)));
            return new Variable(id, key, draft.value(), createdAt, after.updatedAt());
        });
    }

    private static long bytes(Row row) {
        return row.key().length() + (long) row.sealed().length;
    }

    private static void write(Transaction transaction, Caller caller, Row row) {
        transaction
                .sql()
                .createUpdate(
                        "insert into environment_variable (id, organization_id, name, sealed_value, bytes, created_at, updated_at) values (:id, :organization, :name, :sealed, :bytes, :created, :updated) on conflict (id) do update set sealed_value = excluded.sealed_value, bytes = excluded.bytes, updated_at = excluded.updated_at")
                .bind("id", row.id())
                .bind("organization", caller.organizationId())
                .bind("name", row.key())
                .bind("sealed", row.sealed())
                .bind("bytes", bytes(row))
                .bind("created", row.createdAt().toEpochMilli())
                .bind("updated", row.updatedAt().toEpochMilli())
                .execute();
    }

    /** Removes a variable: 404 when the account has none with this key. */
    public Written<String> delete(Caller caller, String key) {
        return store.write(transaction -> {
            Row row =
                    find(transaction.sql(), caller, key, transaction.rowLock()).orElseThrow(Variables::unknown);
            transaction.environmentChanged(caller.organizationId());
            transaction
                    .sql()
                    .createUpdate("delete from environment_variable where id = :id")
                    .bind("id", row.id())
                    .execute();
            transaction.changed(caller.organizationId(), RESOURCE, row.id());
            audit.record(transaction, caller, Administered.deleted(RESOURCE, row.id(), State.of(row)));
            return row.id();
        });
    }

    /**
     * Values of variables.
     *
     * @param byKey those that can be decrypted now
     * @param areAll whether these are all that there are
     */
    public record Values(Map<String, String> byKey, boolean areAll) {

        public Values {
            byKey = Map.copyOf(byKey);
        }

        @Override
        public String toString() {
            return "Values" + byKey.keySet();
        }
    }

    /**
     * The values of all variables of an organization, for its sandboxes. Those that cannot be decrypted now are left out,
     * and named in the log.
     */
    @WithoutCaller("sandboxes get what their organization has, whoever asks")
    public Values values(String organization) {
        List<Row> rows = store.read(
                handle -> handle.createQuery("select * from environment_variable where organization_id = :organization")
                        .bind("organization", organization)
                        .map((row, context) -> Row.of(row))
                        .list());
        Map<String, String> values = new HashMap<>();
        for (Row row : rows) {
            String value = openOrNull(organization, row);
            if (value != null) {
                values.put(row.key(), value);
            }
        }
        return new Values(values, values.size() == rows.size());
    }

    /** Null when it cannot be decrypted, which is logged: one value takes no other with it. */
    private @Nullable String openOrNull(String organization, Row row) {
        try {
            return new String(envelope.open(row.sealed(), organization, RESOURCE, row.id()), StandardCharsets.UTF_8);
        } catch (IllegalStateException e) {
            LOG.error(
                    "the value of the environment variable {} ({}) of organization {} cannot be decrypted",
                    row.key(),
                    row.id(),
                    organization,
                    e);
            return null;
        }
    }

    private static Variable variable(Row row, String value) {
        return new Variable(row.id(), row.key(), value, row.createdAt(), row.updatedAt());
    }

    private static Optional<Row> find(Handle handle, Caller caller, String key, String lock) {
        if (!KEY.matches(key)) {
            return Optional.empty();
        }
        return handle.createQuery(
                        "select * from environment_variable where organization_id = :organization and name = :name"
                                + lock)
                .bind("organization", caller.organizationId())
                .bind("name", key)
                .map((row, context) -> Row.of(row))
                .findOne();
    }

    private static Refusal unknown() {
        return Refusal.notFound("env_not_found", "no such environment variable");
    }
}
