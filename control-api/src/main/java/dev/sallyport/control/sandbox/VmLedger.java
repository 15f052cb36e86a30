package dev.sallyport.control.sandbox;

import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import dev.sallyport.sandbox.VmLimits;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * What the reconciler reads and writes. Each change holds only as long as nobody has wanted something else meanwhile, which
 * the version of the row tells. Thread-safe; blocks.
 */
@Singleton
final class VmLedger {

    private static final String READY = " and vm.destroyed_at is null and vm.status_detail = 'ready'";

    private static final String OUTDATED =
            "from vm join organization on organization.id = vm.organization_id where (vm.environment is null or vm.environment <> organization.environment)";

    private final Store store;
    private final ChangeLog changes;
    private final VmEvents events;
    private final Leases leases;
    private final Clock clock;

    VmLedger(Store store, ChangeLog changes, VmEvents events, Leases leases, Clock clock) {
        this.store = store;
        this.changes = changes;
        this.events = events;
        this.leases = leases;
        this.clock = clock;
    }

    /** Runs this whenever somebody may want something. */
    void onChange(Runnable wake) {
        store.onChange(Vms.RECONCILED, wake);
    }

    /** Now, in milliseconds since the epoch. */
    long now() {
        return clock.millis();
    }

    /** The number of the last change of policies, or of anything else. */
    long lastChange() {
        return changes.last();
    }

