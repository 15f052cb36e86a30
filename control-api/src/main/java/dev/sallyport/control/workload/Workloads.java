package dev.sallyport.control.workload;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.ProxyPassword;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Listing;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The workloads of each account and their passwords, of which only hashes are stored. Thread-safe; blocks. */
@Singleton
public final class Workloads {

    private static final String RESOURCE = "workload";
    private static final String ID = "wl_";
    private static final String PREFIX = "sp_workload_";
    private static final int MOST = 1000;

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;

    public Workloads(Store store, Ids ids, AdminAudit audit) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
    }

    /** Makes a workload; 409 when the name is taken, or the account has too many. */
    public Written<NewWorkload> create(Caller caller, WorkloadDraft draft) {
        String password = Tokens.random(PREFIX);
        return store.write(transaction -> {
            refuseTaken(transaction, caller, draft.name());
            refuseBeyondQuota(transaction, caller);
            String id = ids.next(ID, transaction.now());
            // The identifier is the user: no two accounts have the same, and nobody has to invent one.
            NewWorkload workload =
                    new NewWorkload(id, draft.name(), id, password, Instant.ofEpochMilli(transaction.now()));
            transaction
                    .sql()
                    .createUpdate(
                            "insert into workload (id, organization_id, name, password_hash, created_at) values (:id, :organization, :name, :hash, :now)")
                    .bind("id", id)
                    .bind("organization", caller.organizationId())
                    .bind("name", workload.name())
                    .bind("hash", Tokens.hash(password))
                    .bind("now", transaction.now())
                    .execute();
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.created(RESOURCE, id, workload.withoutPassword()));
            return workload;
        });
    }

    private static void refuseTaken(Transaction transaction, Caller caller, String name) {
        boolean taken = transaction
                .sql()
                .createQuery("select 1 from workload where organization_id = :organization and name = :name")
                .bind("organization", caller.organizationId())
                .bind("name", name)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
        if (taken) {
            throw Refusal.conflict("workload_name_taken", "a workload with this name exists");
        }
    }

    private static void refuseBeyondQuota(Transaction transaction, Caller caller) {
        transaction.lockOrganization(caller.organizationId());
        int present = transaction
                .sql()
                .createQuery("select count(*) from workload where organization_id = :organization")
                .bind("organization", caller.organizationId())
                .mapTo(Integer.class)
                .one();
        if (present >= MOST) {
            throw Refusal.quotaExceeded(MOST + " workloads exist (expected: no more; delete one)");
        }
    }

    /** The workloads of the account, by time; only those of this name, unless it is null. */
    public Page<Workload> list(Caller caller, @Nullable String name, PageRequest page) {
        return store.read(handle ->
                new Listing(RESOURCE, caller).only("name", name).page(handle, "created_at", page, Workloads::workload));
    }

    /** A workload; 404 when the account has none of this id. */
    public Workload get(Caller caller, String id) {
        return store.read(handle -> find(handle, caller, id, "")).orElseThrow(Workloads::unknown);
    }

    /** Removes a workload: proxies take its password no more. */
    public Written<Workload> delete(Caller caller, String id) {
        return store.write(transaction -> {
            Workload workload =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(Workloads::unknown);
            transaction
                    .sql()
                    .createUpdate("delete from workload where id = :id")
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.deleted(RESOURCE, id, workload));
            return workload;
        });
    }

    /** The passwords of all workloads. */
    @WithoutCaller("proxies of the installation know the workloads of all accounts")
    public List<ProxyPassword> passwords() {
        return store.read(handle -> handle.createQuery("select id, organization_id, password_hash from workload")
                .map((row, context) -> password(row))
                .list());
    }

    /** The passwords of the workloads of some organizations. */
    @WithoutCaller("proxies of the installation know the workloads of all accounts")
    public List<ProxyPassword> passwords(Collection<String> organizations) {
        return organizations.isEmpty()
                ? List.of()
                : store.read(handle -> handle.createQuery(
                                "select id, organization_id, password_hash from workload where organization_id in (<organizations>)")
                        .bindList("organizations", List.copyOf(organizations))
                        .map((row, context) -> password(row))
                        .list());
    }

    private static ProxyPassword password(ResultSet row) throws SQLException {
        return new ProxyPassword(
                row.getString("organization_id"),
                row.getString("id"),
                Tokens.digest(row.getString("password_hash")),
                null);
    }

    private static Optional<Workload> find(Handle handle, Caller caller, String id, String lock) {
        if (!Ids.isWellFormed(ID, id)) {
            return Optional.empty();
        }
        return handle.createQuery("select * from workload where id = :id and organization_id = :organization" + lock)
                .bind("id", id)
                .bind("organization", caller.organizationId())
                .map((row, context) -> workload(row))
                .findOne();
    }

    private static Refusal unknown() {
        return Refusal.notFound("workload_not_found", "no such workload");
    }

    private static Workload workload(ResultSet row) throws SQLException {
        String id = row.getString("id");
        return new Workload(id, row.getString("name"), id, Instant.ofEpochMilli(row.getLong("created_at")));
    }
}
