package dev.sallyport.control.api;

import dev.sallyport.control.account.ApiKey;
import dev.sallyport.control.account.ApiKeyDraft;
import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.account.NewApiKey;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
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
import org.jspecify.annotations.Nullable;

/** {@code /v1/api-keys}. */
@Controller("/v1/api-keys")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class KeyController {

    private static final String TAG = "API keys";
    private static final int PAGE = 50;

    private final ApiKeys keys;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;

    KeyController(ApiKeys keys, PolicyCalls.Requirements requirements) {
        this.keys = keys;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Which part of the list. */
    record Query(
            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {}

    @Get
    @Operation(
            summary = "List the keys that were not revoked.",
            tag = TAG,
            query = Query.class,
            answer = ApiKey.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        CursorList list = CursorList.byTime("api-keys", query.order(), query.name());
        Page<ApiKey> page = keys.list(caller, query.name(), list.part(query.cursor(), query.limit(), PAGE));
        return list.answer(page, key -> new PageRequest.Position(key.createdAt().toEpochMilli(), key.id()))
                .toResponse();
    }

    @Post
    @Operation(
            summary = "Make a key; its token is shown this once.",
            tag = TAG,
            body = ApiKeyDraft.class,
            small = true,
            errors = Operation.QUOTA,
            answer = NewApiKey.class,
            status = 201,
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    ApiKeyDraft draft = bodies.readSmall(body, ApiKeyDraft.class);
                    return waits.asked(request, caller)
                            .answer(keys.create(caller, draft), made -> Answer.of(201, made));
                })
                .toResponse();
    }

    @Delete("/{api_key_id" + Requests.ANY)
    @Operation(
            summary = "Revoke a key, at once.",
            tag = TAG,
            status = 204,
            errors = "404 api_key_not_found",
            changes = true)
    HttpResponse<?> revoke(HttpRequest<?> request, Caller caller, @PathVariable("api_key_id") String id) {
        return waits.asked(request, caller, () -> keys.get(caller, id))
                .answer(keys.revoke(caller, id), gone -> Answer.none())
                .toResponse();
    }
}
