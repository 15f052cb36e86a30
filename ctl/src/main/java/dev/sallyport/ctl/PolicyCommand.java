package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.PolicyFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code policy}: secret, MCP and network policies (docs/spec/policy-api.md, section "Endpoints"). */
@Command(
        name = "policy",
        description = "Policies, of the kinds secrets, mcp and network.",
        footerHeading = "%n",
        footer = {
            "POLICY is an identifier, KIND/NAME, or a name together with --kind.",
            "FILE holds one policy in YAML or JSON, with the fields of the API; - is standard input."
        })
final class PolicyCommand {

    private final Ctl ctl;

    PolicyCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    /** {@code list}. */
    @Command(name = "list", description = "List policies by priority.")
    int list(
            @Mixin RequiredKind required,
            @Option(names = "--name", paramLabel = "NAME", description = "Only the one of this name.") @Nullable String name,
            @Option(
                            names = "--active",
                            arity = "1",
                            paramLabel = "true|false",
                            description = "Only active ones, or only others.")
                    @Nullable Boolean active)
            throws Problem, InterruptedException {
        Kind kind = required.kind();
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.get(kind.path())
                    .query("name", name)
                    .query("active", active == null ? null : active.toString());
            ctl.printer().list(api.send(call).document(), PolicyViews.of(kind));
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show a policy; -o yaml writes what replace reads.")
    int get(@Mixin PolicyArgument policy) throws Problem, InterruptedException {
        PolicyRef ref = policy.ref();
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(new PolicyCalls(api).get(ref), PolicyViews.of(ref.kind()));
            return ExitCode.DONE;
        }
    }

    /** {@code create}. */
    @Command(name = "create", description = "Create a policy. Sent twice with one key, it is created once.")
    int create(
            @Mixin RequiredKind required,
            @Option(
                            names = {"-f", "--filename"},
                            required = true,
                            paramLabel = "FILE",
                            description = "The policy.")
                    String file,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        ObjectNode draft = PolicyFile.read(file, ctl.terminal().in());
        Kind kind = required.kind();
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.post(kind.path(), draft).idempotencyKey(Idempotency.key(idempotencyKey));
            Reply reply = api.send(waiting.in(call));
            return ctl.changed(reply, PolicyViews.of(kind), "created", waiting);
        }
    }

    /** {@code replace}. */
    @Command(name = "replace", description = "Replace a policy by what the file says, unless it was changed meanwhile.")
    int replace(
            @Parameters(
                            arity = "0..1",
                            paramLabel = "POLICY",
                            description = "Which policy; by default the one with the id or the name in the file.")
                    @Nullable String policy,
            @Option(
                            names = {"-f", "--filename"},
                            required = true,
                            paramLabel = "FILE",
                            description = "The policy.")
                    String file,
            @Mixin KindOption kind,
            @Option(names = "--force", description = "Overwrite what others have changed.") boolean force,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        ObjectNode draft = PolicyFile.read(file, ctl.terminal().in());
        PolicyRef ref = PolicyRef.parse(policy == null ? named(draft, file) : policy, kind.kind());
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = new PolicyCalls(api)
                    .replace(
                            ref,
                            draft,
                            new PolicyCalls.Replacing(file.equals("-") ? "the file" : file, force, waiting));
            return ctl.changed(reply, PolicyViews.of(ref.kind()), "replaced", waiting);
        }
    }

    private static String named(ObjectNode draft, String file) throws Problem {
        String id = draft.path("id").asText("");
        String name = draft.path("name").asText("");
        if (id.isEmpty() && name.isEmpty()) {
            throw Problem.usage(file + ": neither id nor name in it (expected: one of them, or POLICY)");
        }
        return id.isEmpty() ? name : id;
    }

    /** {@code activate}. */
    @Command(name = "activate", description = "Deliver a policy to proxies.")
    int activate(@Mixin PolicyArgument policy, @Mixin Waiting waiting) throws Problem, InterruptedException {
        return activate(policy.ref(), true, waiting);
    }

    /** {@code deactivate}. */
    @Command(name = "deactivate", description = "Keep a policy, and deliver it no longer.")
    int deactivate(@Mixin PolicyArgument policy, @Mixin Waiting waiting) throws Problem, InterruptedException {
        return activate(policy.ref(), false, waiting);
    }

    private int activate(PolicyRef ref, boolean active, Waiting waiting) throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = new PolicyCalls(api).activate(ref, active, waiting);
            return ctl.changed(reply, PolicyViews.of(ref.kind()), active ? "activated" : "deactivated", waiting);
        }
    }

    /** {@code delete}. */
    @Command(name = "delete", description = "Delete policies. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "POLICY", description = "Which policies.") List<String> policies,
            @Mixin KindOption kind,
            @Option(names = "--ignore-not-found", description = "A policy that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        List<PolicyRef> refs = new ArrayList<>();
        for (String policy : policies) {
            refs.add(PolicyRef.parse(policy, kind.kind()));
        }
        return Batch.each(ctl, refs, ignoreNotFound, (api, ref) -> {
            Reply reply = api.send(waiting.in(Call.delete(new PolicyCalls(api).path(ref))));
            ctl.printer().gone(ref.toString(), "deleted");
            waiting.check(reply);
        });
    }
}
