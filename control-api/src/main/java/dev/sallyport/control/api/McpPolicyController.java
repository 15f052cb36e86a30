package dev.sallyport.control.api;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.policy.McpPolicies;
import dev.sallyport.control.policy.McpPolicy;
import dev.sallyport.control.policy.McpPolicyDraft;
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

/** {@code /v1/policies/mcp}. */
@Controller("/v1/policies/mcp")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class McpPolicyController {

    private static final String TAG = "MCP policies";
    private static final String UNKNOWN = "404 mcp_policy_not_found";
    private static final String TAKEN = "409 mcp_policy_name_taken";

    private final PolicyCalls<McpPolicyDraft> calls;

    McpPolicyController(McpPolicies policies, PolicyCalls.Requirements requirements) {
        calls = new PolicyCalls<>(policies, McpPolicyDraft.class, McpPolicy::of, requirements);
    }

    @Get
    @Operation(
            summary = "List MCP policies by priority, the older first where it is equal.",
            tag = TAG,
            query = PolicyCalls.Filter.class,
            answer = McpPolicy.class,
            form = Operation.Form.LIST)
    HttpResponse<?> list(HttpRequest<?> request, Caller caller) {
        return calls.list(request, caller);
    }

    @Post
    @Operation(
            summary = "Create a policy.",
            tag = TAG,
            body = McpPolicyDraft.class,
            answer = McpPolicy.class,
            form = Operation.Form.DATA,
            status = 201,
            errors = {TAKEN, Operation.QUOTA},
            changes = true,
            tagged = true)
    HttpResponse<?> create(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return calls.create(request, caller, body);
    }

    @Get("/{policy_id" + Requests.ANY)
    @Operation(
            summary = "Retrieve a policy.",
            tag = TAG,
            answer = McpPolicy.class,
            form = Operation.Form.DATA,
            errors = UNKNOWN,
            tagged = true)
    HttpResponse<?> get(Caller caller, @PathVariable("policy_id") String id) {
        return calls.get(caller, id);
    }

    @Put("/{policy_id" + Requests.ANY)
    @Operation(
            summary = "Replace a policy with a whole representation.",
            tag = TAG,
            body = McpPolicyDraft.class,
            answer = McpPolicy.class,
            form = Operation.Form.DATA,
            errors = {UNKNOWN, TAKEN, Operation.QUOTA},
            changes = true,
            tagged = true,
            conditional = true)
    HttpResponse<?> replace(
            HttpRequest<?> request, Caller caller, @PathVariable("policy_id") String id, @Body byte @Nullable [] body) {
        return calls.replace(request, caller, id, body);
    }

    @Delete("/{policy_id" + Requests.ANY)
    @Operation(
            summary = "Delete a policy; its name is free again.",
            tag = TAG,
            status = 204,
            errors = UNKNOWN,
            changes = true,
            conditional = true)
    HttpResponse<?> delete(HttpRequest<?> request, Caller caller, @PathVariable("policy_id") String id) {
        return calls.delete(request, caller, id);
    }
}
