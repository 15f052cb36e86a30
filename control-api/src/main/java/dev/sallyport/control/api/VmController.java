package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Outcome;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.sandbox.Counters;
import dev.sallyport.control.sandbox.SandboxOutcomes;
import dev.sallyport.control.sandbox.Snapshots;
import dev.sallyport.control.sandbox.SshInfo;
import dev.sallyport.control.sandbox.Vm;
import dev.sallyport.control.sandbox.VmCounters;
import dev.sallyport.control.sandbox.VmDetail;
import dev.sallyport.control.sandbox.VmDraft;
import dev.sallyport.control.sandbox.VmEvent;
import dev.sallyport.control.sandbox.VmHostKeys;
import dev.sallyport.control.sandbox.VmStatus;
import dev.sallyport.control.sandbox.Vms;
import dev.sallyport.control.store.Written;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /v1/vms}. */
@Controller("/v1/vms")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class VmController {

    private static final String TAG = "VMs";
    private static final String ONE = "/{vm_id" + Requests.ANY;
    private static final String UNKNOWN = "404 vm_not_found";
    private static final String UNKNOWN_SNAPSHOT = "404 snapshot_not_found";
    private static final String NOT_STOPPED = "409 vm_not_stopped";
    private static final String NOT_RUNNING = "409 vm_not_running";
    private static final String UNAVAILABLE = "503 sandboxes_unavailable";
    private static final int PAGE = 20;
    private static final int EVENTS = 50;

    private final Vms vms;
    private final Snapshots snapshots;
    private final Counters counters;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;
    private final SandboxOutcomes outcomes;

    VmController(
            Vms vms,
            Snapshots snapshots,
            Counters counters,
            SandboxOutcomes outcomes,
            PolicyCalls.Requirements requirements) {
        this.vms = vms;
        this.snapshots = snapshots;
        this.counters = counters;
        this.outcomes = outcomes;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Which VMs. */
    record Query(
            @Limits(description = "In this status.") @Nullable VmStatus status,

            @Limits(description = "With this detail.") @Nullable VmDetail statusDetail,

            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 100, description = "How many at most.", defaultValue = "20") @Nullable Integer limit,

            @Limits(description = "What orders the list.", defaultValue = "created_at")
            Vms.@Nullable Sort sort,

            @Limits(description = "Direction of the order.", defaultValue = "desc") @Nullable Order order) {}

    @Get
    @Operation(
            summary = "List VMs, destroyed ones too.",
            tag = TAG,
            query = Query.class,
            answer = Vm.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        Vms.Sort sort = query.sort() == null ? Vms.Sort.CREATED_AT : query.sort();
        CursorList list = sort == Vms.Sort.NAME
                ? CursorList.byName("vms", query.order(), query.status(), query.statusDetail(), query.name())
                : CursorList.byTime("vms", query.order(), sort, query.status(), query.statusDetail(), query.name());
        Vms.Filter filter = new Vms.Filter(query.status(), query.statusDetail(), query.name());
        PageRequest part = list.part(query.cursor(), query.limit(), PAGE);
        return list.answer(vms.list(caller, filter, sort, part), sort::position).toResponse();
    }

    @Post
    @Operation(
            summary = "Make a VM; it is ready when its status_detail says so.",
            tag = TAG,
            body = VmDraft.class,
            answer = Vm.class,
            status = 201,
            errors = {UNKNOWN_SNAPSHOT, "409 snapshot_not_ready", "409 vm_name_taken", Operation.QUOTA, UNAVAILABLE},
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    VmDraft draft = draft(caller, body);
                    return waits.asked(request, caller)
                            .answer(
                                    vms.create(caller, draft),
                                    made -> Answer.of(201, made),
                                    made -> outcomes.ready(caller, made.id()));
                })
                .toResponse();
    }

    /** 400, then 404 of the snapshot, then 422. */
    private VmDraft draft(Caller caller, byte @Nullable [] body) {
        return bodies.within(body, () -> {
            JsonNode tree = BodyBinder.parse(body);
            if (tree.path("snapshot_id").isTextual()) {
                snapshots.get(caller, tree.path("snapshot_id").textValue());
            }
            return BodyBinder.bind(tree, VmDraft.class);
        });
    }

    @Get(ONE)
    @Operation(summary = "Retrieve a VM.", tag = TAG, answer = Vm.class, errors = UNKNOWN)
    HttpResponse<?> get(Caller caller, @PathVariable("vm_id") String id) {
        return Answer.of(200, vms.get(caller, id)).toResponse();
    }

    /** How a VM is deleted. */
    record Deletion(
            @Limits(description = "In any state, not only a stopped one.", defaultValue = "false") @Nullable Boolean force) {}

    @Delete(ONE)
    @Operation(
            summary = "Destroy a stopped or failed VM; its name is free again at once.",
            tag = TAG,
            query = Deletion.class,
            status = 204,
            errors = {UNKNOWN, NOT_STOPPED, UNAVAILABLE},
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("vm_id") String id) {
        vms.get(caller, id); // 404 comes before 422
        Deletion deletion = BodyBinder.query(request.getParameters()::getAll, Deletion.class);
        boolean force = deletion.force() != null && deletion.force();
        return waits.asked(request, caller)
                .answer(vms.delete(caller, id, force), gone -> Answer.none(), gone -> outcomes.destroyed(caller, id))
                .toResponse();
    }

    @Post(ONE + "/start")
    @Operation(
            summary = "Start a stopped VM.",
            tag = TAG,
            answer = Vm.class,
            errors = {UNKNOWN, NOT_STOPPED, Operation.QUOTA, UNAVAILABLE},
            repeatable = true,
            changes = true)
    HttpResponse<?> start(HttpRequest<?> request, Caller caller, @PathVariable("vm_id") String id) {
        return changedOnce(request, caller, id, () -> vms.start(caller, id), outcomes.ready(caller, id));
    }

    @Post(ONE + "/stop")
    @Operation(
            summary = "Stop a running VM; its disk stays.",
            tag = TAG,
            answer = Vm.class,
            errors = {UNKNOWN, NOT_RUNNING, UNAVAILABLE},
            repeatable = true,
            changes = true)
    HttpResponse<?> stop(HttpRequest<?> request, Caller caller, @PathVariable("vm_id") String id) {
        return changedOnce(request, caller, id, () -> vms.stop(caller, id), outcomes.stopped(caller, id));
    }

    /** There is nothing in a body that could be another one. */
    private HttpResponse<?> changedOnce(
            HttpRequest<?> request, Caller caller, String id, Supplier<Written<Vm>> change, Outcome outcome) {
        return idempotency
                .once(
                        request,
                        caller,
                        null,
                        () -> waits.asked(request, caller, () -> vms.get(caller, id))
                                .answer(change.get(), changed -> Answer.of(200, changed), any -> outcome))
                .toResponse();
    }

    @Get(ONE + "/ssh")
    @Operation(
            summary = "How to log in to a running VM.",
            tag = TAG,
            answer = SshInfo.class,
            errors = {UNKNOWN, NOT_RUNNING, UNAVAILABLE})
    HttpResponse<?> ssh(Caller caller, @PathVariable("vm_id") String id) {
        return Answer.of(200, vms.ssh(caller, id)).toResponse();
    }

    @Get(ONE + "/ssh/host-keys")
    @Operation(
            summary = "The keys by which a running VM proves itself.",
            tag = TAG,
            answer = VmHostKeys.class,
            errors = {UNKNOWN, NOT_RUNNING, UNAVAILABLE})
    HttpResponse<?> hostKeys(Caller caller, @PathVariable("vm_id") String id) {
        return Answer.of(200, vms.hostKeys(caller, id)).toResponse();
    }

    @Get(ONE + "/counters")
    @Operation(
            summary = "What the network has refused of a running VM since its start.",
            tag = TAG,
            answer = VmCounters.class,
            errors = {UNKNOWN, NOT_RUNNING, UNAVAILABLE})
    HttpResponse<?> counters(Caller caller, @PathVariable("vm_id") String id) {
        return Answer.of(200, counters.of(caller, id)).toResponse();
    }

    /** Which events. */
    record EventQuery(
            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {}

    @Get(ONE + "/events")
    @Operation(
            summary = "What happened to a VM.",
            tag = TAG,
            query = EventQuery.class,
            answer = VmEvent.class,
            form = Operation.Form.LIST,
            errors = UNKNOWN)
    HttpResponse<?> events(HttpRequest<?> request, Caller caller, @PathVariable("vm_id") String id) {
        vms.get(caller, id); // 404 comes before 422
        EventQuery query = BodyBinder.query(request.getParameters()::getAll, EventQuery.class);
        CursorList list = CursorList.byTime("vm_events", query.order(), id);
        return list.answer(
                        vms.events(caller, id, list.part(query.cursor(), query.limit(), EVENTS)),
                        listed -> new PageRequest.Position(listed.event().at().toEpochMilli(), listed.id()),
                        VmEvent.Listed::event)
                .toResponse();
    }
}
