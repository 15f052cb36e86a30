package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.agent.Agent;
import dev.sallyport.control.agent.AgentDraft;
import dev.sallyport.control.agent.AgentLogs;
import dev.sallyport.control.agent.AgentStatus;
import dev.sallyport.control.agent.Agents;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.sandbox.SandboxOutcomes;
import dev.sallyport.control.sandbox.Snapshots;
import io.micronaut.http.HttpMethod;
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
import io.micronaut.http.sse.Event;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** {@code /v1/agents}. */
@Controller("/v1/agents")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class AgentController {

    private static final String PATCH = "text/x-diff";

    private static final String TAG = "Agents";
    private static final String ONE = "/{agent_id" + Requests.ANY;
    private static final String UNKNOWN = "404 agent_not_found";
    private static final String UNAVAILABLE = "503 sandboxes_unavailable";
    private static final String LAST_EVENT_ID = "Last-Event-ID";
    private static final int PAGE = 20;

    private final Agents agents;
    private final AgentLogs logs;
    private final Snapshots snapshots;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;
    private final SandboxOutcomes outcomes;

    AgentController(
            Agents agents,
            AgentLogs logs,
            Snapshots snapshots,
            SandboxOutcomes outcomes,
            PolicyCalls.Requirements requirements) {
        this.agents = agents;
        this.logs = logs;
        this.snapshots = snapshots;
        this.outcomes = outcomes;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Which agents. */
    record Query(
            @Limits(description = "In this status.") @Nullable AgentStatus status,

            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 100, description = "How many at most.", defaultValue = "20") @Nullable Integer limit) {}

    @Get
    @Operation(
            summary = "List agents, the newest first.",
            tag = TAG,
            query = Query.class,
            answer = Agent.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        CursorList list = CursorList.byTime("agents", Order.DESC, query.status(), query.name());
        return list.answer(
                        agents.list(
                                caller,
                                new Agents.Filter(query.status(), query.name()),
                                list.part(query.cursor(), query.limit(), PAGE)),
                        agent -> new PageRequest.Position(agent.createdAt().toEpochMilli(), agent.id()))
                .toResponse();
    }

    @Post
    @Operation(
            summary = "Have a program work on a repository, in a VM of its own.",
            tag = TAG,
            body = AgentDraft.class,
            answer = Agent.class,
            status = 201,
            errors = {
                "404 snapshot_not_found",
                "409 snapshot_not_ready",
                "409 agent_name_taken",
                Operation.QUOTA,
                UNAVAILABLE
            },
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    AgentDraft draft = draft(caller, body);
                    return waits.asked(request, caller)
                            .answer(
                                    agents.create(caller, draft),
                                    made -> Answer.of(201, made),
                                    made -> outcomes.ready(caller, made.vmId()));
                })
                .toResponse();
    }

    /** 400, then 404 of the snapshot, then 422. */
    private AgentDraft draft(Caller caller, byte @Nullable [] body) {
        return bodies.within(body, () -> {
            JsonNode tree = BodyBinder.parse(body);
            if (tree.path("snapshot_id").isTextual()) {
                snapshots.get(caller, tree.path("snapshot_id").textValue());
            }
            return BodyBinder.bind(tree, AgentDraft.class, (draft, problems) -> agents.check(caller, draft, problems));
        });
    }

    @Get(ONE)
    @Operation(summary = "Retrieve an agent.", tag = TAG, answer = Agent.class, errors = UNKNOWN)
    HttpResponse<?> get(Caller caller, @PathVariable("agent_id") String id) {
        return Answer.of(200, agents.get(caller, id)).toResponse();
    }

    @Delete(ONE)
    @Operation(
            summary = "Destroy an agent and its VM, in any state.",
            tag = TAG,
            status = 204,
            errors = {UNKNOWN, UNAVAILABLE},
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("agent_id") String id) {
        return waits.asked(request, caller, () -> agents.get(caller, id))
                .answer(
                        agents.delete(caller, id),
                        gone -> Answer.none(),
                        gone -> outcomes.destroyed(caller, gone.vmId()))
                .toResponse();
    }

    @Get(ONE + "/patch")
    @Operation(
            summary = "What an agent that has ended its work has changed in its repository.",
            tag = TAG,
            answer = String.class,
            errors = {UNKNOWN, "404 patch_not_found"},
            media = PATCH)
    HttpResponse<?> patch(Caller caller, @PathVariable("agent_id") String id) {
        return HttpResponse.ok(agents.patch(caller, id)).contentType(MediaType.of(PATCH));
    }

    /** How a log is read. */
    record LogQuery(
            @Limits(description = "Whether it waits for what is said later.", defaultValue = "true") @Nullable Boolean follow) {}

    @Get(value = ONE + "/logs", produces = MediaType.TEXT_EVENT_STREAM)
    @Operation(
            summary =
                    "What an agent says: events hello, log, heartbeat, and end when it says nothing more. Last-Event-ID goes on where another answer ended; hello says whether it does.",
            tag = TAG,
            query = LogQuery.class,
            answer = LogStream.Line.class,
            errors = {UNKNOWN, Operation.QUOTA},
            media = MediaType.TEXT_EVENT_STREAM)
    HttpResponse<Publisher<Event<String>>> logs(
            HttpRequest<?> request, Caller caller, @PathVariable("agent_id") String id) {
        agents.get(caller, id); // 404 comes before 422
        LogQuery query = BodyBinder.query(request.getParameters()::getAll, LogQuery.class);
        boolean follow = query.follow() == null || query.follow();
        LogStream events = new LogStream(logs::wake);
        if (request.getMethod() == HttpMethod.HEAD) {
            events.finish(true);
        } else {
            events.open(logs.follow(caller, id, request.getHeaders().get(LAST_EVENT_ID), follow, events));
        }
        return events.toResponse();
    }
}
