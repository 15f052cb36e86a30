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
import dev.sallyport.sandbox.VmLimits;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The VMs of each account. What is asked for is written down, and answered at once; the {@link Reconciler} brings it about.
 * Thread-safe; blocks for the database only.
 */
@Singleton
public final class Vms {

    static final String RESOURCE = "vm";

    /** Changes of such resources may give those work who bring about what is wanted of sandboxes. */
    public static final Set<String> RECONCILED =
            Set.of(RESOURCE, "snapshot", "agent", "secret", "environment_variable");

    private static final String PREFIX = "vm_";

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Clock clock;
    private final Parts parts;

    /** What only sandboxes have. */
    @Singleton
    record Parts(Sandboxes sandboxes, SandboxSettings settings, VmQuotas quotas, Leases leases, VmEvents events) {}

    Vms(Store store, Ids ids, AdminAudit audit, Clock clock, Parts parts) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.clock = clock;
        this.parts = parts;
    }

    /** What orders the list. */
    public enum Sort {
        /** The time of the creation. */
        CREATED_AT("created_at"),
        /** The time of the last change. */
        UPDATED_AT("updated_at"),
        /** The name, by code points. */
        NAME("name_key");

        private final String column;

        Sort(String column) {
            this.column = column;
        }

        /** The place of a VM in this order. */
        public PageRequest.Position position(Vm vm) {
            return switch (this) {
                case CREATED_AT -> new PageRequest.Position(vm.createdAt().toEpochMilli(), vm.id());
                case UPDATED_AT -> new PageRequest.Position(vm.updatedAt().toEpochMilli(), vm.id());
                case NAME -> new PageRequest.Position(vm.name(), vm.id());
            };
        }
    }

    /** Which VMs; null for any. */
    public record Filter(
            @Nullable VmStatus status,
            @Nullable VmDetail detail,
            @Nullable String name) {}

    /** What the administrative record shows. */
    private record State(String name, VmStatus status, VmDetail statusDetail) {

        static State of(VmRow row) {
            return new State(
                    row.identity().name(),
                    row.state().detail().status(),
                    row.state().detail());
        }
    }

    /** The VMs of the account, destroyed ones too. */
    public Page<Vm> list(Caller caller, Filter filter, Sort sort, PageRequest page) {
        Page<VmRow> rows = store.read(handle -> new Listing(RESOURCE, caller)
                .only("status", filter.status() == null ? null : filter.status().text())
                .only(
                        "status_detail",
                        filter.detail() == null ? null : filter.detail().text())
                .only("name", filter.name())
                .page(handle, sort.column, page, VmRow::of));
        return new Page<>(rows.rows().stream().map(VmRow::view).toList(), rows.hasMore());
    }

    /** A VM; 404 when the account has none of this id. */
    public Vm get(Caller caller, String id) {
        return row(caller, id).view();
    }

    private VmRow row(Caller caller, String id) {
        return store.read(handle -> find(handle, caller, id, "")).orElseThrow(Vms::unknown);
    }

    /**
     * Asks for a VM: 503 when there are no sandboxes, 404 or 409 when its snapshot is not there or not ready, 409 when the
     * name is taken, or the quota used up.
     */
    public Written<Vm> create(Caller caller, VmDraft draft) {
        parts.sandboxes.refuseUnlessAvailable();
        String id = ids.next(PREFIX, clock.millis());
        return store.write(transaction -> {
            transaction.lockOrganization(caller.organizationId());
            return insert(transaction, caller, id, new Wish(draft.name(), draft.key(), null, draft.snapshotId()));
        });
    }

    /**
     * What a VM is to be.
     *
     * @param image null for what all begin as; of no meaning with a snapshot
     */
    record Wish(
            String name,
            String publicKey,
            @Nullable String image,
            @Nullable String snapshot) {}

    /** Writes a wish down; the organization is locked. */
    Vm insert(Transaction transaction, Caller caller, String id, Wish wish) {
        SnapshotRow snapshot =
                wish.snapshot() == null ? null : Snapshots.requireReady(transaction, caller, wish.snapshot());
        refuseTaken(transaction, caller, wish.name());
        VmLimits size = parts.settings.size();
        parts.quotas.refuseCreation(transaction, caller.organizationId(), size);
        Instant now = Instant.ofEpochMilli(transaction.now());
        String image = wish.image() == null ? parts.settings.image().value() : wish.image();
        VmRow row = new VmRow(
                new VmRow.Identity(
                        id,
                        caller.organizationId(),
                        wish.name(),
                        wish.publicKey(),
                        snapshot == null ? image : snapshot.identity().image(),
                        wish.snapshot(),
                        size),
                VmState.asked(),
                1,
                parts.leases.next(transaction.sql()),
                List.of(),
                now,
                now);
        row.insert(transaction.sql());
        VmJob.enqueue(transaction, id);
        parts.events.record(transaction, row, "its creation was asked for");
        transaction.changed(caller.organizationId(), RESOURCE, id);
        audit.record(transaction, caller, Administered.created(RESOURCE, id, State.of(row)));
        return row.view();
    }

    private static void refuseTaken(Transaction transaction, Caller caller, String name) {
        boolean taken = transaction
                .sql()
                .createQuery(
                        "select 1 from vm where organization_id = :organization and name = :name and status <> 'destroyed'")
                .bind("organization", caller.organizationId())
                .bind("name", name)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
        if (taken) {
            throw Refusal.conflict("vm_name_taken", "a VM with this name exists");
        }
    }

    /** Asks for a start: 404, then 409 unless it is stopped, then 503 when there are no sandboxes, then 409 by the quotas. */
    public Written<Vm> start(Caller caller, String id) {
        return store.write(transaction -> {
            transaction.lockOrganization(caller.organizationId());
            return change(transaction, caller, id, row -> {
                if (row.state().detail().status() != VmStatus.STOPPED) {
                    throw notStopped(row);
                }
                parts.sandboxes.refuseUnlessAvailable();
                parts.quotas.refuseStart(transaction, row);
                return new Change(row.state().started(), "its start was asked for");
            });
        });
    }

    /** Asks for a stop: 404, then 409 unless it runs. */
    public Written<Vm> stop(Caller caller, String id) {
        return change(caller, id, row -> {
            if (row.state().detail().status() != VmStatus.RUNNING) {
                throw notRunning(row);
            }
            parts.sandboxes.refuseWithoutDriver();
            return new Change(row.state().stopping(), "its stop was asked for");
        });
    }

    /**
     * Asks for its end: 404, then 409 unless it is stopped, failed, or destroyed already.
     *
     * @param force whether it may be in any state
     */
    public Written<Vm> delete(Caller caller, String id, boolean force) {
        return change(caller, id, row -> destruction(row, force));
    }

    private @Nullable Change destruction(VmRow row, boolean force) {
        VmStatus status = row.state().detail().status();
        if (status == VmStatus.DESTROYED && !(force && row.state().mustStop())) {
            return null;
        }
        if (!force && status != VmStatus.STOPPED && status != VmStatus.FAILED) {
            throw notStopped(row);
        }
        parts.sandboxes.refuseWithoutDriver();
        return new Change(row.state().destroying(force), force ? "its end was forced" : "its end was asked for");
    }

    /** Asks for its end in any state, in a transaction that does more. One that is not there any more is no error. */
    void destroy(Transaction transaction, Caller caller, String id) {
        find(transaction.sql(), caller, id, transaction.rowLock())
                .ifPresent(row -> apply(transaction, caller, row, destruction(row, true)));
    }

    /** What is asked for, and how the events tell it. */
    private record Change(VmState state, String message) {}

    private Written<Vm> change(Caller caller, String id, Function<VmRow, @Nullable Change> asked) {
        return store.write(transaction -> change(transaction, caller, id, asked));
    }

    /** @param asked what becomes of it; null for nothing */
    private Vm change(Transaction transaction, Caller caller, String id, Function<VmRow, @Nullable Change> asked) {
        VmRow before =
                find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(Vms::unknown);
        return apply(transaction, caller, before, asked.apply(before));
    }

    /** @param change null for none */
    private Vm apply(Transaction transaction, Caller caller, VmRow before, @Nullable Change change) {
        if (change == null) {
            return before.view();
        }
        String id = before.id();
        VmRow after = before.as(change.state(), transaction.now()).next();
        if (!after.update(transaction, before.version())) {
            throw new IllegalStateException("a row that is locked has changed");
        }
        VmJob.enqueue(transaction, id);
        parts.events.record(transaction, after, change.message());
        transaction.changed(caller.organizationId(), RESOURCE, id);
        audit.record(
                transaction,
                caller,
                after.state().wanted() == VmState.Wanted.DESTROYED
                        ? Administered.deleted(RESOURCE, id, State.of(before))
                        : Administered.updated(RESOURCE, id, State.of(before), State.of(after)));
        return after.view();
    }

    /** How to log in: 404, then 409 unless it runs. */
    public SshInfo ssh(Caller caller, String id) {
        VmRow row = running(caller, id);
        return SshInfo.of(parts.settings.ssh().host(), lease(row).sshPort());
    }

    /** By which keys it proves itself: 404, then 409 unless it runs. */
    public VmHostKeys hostKeys(Caller caller, String id) {
        VmRow row = running(caller, id);
        return VmHostKeys.of(parts.settings.ssh().host(), lease(row).sshPort(), row.hostKeys());
    }

    /** One that runs: 404, then 409 unless it does, then 503 without a driver. */
    VmRow running(Caller caller, String id) {
        VmRow row = row(caller, id);
        if (row.state().detail().status() != VmStatus.RUNNING) {
            throw notRunning(row);
        }
        parts.sandboxes.refuseWithoutDriver();
        return row;
    }

    private static VmRow.Lease lease(VmRow row) {
        VmRow.Lease lease = row.lease();
        if (lease == null) {
            throw new IllegalStateException("a VM that runs without an address");
        }
        return lease;
    }

    /** What happened to a VM; 404 when the account has none of this id. */
    public Page<VmEvent.Listed> events(Caller caller, String id, PageRequest page) {
        row(caller, id);
        return store.read(handle -> new Listing(VmEvents.TABLE, caller)
                .only("vm_id", id)
                .page(handle, "happened_at", page, VmEvents::event));
    }

    /** Forgets what happened long ago, and VMs that were destroyed long ago. */
    @WithoutCaller("housekeeping")
    public void forget(Duration age) {
        store.deleteInPortions(VmEvents.TABLE, "id", "happened_at", age);
        store.deleteInPortions(RESOURCE, "id", "destroyed_at", age);
    }

    static Optional<VmRow> find(Handle handle, Caller caller, String id, String lock) {
        return Ids.isWellFormed(PREFIX, id)
                ? VmRow.find(handle, id, lock)
                        .filter(row -> row.identity().organization().equals(caller.organizationId()))
                : Optional.empty();
    }

    static Refusal unknown() {
        return Refusal.notFound("vm_not_found", "no such VM");
    }

    private static Refusal notStopped(VmRow row) {
        return Refusal.conflict("vm_not_stopped", "the VM is " + words(row) + " (expected: stopped)");
    }

    static Refusal notRunning(VmRow row) {
        return Refusal.conflict("vm_not_running", "the VM is " + words(row) + " (expected: running)");
    }

    private static String words(VmRow row) {
        return row.state().detail().status().text();
    }
}