    /**
     * Writes down what VMs may take of which nobody has written it: those of an earlier version, which gave all of them what
     * was configured.
     */
    void assumeSize(VmLimits size) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate(
                        "update vm set memory_bytes = :memory, cpu_millis = :cpu, processes = :processes, disk_bytes = :disk where destroyed_at is null and memory_bytes is null")
                .bind("memory", size.memoryBytes())
                .bind("cpu", size.cpuMillis())
                .bind("processes", size.processes())
                .bind("disk", size.diskBytes())
                .execute());
    }

    Optional<VmRow> find(String id) {
        return store.read(handle -> VmRow.find(handle, id, ""));
    }

    /** All that are not gone. */
    List<VmRow> present() {
        return store.read(VmRow::present);
    }

    /** Those to which something is to be done. */
    Set<String> unsettled() {
        return store.read(handle -> handle.createQuery("select vm_id from vm_job")
                .mapTo(String.class)
                .set());
    }

    List<VmJob> due() {
        return store.read(handle -> VmJob.due(handle, clock.millis()));
    }

    Optional<VmJob> job(VmRow vm) {
        return store.read(handle -> VmJob.find(handle, vm.id()));
    }

    /** Whether the last attempt has come to nothing, or waits for something. */
    boolean hasProblem(VmRow vm) {
        return job(vm).filter(job -> job.problem() != null).isPresent();
    }

    /** When the next job will be due that is not due now, in milliseconds since the epoch; null when there is none. */
    @Nullable Long nextDue() {
        return store.read(handle -> handle.createQuery(
                                "select due_at from vm_job where due_at > :now order by due_at limit 1")
                        .bind("now", clock.millis())
                        .mapTo(Long.class)
                        .findOne())
                .orElse(null);
    }

    /**
     * Whether the time of its boot is over, as far as is written down now. It does not pass while a snapshot of it may let it
     * stand still.
     */
    boolean isBootOver(VmRow vm) {
        return store.read(handle -> handle.createQuery(
                                "select 1 from vm where id = :id and boot_by <= :now and not exists (select 1 from snapshot where vm_id = vm.id and status = 'pending' and gone_at is null)")
                        .bind("id", vm.id())
                        .bind("now", clock.millis())
                        .mapTo(Integer.class)
                        .findOne())
                .isPresent();
    }

    /**
     * A VM that is ready and has another environment than its organization.
     *
     * @param organization whose it is
     */
    record Outdated(String id, String organization) {}

    /** In the order of their identifiers. */
    List<Outdated> outdated() {
        return store.read(
                handle -> handle.createQuery("select vm.id, vm.organization_id " + OUTDATED + READY + " order by vm.id")
                        .map((row, context) -> new Outdated(row.getString("id"), row.getString("organization_id")))
                        .list());
    }

    /** Whether an organization has one of these. */
    boolean hasOutdated(String organization) {
        return store.read(handle -> handle.createQuery(
                                "select 1 " + OUTDATED + READY + " and vm.organization_id = :organization limit 1")
                        .bind("organization", organization)
                        .mapTo(Integer.class)
                        .findOne())
                .isPresent();
    }

    /** Whether its environment is another one than that of its organization, or not known. */
    boolean isOutdated(VmRow vm) {
        return store.read(handle -> handle.createQuery("select 1 " + OUTDATED + " and vm.id = :id")
                        .bind("id", vm.id())
                        .mapTo(Integer.class)
                        .findOne())
                .isPresent();
    }

    /** The driver has given it this environment. */
    void given(VmRow vm, GuestSpecs.Environment environment) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("update vm set environment = :number where id = :id")
                .bind("number", environment.number())
                .bind("id", vm.id())
                .execute());
    }

    /** Whether an agent works in it. */
    boolean isBusy(VmRow vm) {
        return store.read(handle -> handle.createQuery(
                                "select 1 from agent where vm_id = :id and stage <> 'DONE' limit 1")
                        .bind("id", vm.id())
                        .mapTo(Integer.class)
                        .findOne())
                .isPresent();
    }

    /** Lets it be looked at again. */
    void enqueue(String id) {
        store.write(transaction -> {
            VmJob.enqueue(transaction, id);
            return id;
        });
    }

    /** Lets all of them be looked at again. */
    void enqueue(List<VmRow> vms) {
        store.write(transaction -> {
            vms.forEach(vm -> VmJob.enqueue(transaction, vm.id()));
            return vms.size();
        });
    }

    /** Tells its owner something; nothing changes. */
    void tell(VmRow vm, String message) {
        change(vm, (transaction, row) -> {
            events.record(transaction, row, message);
            return null;
        });
    }

    /** Nothing is left to be done. */
    void settle(VmRow vm) {
        change(vm, (transaction, row) -> {
            VmJob.done(transaction, row.id());
            return null;
        });
    }

    /** Tries again later; the events tell a problem once. */
    void retry(VmJob job, VmRow vm, String message, Duration pause) {
        change(vm, (transaction, row) -> {
            if (!message.equals(job.problem())) {
                events.record(transaction, row, message + "; it is tried again");
            }
            job.failed(transaction, message, transaction.now() + pause.toMillis());
            return null;
        });
    }

    /** Nothing has failed, and it has to wait; the events tell why once. */
    void await(VmJob job, VmRow vm, String message) {
        if (message.equals(job.problem()) && job.failingSince() == null) {
            return;
        }
        change(vm, (transaction, row) -> {
            events.record(transaction, row, message);
            job.waits(transaction, message);
            return null;
        });
    }

    /** Goes from one state to another. */
    void move(VmRow vm, VmState next, String message) {
        move(vm, next, message, row -> row);
    }

    /** The same, where something else is wanted from now on. */
    void turn(VmRow vm, VmState next, String message) {
        move(vm, next, message, VmRow::next);
    }

    /** The driver has made it, with these keys. */
    void made(VmRow vm, List<VmHostKeys.Key> keys) {
        move(vm, vm.state().nowMade(), "it is made, and boots", row -> row.with(keys));
    }

    /** Nothing of it is left; its address and port are free. */
    void destroyed(VmRow vm) {
        move(vm, vm.state().destroyed(), "nothing of it is left", row -> row.with((VmRow.Lease) null));
    }

    /**
     * Gives it another port; nobody was told the one that it had.
     *
     * @return null when something else is wanted of it meanwhile
     * @throws dev.sallyport.control.model.Refusal when there is none
     */
    VmRow.@Nullable Lease otherPort(VmRow vm, VmRow.Lease lease) {
        VmRow after = change(
                vm, (transaction, row) -> row.with(new VmRow.Lease(lease.address(), leases.port(transaction.sql()))));
        return after == null ? null : after.lease();
    }

    private void move(VmRow vm, VmState next, String message, UnaryOperator<VmRow> more) {
        change(vm, (transaction, row) -> {
            VmRow after = more.apply(row.as(next, transaction.now()));
            events.record(transaction, after, message);
            VmJob.recovered(transaction, row.id());
            return after;
        });
    }

    /**
     * Asks for something on behalf of the operator, whose limit a VM has reached, unless its owner has wanted something else
     * since it was looked at.
     */
    void order(VmRow vm, VmState next, String message) {
        change(vm, (transaction, row) -> {
            VmRow after = row.as(next, transaction.now()).next();
            events.record(transaction, after, message);
            VmJob.enqueue(transaction, row.id());
            transaction.changed(row.identity().organization(), Vms.RESOURCE, row.id());
            return after;
        });
    }

    /**
     * @param work returns the row to be written, or null for none
     * @return what was written; null for nothing
     */
    private @Nullable VmRow change(VmRow vm, BiFunction<Transaction, VmRow, @Nullable VmRow> work) {
        Written<Optional<VmRow>> written = store.write(transaction -> {
            Handle sql = transaction.sql();
            VmRow row = VmRow.find(sql, vm.id(), transaction.rowLock()).orElse(null);
            if (row == null || row.version() != vm.version()) {
                return Optional.empty();
            }
            VmRow after = work.apply(transaction, row);
            if (after != null && !after.update(transaction, row.version())) {
                throw new IllegalStateException("a row that is locked has changed");
            }
            return Optional.ofNullable(after);
        });
        return written.value().orElse(null);
    }
}
