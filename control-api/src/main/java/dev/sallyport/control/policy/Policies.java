package dev.sallyport.control.policy;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.Versions;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The policies of one kind. */
public class Policies<D extends PolicyDraft> {

    private static final int LARGEST = 1 << 20;
    private static final String COLUMNS = "select id, content, version, created_at, updated_at from policy";

    private final PolicyKind kind;
    private final PolicyQuota quota;
    private final Class<D> type;
    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;

    Policies(PolicyKind kind, Class<D> type, Parts parts) {
        this.kind = kind;
        this.quota = new PolicyQuota(kind);
        this.type = type;
        this.store = parts.store();
        this.ids = parts.ids();
        this.audit = parts.audit();
    }

    /** What all kinds need. */
    @Singleton
    public record Parts(Store store, Ids ids, AdminAudit audit) {}

    /** The policies of the organization, by priority, then the older first. */
    public List<Policy<D>> list(Caller caller, @Nullable String name, @Nullable Boolean active) {
        String sql = COLUMNS + " where organization_id = :organization and kind = :kind"
                + (name == null ? "" : " and name = :name")
                + (active == null ? "" : " and active = :active") + " order by priority, created_at, id";
        return store.read(handle -> {
            Query query = handle.createQuery(sql)
                    .bind("organization", caller.organizationId())
                    .bind("kind", kind.resource());
            if (name != null) {
                query.bind("name", name);
            }
            if (active != null) {
                query.bind("active", active);
            }
            return query.map((row, context) -> policy(row)).list();
        });
    }

    /** A policy; 404 when the organization has none of this id. */
    public Policy<D> get(Caller caller, String id) {
        return store.read(handle -> find(handle, caller, id, "")).orElseThrow(this::unknown);
    }

    /** Makes a policy; 409 when the name is taken, or the quota used up. */
    public Written<Policy<D>> create(Caller caller, D draft) {
        String content = content(draft);
        return store.write(transaction -> {
            refuseTaken(transaction, caller, draft.name(), "");
            quota.refuseBeyond(transaction, caller, content, "");
            Instant now = Instant.ofEpochMilli(transaction.now());
            Policy<D> policy =
                    new Policy<>(ids.next(kind.prefix(), transaction.now()), draft, Versions.fresh(), now, now);
            transaction
                    .sql()
                    .createUpdate(
                            "insert into policy (id, organization_id, kind, name, active, priority, content, version, created_at, updated_at) values (:id, :organization, :kind, :name, :active, :priority, :content, :version, :now, :now)")
                    .bind("id", policy.id())
                    .bind("organization", caller.organizationId())
                    .bind("kind", kind.resource())
                    .bind("name", draft.name())
                    .bind("active", policy.active())
                    .bind("priority", draft.priority())
                    .bind("content", content)
                    .bind("version", policy.version())
                    .bind("now", transaction.now())
                    .execute();
            transaction.changed(caller.organizationId(), kind.resource(), policy.id());
            audit.record(transaction, caller, Administered.created(kind.resource(), policy.id(), draft));
            return policy;
        });
    }

    /**
     * Replaces a policy: 404, then 412 when the precondition fails, then 409 when the name is taken, or
     * the quota used up.
     *
     * @param precondition asked with the present version
     */
    public Written<Policy<D>> replace(Caller caller, String id, D draft, LongPredicate precondition) {
        String content = content(draft);
        return store.write(transaction -> {
            Policy<D> before =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(this::unknown);
            refuseUnless(precondition, before);
            refuseTaken(transaction, caller, draft.name(), id);
            quota.refuseBeyond(transaction, caller, content, id);
            // Time may stand still, or go back.
            long now = Math.max(transaction.now(), before.updatedAt().toEpochMilli() + 1);
            Policy<D> after = new Policy<>(id, draft, Versions.fresh(), before.createdAt(), Instant.ofEpochMilli(now));
            transaction
                    .sql()
                    .createUpdate(
                            "update policy set name = :name, active = :active, priority = :priority, content = :content, version = :version, updated_at = :now where id = :id")
                    .bind("name", draft.name())
                    .bind("active", after.active())
                    .bind("priority", draft.priority())
                    .bind("content", content)
                    .bind("version", after.version())
                    .bind("now", now)
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), kind.resource(), id);
            audit.record(transaction, caller, Administered.updated(kind.resource(), id, before.draft(), draft));
            return after;
        });
    }

    /** Removes a policy: 404, then 412 when the precondition fails. Its name is free again. */
    public Written<Policy<D>> delete(Caller caller, String id, LongPredicate precondition) {
        return store.write(transaction -> {
            Policy<D> before =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(this::unknown);
            refuseUnless(precondition, before);
            transaction
                    .sql()
                    .createUpdate("delete from policy where id = :id")
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), kind.resource(), id);
            audit.record(transaction, caller, Administered.deleted(kind.resource(), id, before.draft()));
            return before;
        });
    }

    private static void refuseUnless(LongPredicate precondition, Policy<?> policy) {
        if (!precondition.test(policy.version())) {
            throw Refusal.of(
                    412, "precondition_failed", "the policy has changed (expected: If-Match with its present ETag)");
        }
    }

    private void refuseTaken(Transaction transaction, Caller caller, String name, String except) {
        boolean taken = transaction
                .sql()
                .createQuery(
                        "select 1 from policy where organization_id = :organization and kind = :kind and name = :name and id <> :except")
                .bind("organization", caller.organizationId())
                .bind("kind", kind.resource())
                .bind("name", name)
                .bind("except", except)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
        if (taken) {
            throw Refusal.conflict(kind.resource() + "_name_taken", "a policy with this name exists");
        }
    }

    private static String content(PolicyDraft draft) {
        String content = Json.text(draft);
        if (content.getBytes(StandardCharsets.UTF_8).length > LARGEST) {
            throw Refusal.invalid("", "a policy of more than 1 MiB (expected: a smaller one)");
        }
        return content;
    }

    private Optional<Policy<D>> find(Handle handle, Caller caller, String id, String lock) {
        if (!Ids.isWellFormed(kind.prefix(), id)) {
            return Optional.empty();
        }
        return handle.createQuery(
                        COLUMNS + " where id = :id and organization_id = :organization and kind = :kind" + lock)
                .bind("id", id)
                .bind("organization", caller.organizationId())
                .bind("kind", kind.resource())
                .map((row, context) -> policy(row))
                .findOne();
    }

    private Refusal unknown() {
        return Refusal.notFound(kind.resource() + "_not_found", "no such policy");
    }

    private Policy<D> policy(ResultSet row) throws SQLException {
        return new Policy<>(
                row.getString("id"),
                Json.read(row.getString("content"), type),
                row.getLong("version"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Instant.ofEpochMilli(row.getLong("updated_at")));
    }
}
