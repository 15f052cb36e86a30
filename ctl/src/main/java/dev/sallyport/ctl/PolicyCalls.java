package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;

/** Calls of the API about policies. */
final class PolicyCalls {

    private static final int PRECONDITION_FAILED = 412;
    private static final int ATTEMPTS = 5;

    private final ApiClient api;

    PolicyCalls(ApiClient api) {
        this.api = api;
    }

    /** The policy, with its tag. */
    Reply get(PolicyRef policy) throws Problem, InterruptedException {
        return api.send(Call.get(path(policy)));
    }

    /** Where a policy is; one that is told by its name is looked for. */
    String path(PolicyRef policy) throws Problem, InterruptedException {
        return Call.below(policy.kind().path(), policy.isId() ? policy.text() : id(policy));
    }

    private String id(PolicyRef policy) throws Problem, InterruptedException {
        JsonNode found = api.send(Call.get(policy.kind().path()).query("name", policy.text()))
                .document()
                .path("data");
        if (found.isEmpty()) {
            throw ApiRefusal.notFound("no " + policy.kind().singular() + " is called " + policy.text()
                    + " (expected: one of sallyport ctl policy list --kind "
                    + policy.kind().word() + ")");
        }
        return found.get(0).path("id").asText();
    }

    /** Replaces a policy, unless somebody else has changed it since the draft was read. */
    Reply replace(PolicyRef policy, ObjectNode draft, Replacing how) throws Problem, InterruptedException {
        Reply before = get(policy);
        JsonNode read = draft.path("updated_at");
        JsonNode now = before.object().path("updated_at");
        if (!how.force() && read.isTextual() && !read.equals(now)) {
            throw new Problem(
                    ExitCode.REFUSED,
                    policy + " was changed at " + now.asText() + ", after " + how.origin()
                            + " was written (expected: the policy as it is, or --force)");
        }
        Call call =
                Call.put(path(before, policy), draft).header("If-Match", how.force() ? null : before.header("ETag"));
        return api.send(how.waiting().in(call));
    }

    /**
     * How a policy is replaced.
     *
     * @param origin the file of the draft, for errors
     * @param force whether changes of others are overwritten
     */
    record Replacing(String origin, boolean force, Waiting waiting) {}

    /** Switches a policy on or off; whatever else is changed meanwhile stays. */
    Reply activate(PolicyRef policy, boolean active, Waiting waiting) throws Problem, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Reply before = get(policy);
            ObjectNode draft = before.object().deepCopy();
            draft.put("active", active);
            Call call = Call.put(path(before, policy), draft).header("If-Match", before.header("ETag"));
            try {
                return api.send(waiting.in(call));
            } catch (ApiRefusal refusal) {
                if (refusal.status() != PRECONDITION_FAILED || attempt == ATTEMPTS) {
                    throw refusal;
                }
            }
        }
    }

    private static String path(Reply policy, PolicyRef ref) {
        return Call.below(ref.kind().path(), policy.object().path("id").asText());
    }
}
