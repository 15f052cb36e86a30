package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.environment.Variable;
import dev.sallyport.control.environment.VariableDraft;
import dev.sallyport.control.environment.Variables;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.sandbox.SandboxOutcomes;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.jspecify.annotations.Nullable;

/** {@code /v1/env}. */
@Controller("/v1/env")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class EnvironmentController {

    private static final String TAG = "Environment";
    private static final String UNKNOWN = "404 env_not_found";
    private static final String UNREADABLE = "503 value_unreadable";
    private static final int PAGE = 50;

    private final Variables variables;
    private final Bodies bodies;
    private final AppliedWaits waits;
    private final SandboxOutcomes outcomes;

    EnvironmentController(Variables variables, Bodies bodies, AppliedWaits waits, SandboxOutcomes outcomes) {
        this.variables = variables;
        this.bodies = bodies;
        this.waits = waits;
        this.outcomes = outcomes;
    }

    /** Which part of the list. */
    record Query(
            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit) {}

    @Get
    @Operation(
            summary = "List environment variables, the newest first.",
            tag = TAG,
            query = Query.class,
            answer = Variable.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        CursorList list = CursorList.byTime("env", Order.DESC);
        return list.answer(
                        variables.list(caller, list.part(query.cursor(), query.limit(), PAGE)),
                        Variables.Listed::position,
                        Variables.Listed::variable)
                .toResponse();
    }

    @Get("/{key" + Requests.ANY)
    @Operation(
            summary = "Retrieve an environment variable.",
            tag = TAG,
            answer = Variable.class,
            errors = {UNKNOWN, UNREADABLE})
    HttpResponse<?> get(Caller caller, @PathVariable("key") String key) {
        return Answer.of(200, variables.get(caller, key)).toResponse();
    }

    @Put("/{key" + Requests.ANY)
    @Operation(
            summary = "Make an environment variable, or replace its value.",
            tag = TAG,
            body = VariableDraft.class,
            answer = Variable.class,
            errors = Operation.QUOTA,
            changes = true)
    HttpResponse<?> put(
            HttpRequest<?> request, Caller caller, @PathVariable("key") String key, @Body byte @Nullable [] body) {
        VariableDraft draft = bodies.within(body, () -> {
            JsonNode tree = BodyBinder.parse(body);
            return BodyBinder.bind(
                    tree, VariableDraft.class, (value, problems) -> variables.check(caller, key, problems));
        });
        return waits.asked(request, caller)
                .answer(
                        variables.put(caller, key, draft),
                        variable -> Answer.of(200, variable),
                        any -> outcomes.told(caller))
                .toResponse();
    }

    @Delete("/{key" + Requests.ANY)
    @Operation(summary = "Delete an environment variable.", tag = TAG, status = 204, errors = UNKNOWN, changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("key") String key) {
        return waits.asked(request, caller, () -> variables.refuseUnlessKnown(caller, key))
                .answer(variables.delete(caller, key), gone -> Answer.none(), any -> outcomes.told(caller))
                .toResponse();
    }
}
