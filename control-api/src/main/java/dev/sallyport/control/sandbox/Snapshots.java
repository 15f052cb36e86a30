package dev.sallyport.control.sandbox;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Listing;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of each account. What is asked for is written down, and answered at once; the {@link SnapshotKeeper} brings
 * it about. Thread-safe; blocks for the database only.
 */
@Singleton
public final class Snapshots {

    private static final String RESOURCE = "snapshot";
    private static final String PREFIX = "snap_";
    private static final int MEBI = 20;

    /** How much an archive may be larger than what is in it, besides a quarter: it has names and blocks of its own. */
    private static final long SLACK = 64L << MEBI;

    /**
     * What lies on the disk: snapshots that are there, and those below them or below a VM, whether they are there or not.
     * Accounts have nothing in common.
     */
    private static final String NEEDED =
            "with recursive needed (id) as (select id from (select id from snapshot where gone_at is null%1$s union select snapshot_id from vm where snapshot_id is not null and address is not null%1$s) present union select source_snapshot_id from snapshot join needed on snapshot.id = needed.id where source_snapshot_id is not null) select id from needed";

    private static final String NEEDED_BY_ANYBODY = NEEDED.formatted("");
    private static final String NEEDED_BY_ONE = NEEDED.formatted(" and organization_id = :organization");

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Clock clock;
    private final Vms.Parts parts;

