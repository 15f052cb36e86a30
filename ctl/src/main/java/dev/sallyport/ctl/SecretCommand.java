package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code secret}: credentials that the control plane keeps. Their values are read from standard input only. */
@Command(
        name = "secret",
        description = "Secrets that the control plane keeps; workloads hold their placeholders.",
        footerHeading = "%n",
        footer = {"SECRET is an identifier or a name. Values are read from standard input, one line, and never shown."})
final class SecretCommand {

    private static final String PATH = "/v1/secrets";
    private static final Batch.Kind KIND = new Batch.Kind(PATH, "sec_", "secret");

    private static final View VIEW = new View(
            "secrets",
            List.of(
                    View.Column.field("NAME", "/name"),
                    View.Column.field("ID", "/id"),
                    View.Column.field("VARIABLE", "/env_var"),
                    View.Column.of(
                            "HOSTS",
                            (secret, now) -> secret.path("hosts")
                                    .valueStream()
                                    .map(JsonNode::asText)
                                    .collect(Collectors.joining(","))),
                    View.Column.field("PLACEHOLDER", "/proxy_value").onlyWide(),
                    View.Column.of(
                            "UPDATED",
                            (secret, now) -> Times.age(secret.path("updated_at").asText(), now))),
            secret -> secret.path("name").asText());

    private final Ctl ctl;

    SecretCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    /** {@code list}. */
    @Command(name = "list", description = "List secrets, the newest first.")
    int list(
            @Option(names = "--name", paramLabel = "NAME", description = "Only the one of this name.") @Nullable String name,
            @Mixin SortOptions sort,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().list(page.collect(api, sort.in(Call.get(PATH).query("name", name))), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show a secret, without its value.")
    int get(@Parameters(paramLabel = "SECRET", description = "Which secret.") String secret)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(api.send(Call.get(KIND.path(api, secret))), VIEW);
            return ExitCode.DONE;
        }
    }

    /** The options of a secret's fields. */
    static final class Fields {

        @Option(
                names = "--host",
                paramLabel = "HOST",
                description = "Where the placeholder is replaced; again for more. * is every host.")
        @Nullable List<String> hosts;

        @Option(names = "--comment", paramLabel = "TEXT", description = "For people; an empty one is none.")
        @Nullable String comment;

        @Option(
                names = "--allow-plaintext",
                negatable = true,
                description = "Whether the value may go out without TLS; it does not by default.")
        @Nullable Boolean plaintext;

        void in(ObjectNode body) {
            if (plaintext != null) {
                body.put("allow_plaintext", plaintext);
            }
            if (hosts != null) {
                ArrayNode list = body.putArray("hosts");
                hosts.forEach(list::add);
            }
            if (comment != null) {
                body.put("comment", comment.isEmpty() ? null : comment);
            }
        }
    }

    /** {@code create}. */
    @Command(name = "create", description = "Keep a secret, whose value is read from standard input.")
    int create(
            @Option(names = "--name", required = true, paramLabel = "NAME", description = "What it is called.")
                    String name,
            @Option(
                            names = "--env-var",
                            required = true,
                            paramLabel = "VARIABLE",
                            description = "The variable that holds the placeholder in sandboxes.")
                    String variable,
            @Mixin Fields fields,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        String key = Idempotency.key(idempotencyKey);
        try (ApiClient api = ctl.signedIn()) {
            ObjectNode draft = Json.object()
                    .put("name", name)
                    .put("secret", ValueInput.line(ctl.terminal()))
                    .put("env_var", variable);
            fields.in(draft);
            Reply reply = api.send(waiting.in(Call.post(PATH, draft).idempotencyKey(key)));
            return ctl.changed(reply, VIEW, "created", waiting);
        }
    }

    /** {@code update}. */
    @Command(name = "update", description = "Change a secret; with --value, its value is read from standard input.")
    int update(
            @Parameters(paramLabel = "SECRET", description = "Which secret.") String secret,
            @Option(names = "--value", description = "Replace the value.") boolean value,
            @Option(
                            names = "--env-var",
                            paramLabel = "VARIABLE",
                            description = "The variable that holds the placeholder in sandboxes.")
                    @Nullable String variable,
            @Mixin Fields fields,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        ObjectNode patch = Json.object();
        fields.in(patch);
        if (variable != null) {
            patch.put("env_var", variable);
        }
        if (patch.isEmpty() && !value) {
            throw Problem.usage(
                    "nothing to change (expected: --value, --env-var, --host, --comment or --[no-]allow-plaintext)");
        }
        try (ApiClient api = ctl.signedIn()) {
            if (value) {
                patch.put("secret", ValueInput.line(ctl.terminal()));
            }
            Reply reply = api.send(waiting.in(Call.patch(KIND.path(api, secret), patch)));
            return ctl.changed(reply, VIEW, "updated", waiting);
        }
    }

    /** {@code delete}. */
    @Command(name = "delete", description = "Delete secrets. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "SECRET", description = "Which secrets.") List<String> secrets,
            @Option(names = "--ignore-not-found", description = "A secret that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        return Batch.delete(ctl, KIND, secrets, ignoreNotFound, waiting);
    }
}
