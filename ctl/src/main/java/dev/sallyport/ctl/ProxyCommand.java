package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Plain;
import dev.sallyport.ctl.text.Times;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code proxy}: the proxies that follow the policies of the organization. */
@Command(name = "proxy", description = "Proxies that follow policies.")
final class ProxyCommand {

    static final String PATH = "/v1/proxies";

    private static final String ID = "prx_";
    private static final String NONE = "<none>";

    private static final View VIEW = new View(
            "proxies",
            List.of(
                    View.Column.field("NAME", "/name"),
                    View.Column.field("ID", "/id"),
                    View.Column.field("STATUS", "/status"),
                    View.Column.of("APPLIED", (proxy, now) -> text(proxy.path("applied_revision"))),
                    View.Column.of(
                            "PROBLEMS",
                            (proxy, now) ->
                                    String.valueOf(proxy.path("problems").size())),
                    View.Column.of("TAGS", (proxy, now) -> tags(proxy)),
                    View.Column.of("SEEN", ProxyCommand::seen),
                    View.Column.field("PREFIX", "/prefix").onlyWide(),
                    View.Column.of(
                            "AGE",
                            (proxy, now) -> Times.age(proxy.path("created_at").asText(), now))),
            proxy -> proxy.path("name").asText());

    private final Ctl ctl;

    ProxyCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    private static String text(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? NONE : value.asText();
    }

    private static String seen(JsonNode proxy, Instant now) {
        JsonNode time = proxy.path("last_seen_at");
        return time.isTextual() ? Times.age(time.asText(), now) + " ago" : "never";
    }

    private static String tags(JsonNode proxy) {
        List<String> tags = new ArrayList<>();
        proxy.path("tags").forEach(tag -> tags.add(tag.asText()));
        return tags.isEmpty() ? NONE : String.join(",", tags);
    }

    /** {@code list}. */
    @Command(name = "list", description = "List the proxies by name.")
    int list() throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().list(api.send(Call.get(PATH)).document(), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show a proxy, and what of its policies does not work there.")
    int get(@Parameters(paramLabel = "PROXY", description = "Its identifier or name.") String proxy)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = api.send(Call.get(Call.below(PATH, id(api, proxy))));
            ctl.printer().one(reply, VIEW);
            if (ctl.format() == Format.TABLE || ctl.format() == Format.WIDE) {
                reply.object().path("problems").forEach(this::show);
            }
            return ExitCode.DONE;
        }
    }

    /** {@code head}. */
    @Command(
            name = "head",
            description = {
                "Print the last checkpoint of a proxy's audit log that the control plane has: sallyport audit verify --head",
                "finds with it whether the end was cut off."
            })
    int head(@Parameters(paramLabel = "PROXY", description = "Its identifier or name.") String proxy)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = api.send(Call.get(Call.below(PATH, id(api, proxy)) + "/heads"));
            if (ctl.format().isDocument()) {
                ctl.printer().list(reply.document(), VIEW);
                return ExitCode.DONE;
            }
            JsonNode head = reply.document().path("data").path(0);
            if (head.isMissingNode()) {
                throw ApiRefusal.notFound("no checkpoint of " + proxy + " is here (expected: log.audit.chain there)");
            }
            ctl.terminal().out().print(head.path("note").asText());
            ctl.terminal().out().flush();
            for (JsonNode each : reply.document().path("data")) {
                if (each.path("contradiction").isObject()) {
                    ctl.terminal()
                            .note(
                                    "the log " + each.path("origin").asText() + " of " + proxy
                                            + " was cut off or rewritten: it has sent a checkpoint that contradicts the one kept");
                }
            }
            return ExitCode.DONE;
        }
    }

    private void show(JsonNode problem) {
        String line =
                text(problem.path("policy_id")) + " " + problem.path("pointer").asText() + ": "
                        + problem.path("message").asText();
        ctl.terminal().out().println(Plain.clean(line));
    }

    /** {@code add}. */
    @Command(name = "add", description = "Add a proxy; its token is printed to standard output, this once.")
    int add(
            @Parameters(paramLabel = "NAME", description = "What it is called.") String name,
            @Option(
                            names = "--tags",
                            split = ",",
                            paramLabel = "TAG",
                            description = "It gets the policies whose tags are all among these.")
                    @Nullable List<String> tags,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        Format format = ctl.format();
        if (format == Format.NAME || format == Format.WIDE) {
            throw Problem.usage("-o name and -o wide would lose the token (expected: json, yaml, or none)");
        }
        waiting.refuseOutOfRange();
        ObjectNode draft = Json.object().put("name", name);
        if (tags != null) {
            ArrayNode list = draft.putArray("tags");
            tags.forEach(list::add);
        }
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.post(PATH, draft).idempotencyKey(Idempotency.key(idempotencyKey));
            Reply reply = api.send(waiting.in(call));
            show(reply, format, waiting);
            waiting.check(reply); // last: the token is not shown again
            return ExitCode.DONE;
        }
    }

    private void show(Reply reply, Format format, Waiting waiting) throws Problem {
        if (format.isDocument()) {
            ctl.printer().one(reply, VIEW);
            return;
        }
        JsonNode proxy = reply.object();
        ctl.terminal().out().println(proxy.path("token").asText());
        ctl.terminal()
                .note(proxy.path("id").asText() + " added (name "
                        + proxy.path("name").asText() + ", tags " + tags(proxy) + ")" + waiting.suffix(reply)
                        + "; its token is not shown again");
    }

    /** {@code remove}. */
    @Command(
            name = "remove",
            description =
                    "Remove proxies: they refuse everything from then on. What one problem does not concern is done.")
    int remove(
            @Parameters(arity = "1..*", paramLabel = "PROXY", description = "Identifiers or names.")
                    List<String> proxies,
            @Option(names = "--ignore-not-found", description = "A proxy that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        return Batch.each(ctl, proxies, ignoreNotFound, (api, proxy) -> {
            Reply reply = api.send(waiting.in(Call.delete(Call.below(PATH, id(api, proxy)))));
            ctl.gone(reply, proxy, "removed", waiting);
        });
    }

    /** No name of a proxy has an underscore, as identifiers have. */
    private static String id(ApiClient api, String proxy) throws Problem, InterruptedException {
        if (proxy.startsWith(ID)) {
            return proxy;
        }
        for (JsonNode candidate : api.send(Call.get(PATH)).document().path("data")) {
            if (candidate.path("name").asText().equals(proxy)) {
                return candidate.path("id").asText();
            }
        }
        throw ApiRefusal.notFound("no proxy is called " + proxy + " (expected: one of sallyport ctl proxy list)");
    }
}