    Snapshots(Store store, Ids ids, AdminAudit audit, Clock clock, Vms.Parts parts) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.clock = clock;
        this.parts = parts;
    }

    /** The place of a snapshot in the list; empty when the text is no identifier of one. */
    @WithoutCaller("it reads an identifier")
    public static Optional<PageRequest.Position> position(String id) {
        return Ids.isWellFormed(PREFIX, id)
                ? Optional.of(new PageRequest.Position(Ids.millis(PREFIX, id), id))
                : Optional.empty();
    }

    /** Asks for a snapshot of a VM: 404, then 409 unless it runs, then 503 when there are no sandboxes, then 409. */
    public Written<Snapshot> create(Caller caller, String vm, SnapshotDraft draft) {
        String id = ids.next(PREFIX, clock.millis());
        return store.write(transaction -> {
            transaction.lockOrganization(caller.organizationId());
            VmRow source = Vms.find(transaction.sql(), caller, vm, transaction.rowLock())
                    .orElseThrow(Vms::unknown);
            if (source.state().detail().status() != VmStatus.RUNNING) {
                throw Vms.notRunning(source);
            }
            parts.sandboxes().refuseUnlessAvailable();
            refuseBeyondQuota(transaction, caller);
            SnapshotRow row = SnapshotRow.asked(new SnapshotRow.Identity(
                    id,
                    caller.organizationId(),
                    vm,
                    source.identity().image(),
                    source.identity().snapshot(),
                    draft.label(),
                    Ids.millis(PREFIX, id)));
            row.insert(transaction.sql(), transaction.now());
            parts.events().record(transaction, source, "snapshot " + id + " was asked for");
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.created(RESOURCE, id, row.view()));
            return row.view();
        });
    }

    private void refuseBeyondQuota(Transaction transaction, Caller caller) {
        SandboxSettings.SnapshotQuota quota = parts.settings().snapshots();
        if (present(transaction.sql(), caller) >= quota.most()) {
            throw Refusal.quotaExceeded(quota.most() + " snapshots exist (expected: no more; delete one)");
        }
        long bytes = bytes(transaction.sql(), caller, parts.settings().size().diskBytes());
        if (bytes >= quota.bytes()) {
            throw Refusal.quotaExceeded(
                    "snapshots take %d MiB with those that VMs are made of (expected: less than %d; delete some)"
                            .formatted(bytes >> MEBI, quota.bytes() >> MEBI));
        }
    }

    private static long present(Handle handle, Caller caller) {
        return handle.createQuery(
                        "select count(*) from snapshot where organization_id = :organization and gone_at is null")
                .bind("organization", caller.organizationId())
                .mapTo(Long.class)
                .one();
    }

    /**
     * What they take, or may take as long as they are not ready. Begins with what the account has, whatever others have.
     *
     * @param disk that of a VM of which nobody knows it
     */
    private static long bytes(Handle handle, Caller caller, long disk) {
        return handle.createQuery(
                        "select coalesce(sum(case when gone_at is null and status in ('pending', 'uploading') then disk + disk / 4 + :slack else coalesce(size_bytes, 0) end), 0) from (select gone_at, status, size_bytes, coalesce((select disk_bytes from vm where vm.id = snapshot.vm_id), :disk) as disk from snapshot where id in ("
                                + NEEDED_BY_ONE + ")) needed_ones")
                .bind("organization", caller.organizationId())
                .bind("disk", disk)
                .bind("slack", SLACK)
                .mapTo(Long.class)
                .one();
    }

    /**
     * The snapshots of the account.
     *
     * @param vm those of this VM alone, which the account must have, else 404; null for all
     */
    public Page<Snapshot> list(Caller caller, @Nullable String vm, PageRequest page) {
        Page<SnapshotRow> rows = store.read(handle -> {
            if (vm != null && Vms.find(handle, caller, vm, "").isEmpty()) {
                throw Vms.unknown();
            }
            return new Listing(SnapshotRow.TABLE, caller)
                    .without("deleted_at")
                    .only("vm_id", vm)
                    .page(handle, "created_at", page, SnapshotRow::of);
        });
        return new Page<>(rows.rows().stream().map(SnapshotRow::view).toList(), rows.hasMore());
    }

    /** A snapshot; 404 when the account has none of this id. */
    public Snapshot get(Caller caller, String id) {
        return store.read(handle -> require(handle, caller, id, "")).view();
    }

    /** Deletes one, in any state: 404 when the account has none of this id. */
    public Written<Snapshot> delete(Caller caller, String id) {
        return store.write(transaction -> {
            SnapshotRow row = require(transaction.sql(), caller, id, transaction.rowLock());
            transaction
                    .sql()
                    .createUpdate(
                            "update snapshot set deleted_at = :now, due_at = :now, attempts = 0, failing_since = null where id = :id")
                    .bind("now", transaction.now())
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.deleted(RESOURCE, id, row.view()));
            return row.view();
        });
    }

    /** The snapshot of the caller's account; 404 when there is none of this id. */
    static SnapshotRow require(Handle handle, Caller caller, String id, String lock) {
        return find(handle, caller, id, lock)
                .orElseThrow(() -> Refusal.notFound("snapshot_not_found", "no such snapshot"));
    }

    static Optional<SnapshotRow> find(Handle handle, Caller caller, String id, String lock) {
        Optional<SnapshotRow> found =
                Ids.isWellFormed(PREFIX, id) ? SnapshotRow.find(handle, id, lock) : Optional.empty();
        return found.filter(
                row -> !row.isDeleted() && row.identity().organization().equals(caller.organizationId()));
    }

    /** The same, which has to be one that a VM can be made from, else 409. */
    static SnapshotRow requireReady(Transaction transaction, Caller caller, String id) {
        SnapshotRow row = require(transaction.sql(), caller, id, transaction.rowLock());
        if (row.status() != SnapshotStatus.READY) {
            throw Refusal.conflict(
                    "snapshot_not_ready", "the snapshot is " + row.status().text() + " (expected: ready)");
        }
        return row;
    }

    /** Forgets those of which nothing has been left for long, what others are made of included. */
    @WithoutCaller("housekeeping")
    public void forget(Duration age) {
        store.deleteInPortions(SnapshotRow.TABLE, "id", "gone_at", age, "id not in (" + NEEDED_BY_ANYBODY + ")");
    }
}
