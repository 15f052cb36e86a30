package dev.sallyport.control.api;

import dev.sallyport.control.feed.EmbeddedWorkloads;
import dev.sallyport.control.feed.ProxyConnections;
import dev.sallyport.control.feed.SharedStanding;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.workload.NewWorkload;
import dev.sallyport.control.workload.Workload;
import dev.sallyport.control.workload.WorkloadDraft;
import dev.sallyport.control.workload.Workloads;
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
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /v1/workloads}. */
@Controller("/v1/workloads")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class WorkloadController {

    private static final String TAG = "Workloads";
    private static final String UNKNOWN = "404 workload_not_found";
    private static final int PAGE = 50;

    private final Workloads workloads;
    private final EmbeddedWorkloads embedded;
    private final ProxyConnections connections;
    private final Idempotency idempotency;
    private final AppliedWaits waits;
    private final Bodies bodies;

    WorkloadController(
            Workloads workloads,
            EmbeddedWorkloads embedded,
            ProxyConnections connections,
            Idempotency idempotency,
            AppliedWaits waits,
            Bodies bodies) {
        this.workloads = workloads;
        this.embedded = embedded;
        this.connections = connections;
        this.idempotency = idempotency;
        this.waits = waits;
        this.bodies = bodies;
    }

    /** Which workloads. */
    record Query(
            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {}

    /**
     * A workload, and how it is at the proxy of this process and at those that all accounts share.
     *
     * @param appliedRevision the order number of a change that is in force for it, with all earlier ones; null for none
     * @param problems what of its policies does not work there
     * @param sharedProxies those elsewhere that are connected to this process
     */
    record WorkloadState(
            String id,
            String name,
            String user,
            Instant createdAt,
            @Nullable Long appliedRevision,
            List<Proxy.Problem> problems,
            List<SharedStanding> sharedProxies) {}

    private WorkloadState state(Caller caller, Workload workload) {
        EmbeddedWorkloads.Workload there = embedded.get(workload.id());
        long applied = there == null ? 0 : there.applied();
        return new WorkloadState(
                workload.id(),
                workload.name(),
                workload.user(),
                workload.createdAt(),
                applied == 0 ? null : (Long) applied,
                there == null ? List.of() : there.problems(),
                connections.standings(caller.organizationId(), workload.user()));
    }

    @Get
    @Operation(
            summary = "List the workloads of the account.",
            tag = TAG,
            query = Query.class,
            answer = WorkloadState.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        CursorList list = CursorList.byTime("workloads", query.order(), query.name());
        Page<Workload> page = workloads.list(caller, query.name(), list.part(query.cursor(), query.limit(), PAGE));
        return list.answer(
                        new Page<>(
                                page.rows().stream()
                                        .map(row -> state(caller, row))
                                        .toList(),
                                page.hasMore()),
                        workload ->
                                new PageRequest.Position(workload.createdAt().toEpochMilli(), workload.id()))
                .toResponse();
    }

    @Post
    @Operation(
            summary = "Make a workload; its password is shown this once.",
            tag = TAG,
            body = WorkloadDraft.class,
            small = true,
            answer = NewWorkload.class,
            status = 201,
            errors = {"409 workload_name_taken", Operation.QUOTA},
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    WorkloadDraft draft = bodies.readSmall(body, WorkloadDraft.class);
                    return waits.asked(request, caller)
                            .answer(workloads.create(caller, draft), made -> Answer.of(201, made));
                })
                .toResponse();
    }

    @Get("/{workload_id" + Requests.ANY)
    @Operation(
            summary = "Retrieve a workload: which change is in force for it, and what does not work.",
            tag = TAG,
            answer = WorkloadState.class,
            errors = UNKNOWN)
    HttpResponse<?> get(Caller caller, @PathVariable("workload_id") String id) {
        return Answer.of(200, state(caller, workloads.get(caller, id))).toResponse();
    }

    @Delete("/{workload_id" + Requests.ANY)
    @Operation(
            summary = "Delete a workload: its password is no longer taken, and what it has under way ends.",
            tag = TAG,
            status = 204,
            errors = UNKNOWN,
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("workload_id") String id) {
        return waits.asked(request, caller, () -> workloads.get(caller, id))
                .answer(workloads.delete(caller, id), gone -> Answer.none())
                .toResponse();
    }
}
