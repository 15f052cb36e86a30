package dev.sallyport.control.sandbox;

import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.statement.Update;

/**
 * What the {@link SnapshotKeeper} reads and writes. What became of a snapshot is written only as long as nobody has deleted
 * it. Thread-safe; blocks.
 */
@Singleton
final class SnapshotLedger {

    private final Store store;
    private final VmEvents events;
    private final Clock clock;
    private final SandboxSettings settings;

    SnapshotLedger(Store store, VmEvents events, Clock clock, SandboxSettings settings) {
        this.store = store;
        this.events = events;
        this.clock = clock;
        this.settings = settings;
    }

    /** Runs this whenever somebody may want something. */
    void onChange(Runnable wake) {
        store.onChange(Vms.RECONCILED, wake);
    }

    /** Now, in milliseconds since the epoch. */
    long now() {
        return clock.millis();
    }

    List<SnapshotRow> due() {
        return store.read(handle -> SnapshotRow.due(handle, clock.millis()));
    }

    /** Those of which the driver may hold something. */
    List<SnapshotRow> present() {
        return store.read(SnapshotRow::present);
    }

    Optional<SnapshotRow> find(String id) {
        return store.read(handle -> SnapshotRow.find(handle, id, ""));
    }

    /** Whether the guest of the VM is to run, as far as is written down. */
    boolean isToRun(SnapshotRow snapshot) {
        return store.read(handle -> VmRow.find(handle, snapshot.identity().vm(), ""))
                .filter(vm -> vm.state().detail().status() == VmStatus.RUNNING)
                .isPresent();
    }

    /** Whether a VM is about to be made from it. */
    boolean isNeeded(SnapshotRow snapshot) {
        return store.read(handle -> handle.createQuery(
                                "select 1 from vm where snapshot_id = :id and address is not null and not made and wanted = 'RUNNING' limit 1")
                        .bind("id", snapshot.id())
                        .mapTo(Integer.class)
                        .findOne())
                .isPresent();
    }

    /** The copy is taken. */
    void captured(SnapshotRow snapshot) {
        update(
                snapshot,
                "status = 'uploading', attempts = 0, failing_since = null",
                "snapshot " + snapshot.id() + ": the copy is taken");
    }

    /** VMs can be made from it. */
    void ready(SnapshotRow snapshot, long bytes) {
        store.write(transaction -> {
            Update update = transaction
                    .sql()
                    .createUpdate(
                            "update snapshot set status = 'ready', size_bytes = :bytes, due_at = null, attempts = 0, failing_since = null where id = :id and status = 'uploading' and deleted_at is null")
                    .bind("bytes", bytes);
            tell(transaction, snapshot, update, "snapshot " + snapshot.id() + " is ready");
            return snapshot.id();
        });
    }

    /** It came to nothing. */
    void failed(SnapshotRow snapshot, String message) {
        update(
                snapshot,
                "status = 'failed', due_at = null, attempts = 0, failing_since = null",
                "snapshot " + snapshot.id() + " failed: " + message);
    }

    /** It was ready, was not there any more, and is there again. */
    void found(SnapshotRow snapshot) {
        update(snapshot, "status = 'ready'", "snapshot " + snapshot.id() + " is there again, and ready");
    }

    private void update(SnapshotRow snapshot, String assignments, String message) {
        store.write(transaction -> {
            Update update = transaction
                    .sql()
                    .createUpdate("update snapshot set " + assignments
                            + " where id = :id and status = :status and deleted_at is null")
                    .bind("status", snapshot.status().text());
            tell(transaction, snapshot, update, message);
            return snapshot.id();
        });
    }

    private void tell(Transaction transaction, SnapshotRow snapshot, Update update, String message) {
        if (update.bind("id", snapshot.id()).execute() == 1) {
            letBoot(transaction, snapshot);
            VmRow.find(transaction.sql(), snapshot.identity().vm(), "")
                    .ifPresent(vm -> events.record(transaction, vm, message));
        }
    }

    /**
     * A guest that was booting may have stood still for a snapshot that is not pending any more: it has the whole time of a
     * boot from now on.
     */
    private void letBoot(Transaction transaction, SnapshotRow before) {
        if (before.status() == SnapshotStatus.PENDING) {
            transaction
                    .sql()
                    .createUpdate(
                            "update vm set boot_by = :boot where id = :id and status_detail = 'running' and boot_by < :boot")
                    .bind("id", before.identity().vm())
                    .bind("boot", transaction.now() + settings.bootTimeout().toMillis())
                    .execute();
        }
    }

    /** Nothing of it is left. */
    void gone(SnapshotRow snapshot) {
        store.write(transaction -> {
            letBoot(transaction, snapshot);
            return transaction
                    .sql()
                    .createUpdate("update snapshot set due_at = null, gone_at = :now where id = :id")
                    .bind("now", transaction.now())
                    .bind("id", snapshot.id())
                    .execute();
        });
    }

    /** Tries again later; a deletion that comes meanwhile is tried at once. */
    void retry(SnapshotRow snapshot, Duration pause) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate(
                        "update snapshot set due_at = :due, attempts = :attempts, failing_since = coalesce(failing_since, :now) where id = :id and due_at is not null and (deleted_at is not null) = :deleted")
                .bind("due", transaction.now() + pause.toMillis())
                .bind("attempts", snapshot.attempts() + 1)
                .bind("now", transaction.now())
                .bind("id", snapshot.id())
                .bind("deleted", snapshot.isDeleted())
                .execute());
    }
}
