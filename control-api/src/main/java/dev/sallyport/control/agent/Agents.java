package dev.sallyport.control.agent;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.sandbox.AgentVms;
import dev.sallyport.control.store.Listing;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The agents of each account. What is asked for is written down, and answered at once; the {@link AgentKeeper} brings it
 * about. Thread-safe; blocks for the database only.
 */
@Singleton
public final class Agents {

    private static final String RESOURCE = AgentRow.TABLE;
    private static final String PREFIX = "agt_";

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Clock clock;
    private final AgentVms vms;
    private final AgentSettings settings;

    Agents(Store store, Ids ids, AdminAudit audit, Clock clock, AgentVms vms, AgentSettings settings) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.clock = clock;
        this.vms = vms;
        this.settings = settings;
    }

    /** Which agents; null for any. */
    public record Filter(
            @Nullable AgentStatus status, @Nullable String name) {}

    /** What the administrative record shows: not what it is told. */
    private record State(
            String name, String repo, @Nullable String branch, String harness, AgentStatus status, String vmId) {

        static State of(AgentRow row) {
            return new State(
                    row.identity().name(),
                    row.identity().repo(),
                    row.branch(),
                    row.identity().harness(),
                    row.status(),
                    row.identity().vm());
        }
    }

    /** Reports a harness that there is none of. */
    public void check(Caller caller, AgentDraft draft, FieldProblems problems) {
        String harness = draft.harness();
        if (harness != null && settings.harness(harness).isEmpty()) {
            problems.addUnlessTouched(
                    "harness",
                    "not known (expected: "
                            + settings.harnesses().stream()
                                    .map(Harness::name)
                                    .sorted()
                                    .collect(Collectors.joining(", "))
                            + ")");
        }
    }

    /**
     * Asks for an agent, and for its VM: 503 when there are no sandboxes, 409 when the name is taken, 404 or 409 when the
     * snapshot is not there or not ready, 409 when the quota of VMs is used up.
     */
    public Written<Agent> create(Caller caller, AgentDraft draft) {
        vms.refuseUnlessAvailable(caller);
        String id = ids.next(PREFIX, clock.millis());
        String key = LockedKey.make();
        Harness harness = settings.harness(draft.harness() == null ? settings.usual() : draft.harness())
                .orElseThrow(() -> Refusal.invalid("harness", "not known"));
        return store.write(transaction -> {
            transaction.lockOrganization(caller.organizationId());
            refuseTaken(transaction, caller, draft.name());
            String vm = vms.create(transaction, caller, id, key, harness.image(), draft.snapshotId())
                    .id();
            Instant now = Instant.ofEpochMilli(transaction.now());
            AgentRow row = new AgentRow(
                    new AgentRow.Identity(
                            id,
                            caller.organizationId(),
                            draft.name(),
                            draft.repo(),
                            harness.name(),
                            draft.prompt(),
                            draft.agentArgs(),
                            vm),
                    draft.branch(),
                    AgentStatus.PROVISIONING,
                    AgentRow.Progress.NONE,
                    1,
                    now,
                    now);
            row.insert(transaction.sql());
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.created(RESOURCE, id, State.of(row)));
            return row.view();
        });
    }

    private static void refuseTaken(Transaction transaction, Caller caller, String name) {
        boolean taken = transaction
                .sql()
                .createQuery("select 1 from agent where organization_id = :organization and name = :name")
                .bind("organization", caller.organizationId())
                .bind("name", name)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
        if (taken) {
            throw Refusal.conflict("agent_name_taken", "an agent with this name exists");
        }
    }

    /** The agents of the account. */
    public Page<Agent> list(Caller caller, Filter filter, PageRequest page) {
        Page<AgentRow> rows = store.read(handle -> new Listing(RESOURCE, caller)
                .only("status", filter.status() == null ? null : filter.status().text())
                .only("name", filter.name())
                .page(handle, "created_at", page, AgentRow::of));
        return new Page<>(rows.rows().stream().map(AgentRow::view).toList(), rows.hasMore());
    }

    /** An agent; 404 when the account has none of this id. */
    public Agent get(Caller caller, String id) {
        return store.read(handle -> require(handle, caller, id, "")).view();
    }

    /** What an agent has made of its repository, as a patch: 404 when there is no such agent, or it has changed nothing, or not ended its work. */
    public byte[] patch(Caller caller, String id) {
        return store.read(handle -> {
            require(handle, caller, id, "");
            return handle.createQuery("select patch from agent_patch where agent_id = :id")
                    .bind("id", id)
                    .mapTo(byte[].class)
                    .findOne()
                    .orElseThrow(() -> Refusal.notFound(
                            "patch_not_found",
                            "there is no patch (expected: an agent that has ended its work, and changed something)"));
        });
    }

    /**
     * Removes an agent with all that it has said, and destroys its VM, in any state: 404 when the account has none of this
     * id.
     */
    public Written<Agent> delete(Caller caller, String id) {
        return store.write(transaction -> {
            AgentRow row = require(transaction.sql(), caller, id, transaction.rowLock());
            vms.destroy(transaction, caller, row.identity().vm());
            transaction
                    .sql()
                    .createUpdate("delete from agent where id = :id")
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.deleted(RESOURCE, id, State.of(row)));
            return row.view();
        });
    }

    static AgentRow require(Handle handle, Caller caller, String id, String lock) {
        Optional<AgentRow> found = Ids.isWellFormed(PREFIX, id) ? AgentRow.find(handle, id, lock) : Optional.empty();
        return found.filter(row -> row.identity().organization().equals(caller.organizationId()))
                .orElseThrow(() -> Refusal.notFound("agent_not_found", "no such agent"));
    }
}
