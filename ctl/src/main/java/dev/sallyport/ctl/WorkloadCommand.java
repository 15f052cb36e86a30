package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Plain;
import dev.sallyport.ctl.text.Times;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code workload}: who may use the proxy of the installation for the account. */
@Command(name = "workload", description = "Workloads, which tell themselves to the proxy by a user and a password.")
final class WorkloadCommand {

    private static final String PATH = "/v1/workloads";
    private static final Batch.Kind KIND = new Batch.Kind(PATH, "wl_", "workload");

    private static final View VIEW = new View(
            "workloads",
            List.of(
                    View.Column.field("NAME", "/name"),
                    View.Column.field("ID", "/id"),
                    View.Column.of("APPLIED", (workload, now) -> text(workload.path("applied_revision"))),
                    View.Column.of(
                            "PROBLEMS",
                            (workload, now) ->
                                    String.valueOf(workload.path("problems").size())),
                    View.Column.field("USER", "/user").onlyWide(),
                    View.Column.of(
                            "AGE",
                            (workload, now) ->
                                    Times.age(workload.path("created_at").asText(), now))),
            workload -> workload.path("name").asText());

    private final Ctl ctl;

    WorkloadCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    private static String text(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? "<none>" : value.asText();
    }

    /** {@code list}. */
    @Command(name = "list", description = "List workloads, the newest first.")
    int list(
            @Option(names = "--name", paramLabel = "NAME", description = "Only the one of this name.") @Nullable String name,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().list(page.collect(api, Call.get(PATH).query("name", name)), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(
            name = "get",
            description = "Show a workload, where its policies are in force, and what of them does not work.")
    int get(@Parameters(paramLabel = "WORKLOAD", description = "Its identifier or name.") String workload)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = api.send(Call.get(KIND.path(api, workload)));
            ctl.printer().one(reply, VIEW);
            if (ctl.format() == Format.TABLE || ctl.format() == Format.WIDE) {
                reply.object().path("problems").forEach(problem -> show("", problem));
                reply.object().path("shared_proxies").forEach(this::showProxy);
            }
            return ExitCode.DONE;
        }
    }

    private void showProxy(JsonNode proxy) {
        String where = "at shared proxy " + proxy.path("id").asText();
        line(where + ": applied " + text(proxy.path("applied_revision")));
        proxy.path("problems").forEach(problem -> show(where + ": ", problem));
    }

    private void show(String where, JsonNode problem) {
        line(where + text(problem.path("policy_id")) + " "
                + problem.path("pointer").asText() + ": "
                + problem.path("message").asText());
    }

    private void line(String text) {
        ctl.terminal().out().println(Plain.clean(text));
    }

    /** {@code create}. */
    @Command(name = "create", description = "Make a workload; USER:PASSWORD is printed to standard output, this once.")
    int create(
            @Parameters(paramLabel = "NAME", description = "What it is called.") String name,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        Format format = ctl.format();
        if (format == Format.NAME || format == Format.WIDE) {
            throw Problem.usage("-o name and -o wide would lose the password (expected: json, yaml, or none)");
        }
        waiting.refuseOutOfRange();
        ObjectNode draft = Json.object().put("name", name);
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.post(PATH, draft).idempotencyKey(Idempotency.key(idempotencyKey));
            Reply reply = api.send(waiting.in(call));
            show(reply, format, waiting);
            waiting.check(reply); // last: the password is not shown again
            return ExitCode.DONE;
        }
    }

    private void show(Reply reply, Format format, Waiting waiting) throws Problem {
        if (format.isDocument()) {
            ctl.printer().one(reply, VIEW);
            return;
        }
        JsonNode workload = reply.object();
        ctl.terminal()
                .out()
                .println(Plain.clean(workload.path("user").asText() + ":"
                        + workload.path("password").asText()));
        ctl.terminal()
                .note(workload.path("id").asText() + " created (name "
                        + workload.path("name").asText() + ")" + waiting.suffix(reply)
                        + "; its password is not shown again");
    }

    /** {@code delete}. */
    @Command(
            name = "delete",
            description = "Delete workloads: what they have under way ends. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "WORKLOAD", description = "Identifiers or names.")
                    List<String> workloads,
            @Option(names = "--ignore-not-found", description = "A workload that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        return Batch.delete(ctl, KIND, workloads, ignoreNotFound, waiting);
    }
}
