package dev.sallyport.control.api;

import dev.sallyport.control.egress.EgressPolicies;
import dev.sallyport.control.egress.EgressPolicy;
import dev.sallyport.control.egress.EgressRule;
import dev.sallyport.control.egress.EgressRuleDraft;
import dev.sallyport.control.egress.EgressRules;
import dev.sallyport.control.feed.ExplainDraft;
import dev.sallyport.control.feed.Explained;
import dev.sallyport.control.feed.Explanations;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.sandbox.Vms;
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
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.jspecify.annotations.Nullable;

/** {@code /v1/egress}. */
@Controller("/v1/egress")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class EgressController {

    private static final String TAG = "Egress";
    private static final int PAGE = 50;

    private final EgressPolicies policies;
    private final EgressRules rules;
    private final Explanations explanations;
    private final Vms vms;
    private final Deployment deployment;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;

    EgressController(
            EgressPolicies policies,
            EgressRules rules,
            Explanations explanations,
            Vms vms,
            Deployment deployment,
            PolicyCalls.Requirements requirements) {
        this.policies = policies;
        this.rules = rules;
        this.explanations = explanations;
        this.vms = vms;
        this.deployment = deployment;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Which rules. */
    record Query(
            @Limits(description = "Exactly this name.") @Nullable String name,

            @Limits(description = "Exactly this host or pattern, without regard to case.") @Nullable String host,

            @Limits(description = "Exactly this range, as it was sent.") @Nullable String cidr,

            @Limits(description = "Where the last page ended.") @Nullable String cursor,

            @Limits(min = 1, max = 200, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "What orders the list.", defaultValue = "created_at")
            EgressRules.@Nullable Sort sort,

            @Limits(description = "Direction of the order.", defaultValue = "desc") @Nullable Order order) {}

    @Get("/policy")
    @Operation(summary = "Retrieve the egress policy of the account.", tag = TAG, answer = EgressPolicy.class)
    HttpResponse<?> policy(Caller caller) {
        return Answer.of(200, policies.get(caller)).toResponse();
    }

    @Put("/policy")
    @Operation(
            summary = "Replace the egress policy of the account.",
            tag = TAG,
            body = EgressPolicy.class,
            small = true,
            answer = EgressPolicy.class,
            changes = true)
    HttpResponse<?> replacePolicy(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        EgressPolicy policy = bodies.readSmall(body, EgressPolicy.class);
        return waits.asked(request, caller)
                .answer(policies.replace(caller, policy), changed -> Answer.of(200, changed))
                .toResponse();
    }

    @Get("/rules")
    @Operation(
            summary = "List the destinations that are let through.",
            tag = TAG,
            query = Query.class,
            answer = EgressRule.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        EgressRules.Filter filter = new EgressRules.Filter(query.name(), query.host(), query.cidr());
        EgressRules.Sort sort = query.sort() == null ? EgressRules.Sort.CREATED_AT : query.sort();
        CursorList list = sort == EgressRules.Sort.HOST
                ? CursorList.byName("egress-rules", query.order(), filter)
                : CursorList.byTime("egress-rules", query.order(), filter);
        return list.answer(
                        rules.list(caller, filter, sort, list.part(query.cursor(), query.limit(), PAGE)),
                        sort::position)
                .toResponse();
    }

    @Post("/rules")
    @Operation(
            summary = "Let a destination through.",
            tag = TAG,
            body = EgressRuleDraft.class,
            small = true,
            answer = EgressRule.class,
            status = 201,
            errors = {"409 egress_rule_name_taken", Operation.QUOTA},
            changes = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    EgressRuleDraft draft = bodies.readSmall(body, EgressRuleDraft.class);
                    return waits.asked(request, caller)
                            .answer(rules.create(caller, draft), made -> Answer.of(201, made));
                })
                .toResponse();
    }

    @Delete("/rules/{rule_id" + Requests.ANY)
    @Operation(
            summary = "Delete a rule; its name is free again.",
            tag = TAG,
            status = 204,
            errors = "404 egress_rule_not_found",
            changes = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("rule_id") String id) {
        return waits.asked(request, caller, () -> rules.get(caller, id))
                .answer(rules.delete(caller, id), gone -> Answer.none())
                .toResponse();
    }

    @Post("/explain")
    @Operation(
            summary = "Tell what would become of a request of a workload, and why. Nothing is resolved, asked or sent.",
            tag = TAG,
            body = ExplainDraft.class,
            small = true,
            answer = Explained.class,
            errors = "404 vm_not_found",
            asks = true)
    HttpResponse<?> explain(Caller caller, @Body byte @Nullable [] body) {
        ExplainDraft draft = bodies.readSmall(body, ExplainDraft.class);
        String vm = draft.vmId();
        if (vm != null) {
            vms.get(caller, vm); // its policies are those of its account
        }
        return Answer.of(200, explanations.explain(caller, deployment.tags(), draft))
                .toResponse();
    }
}
