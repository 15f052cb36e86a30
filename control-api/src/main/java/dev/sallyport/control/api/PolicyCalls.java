package dev.sallyport.control.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.policy.Policies;
import dev.sallyport.control.policy.Policy;
import dev.sallyport.control.policy.PolicyDraft;
import dev.sallyport.control.store.Written;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import jakarta.inject.Singleton;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** What the routes of all kinds of policies have in common. */
final class PolicyCalls<D extends Record & PolicyDraft> {

    private final Policies<D> policies;
    private final Class<D> type;
    private final Function<Policy<D>, ?> view;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;

    PolicyCalls(Policies<D> policies, Class<D> type, Function<Policy<D>, ?> view, Requirements requirements) {
        this.policies = policies;
        this.type = type;
        this.view = view;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** What all of them need. */
    @Singleton
    record Requirements(Idempotency idempotency, Bodies bodies, AppliedWaits waits) {}

    /** The filters of a list. */
    record Filter(
            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Only active ones, or only others.") @Nullable Boolean active) {}

    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Filter filter = BodyBinder.query(request.getParameters()::getAll, Filter.class);
        return Answer.list(policies.list(caller, filter.name(), filter.active()).stream()
                        .map(view)
                        .toList())
                .toResponse();
    }

    HttpResponse<?> create(HttpRequest<?> request, Caller caller, byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    Asked<D> asked = asked(request, caller, body, () -> {});
                    return asked.waiting().answer(policies.create(caller, asked.draft()), made -> tagged(201, made));
                })
                .toResponse();
    }

    HttpResponse<?> get(Caller caller, String id) {
        return tagged(200, policies.get(caller, id)).toResponse();
    }

    HttpResponse<?> replace(HttpRequest<?> request, Caller caller, String id, byte @Nullable [] body) {
        Asked<D> asked = asked(request, caller, body, () -> policies.get(caller, id));
        Written<Policy<D>> written = policies.replace(caller, id, asked.draft(), precondition(request));
        return asked.waiting().answer(written, changed -> tagged(200, changed)).toResponse();
    }

    /** A body with the query beside it. */
    private record Asked<D>(D draft, AppliedWaits.Asked waiting) {}

    /** @param known refuses with 404, which comes after 400 and before 422 */
    private Asked<D> asked(HttpRequest<?> request, Caller caller, byte @Nullable [] body, Runnable known) {
        return bodies.within(body, () -> {
            JsonNode tree = BodyBinder.parse(body);
            known.run();
            AppliedWaits.Asked wait = waits.asked(request, caller);
            return new Asked<>(BodyBinder.bind(tree, type), wait);
        });
    }

    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, String id) {
        return waits.asked(request, caller, () -> policies.get(caller, id))
                .answer(policies.delete(caller, id, precondition(request)), gone -> Answer.none())
                .toResponse();
    }

    private Answer tagged(int status, Policy<D> policy) {
        return Answer.data(status, view.apply(policy)).with(Headers.ETAG, tag(policy.version()));
    }

    private static String tag(long version) {
        return "\"" + version + "\"";
    }

    /** {@code If-Match} (RFC 9110, 13.1.1): a list of tags, or {@code *}. */
    private static LongPredicate precondition(HttpRequest<?> request) {
        String header =
                String.join(",", request.getHeaders().getAll(Headers.IF_MATCH)).strip();
        if (header.isEmpty() || header.equals("*")) {
            return version -> true;
        }
        return version -> {
            for (String candidate : header.split(",", -1)) {
                if (candidate.strip().equals(tag(version))) {
                    return true;
                }
            }
            return false;
        };
    }
}
