package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Outcome;
import dev.sallyport.control.sandbox.SandboxOutcomes;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretDraft;
import dev.sallyport.control.secret.SecretPatch;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.control.store.Written;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Patch;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.jspecify.annotations.Nullable;

/** {@code /v1/secrets}. */
@Controller("/v1/secrets")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class SecretController {

    private static final String TAG = "Secrets";
    private static final String UNKNOWN = "404 secret_not_found";
    private static final String TAKEN = "409 env_var_taken";
    private static final int PAGE = 50;

    private final Secrets secrets;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;
    private final SandboxOutcomes outcomes;

    SecretController(Secrets secrets, SandboxOutcomes outcomes, PolicyCalls.Requirements requirements) {
        this.secrets = secrets;
        this.outcomes = outcomes;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Which secrets. */
    record Query(
            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "What orders the list.", defaultValue = "created_at")
            Secrets.@Nullable Sort sort,

            @Limits(description = "Direction of the order.", defaultValue = "desc") @Nullable Order order) {}

    @Get
    @Operation(
            summary = "List secrets, without their values.",
            tag = TAG,
            query = Query.class,
            answer = Secret.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        Secrets.Sort sort = query.sort() == null ? Secrets.Sort.CREATED_AT : query.sort();
        CursorList list = sort == Secrets.Sort.NAME
                ? CursorList.byName("secrets", query.order(), query.name())
                : CursorList.byTime("secrets", query.order(), query.name());
        return list.answer(
                        secrets.list(caller, query.name(), sort, list.part(query.cursor(), query.limit(), PAGE)),
                        sort::position)
                .toResponse();
    }

    @Post
    @Operation(
            summary = "Keep a secret; workloads get its placeholder.",
            tag = TAG,
            body = SecretDraft.class,
            answer = Secret.class,
            status = 201,
            errors = {"409 secret_name_taken", TAKEN, Operation.QUOTA},
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    SecretDraft draft = bodies.read(body, SecretDraft.class);
                    return waits.asked(request, caller)
                            .answer(
                                    secrets.create(caller, draft),
                                    made -> Answer.of(201, made),
                                    any -> outcomes.told(caller));
                })
                .toResponse();
    }

    @Get("/{secret_id" + Requests.ANY)
    @Operation(summary = "Retrieve a secret, without its value.", tag = TAG, answer = Secret.class, errors = UNKNOWN)
    HttpResponse<?> get(Caller caller, @PathVariable("secret_id") String id) {
        return Answer.of(200, secrets.get(caller, id)).toResponse();
    }

    /** A body, and what of it the record does not tell: whether it is empty, and whether the comment is null. */
    private record Asked(SecretPatch patch, boolean nothing, boolean takesCommentAway) {}

    @Patch("/{secret_id" + Requests.ANY)
    @Operation(
            summary = "Change the fields that are given, such as the value; the placeholder stays.",
            tag = TAG,
            body = SecretPatch.class,
            answer = Secret.class,
            errors = {UNKNOWN, TAKEN, Operation.QUOTA},
            changes = true)
    HttpResponse<?> change(
            HttpRequest<?> request, Caller caller, @PathVariable("secret_id") String id, @Body byte @Nullable [] body) {
        Asked asked = bodies.within(body, () -> {
            JsonNode tree = BodyBinder.parse(body); // 400 comes before 404
            Secret present = secrets.get(caller, id); // and 404 before 422
            SecretPatch patch = BodyBinder.bind(
                    tree, SecretPatch.class, (value, problems) -> value.checkAgainst(present, problems));
            return new Asked(patch, tree.isEmpty(), tree.path("comment").isNull());
        });
        AppliedWaits.Asked wait = waits.asked(request, caller);
        Written<Secret> written = asked.nothing()
                ? secrets.unchanged(caller, id)
                : secrets.change(caller, id, asked.patch(), asked.takesCommentAway());
        return wait.answer(
                        written,
                        changed -> Answer.of(200, changed),
                        any -> asked.patch().envVar() == null ? Outcome.NOTHING_ELSE : outcomes.told(caller))
                .toResponse();
    }

    @Delete("/{secret_id" + Requests.ANY)
    @Operation(
            summary = "Delete a secret; its name is free again.",
            tag = TAG,
            status = 204,
            errors = UNKNOWN,
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("secret_id") String id) {
        return waits.asked(request, caller, () -> secrets.get(caller, id))
                .answer(secrets.delete(caller, id), gone -> Answer.none(), any -> outcomes.told(caller))
                .toResponse();
    }
}
