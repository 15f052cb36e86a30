package dev.sallyport.control.api;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.proxy.AuditHead;
import dev.sallyport.control.proxy.AuditHeads;
import dev.sallyport.control.proxy.NewProxy;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyDraft;
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

/** {@code /v1/proxies}. */
@Controller("/v1/proxies")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class ProxyController {

    private static final String TAG = "Proxies";
    private static final String UNKNOWN = "404 proxy_not_found";

    private final Proxies proxies;
    private final AuditHeads heads;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;

    ProxyController(Proxies proxies, AuditHeads heads, PolicyCalls.Requirements requirements) {
        this.proxies = proxies;
        this.heads = heads;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    @Get
    @Operation(summary = "List the proxies by name.", tag = TAG, answer = Proxy.class, form = Operation.Form.LIST)
    HttpResponse<?> list(Caller caller) {
        return Answer.list(proxies.list(caller)).toResponse();
    }

    @Post
    @Operation(
            summary = "Make a proxy; its token is shown this once.",
            tag = TAG,
            body = ProxyDraft.class,
            answer = NewProxy.class,
            form = Operation.Form.DATA,
            status = 201,
            errors = {"409 proxy_name_taken", Operation.QUOTA},
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    ProxyDraft draft = bodies.read(body, ProxyDraft.class);
                    return waits.asked(request, caller)
                            .answer(proxies.create(caller, draft), made -> Answer.data(201, made));
                })
                .toResponse();
    }

    @Get("/{proxy_id" + Requests.ANY)
    @Operation(
            summary = "Retrieve a proxy: when it was seen, what it has applied, and what does not work there.",
            tag = TAG,
            answer = Proxy.class,
            form = Operation.Form.DATA,
            errors = UNKNOWN)
    HttpResponse<?> get(Caller caller, @PathVariable("proxy_id") String id) {
        return Answer.data(200, proxies.get(caller, id)).toResponse();
    }

    @Get("/{proxy_id" + Requests.ANY + "/heads")
    @Operation(
            summary =
                    "List where the chains of a proxy's audit records have got to, cosigned: an end that is cut off later is seen against it.",
            tag = TAG,
            answer = AuditHead.class,
            form = Operation.Form.LIST,
            errors = UNKNOWN)
    HttpResponse<?> heads(Caller caller, @PathVariable("proxy_id") String id) {
        return Answer.list(heads.list(caller, id)).toResponse();
    }

    @Delete("/{proxy_id" + Requests.ANY)
    @Operation(
            summary = "Delete a proxy: its token is revoked, and it refuses everything.",
            tag = TAG,
            status = 204,
            errors = UNKNOWN,
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("proxy_id") String id) {
        return waits.asked(request, caller, () -> proxies.get(caller, id))
                .answer(proxies.delete(caller, id), gone -> Answer.none())
                .toResponse();
    }
}
