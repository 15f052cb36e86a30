package dev.sallyport.control.egress;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Listing;
import dev.sallyport.control.store.Quota;
import dev.sallyport.control.store.Statements;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The egress rules of each account. */
@Singleton
public final class EgressRules {

    private static final String RESOURCE = "egress_rule";
    private static final String PREFIX = "egr_";

    private static final Quota QUOTA = new Quota("egress_rule", "egress rules", 10_000, 4 << 20);

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;

    public EgressRules(Store store, Ids ids, AdminAudit audit) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
    }

    /**
     * Which rules.
     *
     * @param host without regard to case
     */
    public record Filter(
            @Nullable String name,
            @Nullable String host,
            @Nullable String cidr) {}

    /** What orders the list. */
    public enum Sort {
        /** The time. */
        CREATED_AT("created_at"),
        /** The host in lower case; ranges have none, and come before all. */
        HOST("host_key");

        private final String column;

        Sort(String column) {
            this.column = column;
        }

        /** The place of a rule in this order. */
        public PageRequest.Position position(EgressRule rule) {
            return switch (this) {
                case CREATED_AT -> new PageRequest.Position(rule.createdAt().toEpochMilli(), rule.id());
                case HOST -> new PageRequest.Position(rule.host() == null ? "" : lowerCase(rule.host()), rule.id());
            };
        }
    }

    /** The rules of the account. */
    public Page<EgressRule> list(Caller caller, Filter filter, Sort sort, PageRequest page) {
        if (filter.host() != null && filter.host().isEmpty()) {
            return new Page<>(List.of(), false);
        }
        return store.read(handle -> new Listing(RESOURCE, caller)
                .only("name", filter.name())
                .only("host_key", filter.host() == null ? null : key(filter.host()))
                .only("cidr", filter.cidr())
                .page(handle, sort.column, page, EgressRules::rule));
    }

    /** A rule; 404 when the account has none of this id. */
    public EgressRule get(Caller caller, String id) {
        return store.read(handle -> find(handle, caller, id, "")).orElseThrow(EgressRules::unknown);
    }

    /** Makes a rule; 409 when the name is taken, or the quota used up. */
    public Written<EgressRule> create(Caller caller, EgressRuleDraft draft) {
        long bytes = Json.bytes(draft).length;
        return store.write(transaction -> {
            refuseTaken(transaction, caller, draft.name());
            QUOTA.refuseBeyond(transaction, caller, bytes, "");
            EgressRule rule = new EgressRule(
                    ids.next(PREFIX, transaction.now()),
                    draft.name(),
                    draft.host(),
                    draft.cidr(),
                    draft.comment(),
                    Instant.ofEpochMilli(transaction.now()));
            Statements.update(
                    transaction.sql(),
                    "insert into egress_rule (id, organization_id, name, host, host_key, cidr, comment, bytes, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    rule.id(),
                    caller.organizationId(),
                    rule.name(),
                    rule.host(),
                    key(rule.host() == null ? "" : rule.host()),
                    rule.cidr(),
                    rule.comment(),
                    bytes,
                    transaction.now());
            transaction.changed(caller.organizationId(), RESOURCE, rule.id());
            audit.record(transaction, caller, Administered.created(RESOURCE, rule.id(), rule));
            return rule;
        });
    }

    private static void refuseTaken(Transaction transaction, Caller caller, @Nullable String name) {
        if (name == null) {
            return;
        }
        Integer taken = Statements.first(
                transaction.sql(),
                "select 1 from egress_rule where organization_id = ? and name = ?",
                row -> row.getInt(1),
                caller.organizationId(),
                name);
        if (taken != null) {
            throw Refusal.conflict("egress_rule_name_taken", "an egress rule with this name exists");
        }
    }

    /** Removes a rule: 404 when the account has none of this id. Its name is free again. */
    public Written<EgressRule> delete(Caller caller, String id) {
        return store.write(transaction -> {
            EgressRule rule =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(EgressRules::unknown);
            transaction
                    .sql()
                    .createUpdate("delete from egress_rule where id = :id")
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.deleted(RESOURCE, id, rule));
            return rule;
        });
    }

    /** All rules of an organization, the older first; see {@link Store#readAtOneMoment}. */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    public static List<EgressRule> of(Handle handle, String organization) {
        return Statements.all(
                handle,
                "select * from egress_rule where organization_id = ? order by created_at, id",
                EgressRules::rule,
                organization);
    }

    /**
     * A rule that has come or gone.
     *
     * @param rule null where it has gone
     */
    record Change(String id, @Nullable EgressRule rule) {}

    /**
     * What has come or gone of an organization after a change, as it is now: what has come and gone again has gone.
     *
     * @param position the order number of the change
     */
    static List<Change> since(Handle handle, String organization, long position) {
        return Statements.all(
                handle,
                "select c.resource_id, r.* from change c left join egress_rule r on r.id = c.resource_id where c.position > ? and c.organization_id = ? and c.kind = ?",
                row -> new Change(row.getString("resource_id"), row.getString("id") == null ? null : rule(row)),
                position,
                organization,
                RESOURCE);
    }

    private static Optional<EgressRule> find(Handle handle, Caller caller, String id, String lock) {
        if (!Ids.isWellFormed(PREFIX, id)) {
            return Optional.empty();
        }
        return handle.createQuery("select * from egress_rule where id = :id and organization_id = :organization" + lock)
                .bind("id", id)
                .bind("organization", caller.organizationId())
                .map((row, context) -> rule(row))
                .findOne();
    }

    private static Refusal unknown() {
        return Refusal.notFound("egress_rule_not_found", "no such egress rule");
    }

    private static String lowerCase(String host) {
        return host.toLowerCase(Locale.ROOT);
    }

    private static byte[] key(String host) {
        return lowerCase(host).getBytes(StandardCharsets.UTF_8);
    }

    private static EgressRule rule(ResultSet row) throws SQLException {
        return new EgressRule(
                row.getString("id"),
                row.getString("name"),
                row.getString("host"),
                row.getString("cidr"),
                row.getString("comment"),
                Instant.ofEpochMilli(row.getLong("created_at")));
    }
}
