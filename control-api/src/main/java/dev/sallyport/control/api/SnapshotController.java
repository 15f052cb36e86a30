package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.sandbox.SandboxOutcomes;
import dev.sallyport.control.sandbox.Snapshot;
import dev.sallyport.control.sandbox.SnapshotDraft;
import dev.sallyport.control.sandbox.Snapshots;
import dev.sallyport.control.sandbox.Vms;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.jspecify.annotations.Nullable;

/** {@code /v1/snapshots}, and those of a VM. */
@Controller("/v1")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class SnapshotController {

    private static final String TAG = "Snapshots";
    private static final String ONE = "/snapshots/{snapshot_id" + Requests.ANY;
    private static final String OF_VM = "/vms/{vm_id" + Requests.ANY + "/snapshots";
    private static final String UNKNOWN = "404 snapshot_not_found";
    private static final String UNKNOWN_VM = "404 vm_not_found";
    private static final int PAGE = 50;

    private final Snapshots snapshots;
    private final Vms vms;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;
    private final SandboxOutcomes outcomes;

    SnapshotController(Snapshots snapshots, Vms vms, SandboxOutcomes outcomes, PolicyCalls.Requirements requirements) {
        this.snapshots = snapshots;
        this.vms = vms;
        this.outcomes = outcomes;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Which snapshots. */
    record Query(
            @Limits(description = "Identifier of the snapshot after which the page begins.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit) {}

    @Post(OF_VM)
    @Operation(
            summary = "Take a snapshot of a running VM's disk.",
            tag = TAG,
            body = SnapshotDraft.class,
            bodyOptional = true,
            small = true,
            answer = Snapshot.class,
            form = Operation.Form.DATA,
            status = 201,
            errors = {UNKNOWN_VM, "409 vm_not_running", Operation.QUOTA, "503 sandboxes_unavailable"},
            changes = true)
    HttpResponse<?> create(HttpRequest<byte[]> request, Caller caller, @PathVariable("vm_id") String vm) {
        byte[] body = request.getBody().orElse(null); // as an argument it must not be missing
        return idempotency
                .once(request, caller, body, () -> {
                    SnapshotDraft draft = draft(caller, vm, body);
                    return waits.asked(request, caller)
                            .answer(
                                    snapshots.create(caller, vm, draft),
                                    made -> Answer.data(201, made),
                                    made -> outcomes.copied(caller, made.id()));
                })
                .toResponse();
    }

    /** 400, then 404 of the VM, then 422. */
    private SnapshotDraft draft(Caller caller, String vm, byte @Nullable [] body) {
        if (body != null && body.length > Bodies.SMALL) {
            throw Bodies.tooLarge();
        }
        return bodies.within(body, () -> {
            JsonNode tree =
                    body == null || body.length == 0 ? JsonNodeFactory.instance.objectNode() : BodyBinder.parse(body);
            vms.get(caller, vm);
            return BodyBinder.bind(tree, SnapshotDraft.class);
        });
    }

    @Get(OF_VM)
    @Operation(
            summary = "List the snapshots of a VM, the newest first.",
            tag = TAG,
            query = Query.class,
            answer = Snapshot.class,
            form = Operation.Form.LIST,
            errors = UNKNOWN_VM)
    HttpResponse<?> listOfVm(HttpRequest<?> request, Caller caller, @PathVariable("vm_id") String vm) {
        vms.get(caller, vm); // 404 comes before 422
        return list(request, caller, vm);
    }

    @Get("/snapshots")
    @Operation(
            summary = "List the snapshots of the account, the newest first.",
            tag = TAG,
            query = Query.class,
            answer = Snapshot.class,
            form = Operation.Form.LIST)
    HttpResponse<?> listAll(HttpRequest<?> request, Caller caller) {
        return list(request, caller, null);
    }

    private HttpResponse<?> list(HttpRequest<?> request, Caller caller, @Nullable String vm) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        PageRequest.Position after = query.cursor() == null ? null : position(query.cursor());
        int limit = query.limit() == null ? PAGE : query.limit();
        Page<Snapshot> page = snapshots.list(caller, vm, new PageRequest(limit, after, true));
        String cursor = page.hasMore() ? page.rows().getLast().id() : null;
        return Answer.of(200, new Answer.Items(page.rows(), page.hasMore(), cursor))
                .toResponse();
    }

    private static PageRequest.Position position(String cursor) {
        return Snapshots.position(cursor)
                .orElseThrow(() -> Refusal.invalid(
                        "cursor", "not the identifier of a snapshot (expected: the cursor of the last page)"));
    }

    @Get(ONE)
    @Operation(
            summary = "Retrieve a snapshot.",
            tag = TAG,
            answer = Snapshot.class,
            form = Operation.Form.DATA,
            errors = UNKNOWN)
    HttpResponse<?> get(Caller caller, @PathVariable("snapshot_id") String id) {
        return Answer.data(200, snapshots.get(caller, id)).toResponse();
    }

    @Delete(ONE)
    @Operation(
            summary = "Delete a snapshot, in any state; VMs that were made from it go on.",
            tag = TAG,
            status = 204,
            errors = UNKNOWN,
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("snapshot_id") String id) {
        return waits.asked(request, caller, () -> snapshots.get(caller, id))
                .answer(snapshots.delete(caller, id), gone -> Answer.none())
                .toResponse();
    }
}
