package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rule}: destinations that are let through. */
@Command(name = "rule", description = "Egress rules: destinations that are let through.")
final class RuleCommand {

    private static final String PATH = "/v1/egress/rules";

    private static final View VIEW = new View(
            "rules",
            List.of(
                    View.Column.of("NAME", (rule, now) -> text(rule, "name")),
                    View.Column.field("ID", "/id"),
                    View.Column.of(
                            "DESTINATION",
                            (rule, now) -> rule.path("host").isTextual() ? text(rule, "host") : text(rule, "cidr")),
                    View.Column.of("COMMENT", (rule, now) -> text(rule, "comment"))
                            .onlyWide(),
                    View.Column.of(
                            "AGE",
                            (rule, now) -> Times.age(rule.path("created_at").asText(), now))),
            rule -> rule.path("id").asText());

    private final Ctl ctl;

    RuleCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    private static String text(JsonNode rule, String field) {
        return rule.path(field).isTextual() ? rule.path(field).asText() : "<none>";
    }

    /** {@code list}. */
    @Command(name = "list", description = "List rules, the newest first.")
    int list(
            @Option(names = "--name", paramLabel = "NAME", description = "Only the one of this name.") @Nullable String name,
            @Option(names = "--host", paramLabel = "HOST", description = "Only those with exactly this host.") @Nullable String host,
            @Option(names = "--cidr", paramLabel = "RANGE", description = "Only those with exactly this range.")
                    @Nullable String cidr,
            @Mixin SortOptions sort,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        Call call = Call.get(PATH).query("name", name).query("host", host).query("cidr", cidr);
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().list(page.collect(api, sort.in(call)), VIEW);
            return ExitCode.DONE;
        }
    }

    /** Where a rule leads. */
    static final class Destination {

        @Option(names = "--host", paramLabel = "HOST", description = "Such as api.example.com or *.example.com.")
        @Nullable String host;

        @Option(names = "--cidr", paramLabel = "RANGE", description = "Such as 192.0.2.0/24.")
        @Nullable String cidr;
    }

    /** {@code create}. */
    @Command(name = "create", description = "Let a destination through.")
    int create(
            @ArgGroup(multiplicity = "1") Destination destination,
            @Option(names = "--name", paramLabel = "NAME", description = "What it is called.") @Nullable String name,
            @Option(names = "--comment", paramLabel = "TEXT", description = "For people.") @Nullable String comment,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        ObjectNode draft = Json.object();
        put(draft, "name", name);
        put(draft, "host", destination.host);
        put(draft, "cidr", destination.cidr);
        put(draft, "comment", comment);
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.post(PATH, draft).idempotencyKey(Idempotency.key(idempotencyKey));
            return ctl.changed(api.send(waiting.in(call)), VIEW, "created", waiting);
        }
    }

    private static void put(ObjectNode draft, String field, @Nullable String value) {
        if (value != null) {
            draft.put(field, value);
        }
    }

    /** {@code delete}. */
    @Command(name = "delete", description = "Delete rules. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "RULE", description = "Identifiers, or names.") List<String> rules,
            @Option(names = "--ignore-not-found", description = "A rule that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        return Batch.delete(ctl, new Batch.Kind(PATH, "egr_", "rule"), rules, ignoreNotFound, waiting);
    }
}
