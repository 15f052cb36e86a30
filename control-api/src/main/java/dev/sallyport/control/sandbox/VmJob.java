package dev.sallyport.control.sandbox;

import dev.sallyport.control.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * What has to be done to a VM. There is one at most for each, and it is gone when the VM is what is wanted.
 *
 * @param organization whose VM it is
 * @param version that of the VM's row
 * @param attempts how often it has failed in a row
 * @param failingSince when that began, in milliseconds; null when it has not failed
 * @param problem what was wrong the last time, or what it waits for
 */
record VmJob(
        String vm,
        String organization,
        long version,
        int attempts,
        @Nullable Long failingSince,
        @Nullable String problem) {

    private static final String WITH_VM =
            "select vm_job.*, vm.organization_id, vm.version from vm_job join vm on vm.id = vm_job.vm_id ";

    /** Makes it, or lets it begin anew, as soon as possible. */
    static void enqueue(Transaction transaction, String vm) {
        transaction
                .sql()
                .createUpdate(
                        "insert into vm_job (vm_id, due_at, attempts) values (:vm, :now, 0) on conflict (vm_id) do update set due_at = excluded.due_at, attempts = 0, failing_since = null, problem = null")
                .bind("vm", vm)
                .bind("now", transaction.now())
                .execute();
    }

    static void done(Transaction transaction, String vm) {
        transaction
                .sql()
                .createUpdate("delete from vm_job where vm_id = :vm")
                .bind("vm", vm)
                .execute();
    }

    /** It has failed, and is tried again. */
    void failed(Transaction transaction, String message, long dueAt) {
        transaction
                .sql()
                .createUpdate(
                        "update vm_job set due_at = :due, attempts = :attempts, failing_since = coalesce(failing_since, :now), problem = :problem where vm_id = :vm")
                .bind("vm", vm)
                .bind("due", dueAt)
                .bind("attempts", attempts + 1)
                .bind("now", transaction.now())
                .bind("problem", message)
                .execute();
    }

    /** It has not failed, and waits for something. */
    void waits(Transaction transaction, String message) {
        transaction
                .sql()
                .createUpdate(
                        "update vm_job set attempts = 0, failing_since = null, problem = :problem where vm_id = :vm")
                .bind("vm", vm)
                .bind("problem", message)
                .execute();
    }

    /** It has got further. */
    static void recovered(Transaction transaction, String vm) {
        transaction
                .sql()
                .createUpdate(
                        "update vm_job set attempts = 0, failing_since = null, problem = null where vm_id = :vm and attempts > 0")
                .bind("vm", vm)
                .execute();
    }

    /** Those that are due, the longest waiting first. */
    static List<VmJob> due(Handle handle, long now) {
        return handle.createQuery(WITH_VM + "where due_at <= :now order by due_at, vm_id")
                .bind("now", now)
                .map((row, context) -> of(row))
                .list();
    }

    static Optional<VmJob> find(Handle handle, String vm) {
        return handle.createQuery(WITH_VM + "where vm_id = :vm")
                .bind("vm", vm)
                .map((row, context) -> of(row))
                .findOne();
    }

    private static VmJob of(ResultSet row) throws SQLException {
        long since = row.getLong("failing_since");
        boolean never = row.wasNull();
        return new VmJob(
                row.getString("vm_id"),
                row.getString("organization_id"),
                row.getLong("version"),
                row.getInt("attempts"),
                never ? null : (Long) since,
                row.getString("problem"));
    }
}
