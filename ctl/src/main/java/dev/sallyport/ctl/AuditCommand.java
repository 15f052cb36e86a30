package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code audit}: requests of workloads, as proxies saw them. */
@Command(name = "audit", description = "Requests of workloads, as proxies saw them.")
final class AuditCommand implements Callable<Integer> {

    private static final String PATH = "/v1/audit/egress";

    private static final View VIEW = new View(
            "events",
            List.of(
                    View.Column.field("TIME", "/timestamp"),
                    View.Column.field("VERDICT", "/verdict"),
                    View.Column.field("ALLOWED", "/allowed"),
                    View.Column.field("PROTOCOL", "/protocol"),
                    View.Column.field("HOST", "/host"),
                    View.Column.of("SECRETS", (event, now) -> secrets(event)),
                    View.Column.field("MODE", "/mode").onlyWide(),
                    View.Column.of("DIAL", (event, now) -> text(event, "dial")).onlyWide(),
                    View.Column.of("CIDR", (event, now) -> text(event, "cidr")).onlyWide(),
                    View.Column.of("VM", (event, now) -> text(event, "vm_id")).onlyWide()),
            event -> event.path("id").asText());

    private static final View HOURS = new View(
            "counts",
            List.of(
                    View.Column.field("HOUR", "/hour"),
                    View.Column.of(
                            "HOST",
                            (row, now) -> row.path("host").isNull()
                                    ? "<others>"
                                    : row.path("host").asText()),
                    View.Column.field("VERDICT", "/verdict"),
                    View.Column.field("ALLOWED", "/allowed"),
                    View.Column.field("REQUESTS", "/requests")),
            row -> row.path("id").asText());

    private static final View CHANGES = new View(
            "changes",
            List.of(
                    View.Column.field("TIME", "/timestamp"),
                    View.Column.field("ACTION", "/action"),
                    View.Column.field("RESOURCE", "/resource"),
                    View.Column.field("ID", "/resource_id"),
                    View.Column.of("BY", (change, now) -> by(change.path("actor"))),
                    View.Column.of("FROM", (change, now) -> text(change, "remote_addr"))
                            .onlyWide()),
            change -> change.path("id").asText());

    private final Ctl ctl;

    @Mixin
    Filter followed = new Filter();

    @Option(
            names = "--follow",
            description = "Show events as they arrive, also after a connection has broken, until it is interrupted.")
    boolean follow;

    @Option(names = "--count", paramLabel = "N", description = "With --follow: end after so many events.")
    @Nullable Integer count;

    @Spec
    @Nullable CommandSpec spec;

    AuditCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    private static String text(JsonNode event, String field) {
        return event.path(field).isTextual() ? event.path(field).asText() : "<none>";
    }

    /** The key where there is one, else the person; the operator has neither. */
    private static String by(JsonNode actor) {
        String user = actor.path("user_id").isTextual() ? actor.path("user_id").asText() : "<operator>";
        return actor.path("api_key_id").isTextual() ? actor.path("api_key_id").asText() : user;
    }

    private static String secrets(JsonNode event) {
        List<String> names = event.path("replacements").findValuesAsText("secret").stream()
                .distinct()
                .toList();
        return names.isEmpty() ? "<none>" : String.join(",", names);
    }

    /** Which events. */
    static final class Filter {

        @Option(names = "--vm", paramLabel = "VM", description = "Only those of this sandbox, by identifier or name.")
        @Nullable String vm;

        @Option(names = "--host", paramLabel = "HOST", description = "Only those to exactly this host.")
        @Nullable String host;

        @Option(names = "--cidr", paramLabel = "RANGE", description = "Only those that a rule with this range matched.")
        @Nullable String cidr;

        @Option(names = "--protocol", paramLabel = "http|tls|tcp", description = "Only those over this protocol.")
        @Nullable String protocol;

        @Option(names = "--verdict", paramLabel = "allowed|denied", description = "Only those with this verdict.")
        @Nullable String verdict;

        @Option(
                names = "--allowed",
                arity = "1",
                paramLabel = "true|false",
                description = "Only those that were let through, or only others.")
        @Nullable Boolean allowed;

        @Option(names = "--mode", paramLabel = "enforce|warn", description = "Only those under this mode.")
        @Nullable String mode;

        @Option(
                names = "--dial",
                paramLabel = "connected|failed",
                description = "Only those whose connection to the origin was made, or failed.")
        @Nullable String dial;

        Call in(Call call, ApiClient api) throws Problem, InterruptedException {
            return call.query("vm_id", vm == null ? null : VmCommand.id(api, vm))
                    .query("host", host)
                    .query("cidr", cidr)
                    .query("protocol", protocol)
                    .query("verdict", verdict)
                    .query("allowed", allowed == null ? null : allowed.toString())
                    .query("mode", mode)
                    .query("dial", dial);
        }

        boolean isEmpty() {
            return Stream.of(vm, host, cidr, protocol, verdict, allowed, mode, dial)
                    .allMatch(Objects::isNull);
        }
    }

    /** Which times. */
    static final class Span {

        @Option(
                names = "--since",
                paramLabel = "TIME",
                description = "Only those from this time or date on, or of the last 1h, 7d.")
        @Nullable String since;

        @Option(
                names = "--until",
                paramLabel = "TIME",
                description = "Only those before this time or date, or before 1h, 7d ago.")
        @Nullable String until;

        private static @Nullable String read(String option, @Nullable String text, Terminal terminal) throws Problem {
            try {
                return text == null
                        ? null
                        : Times.moment(text, terminal.clock().instant()).toString();
            } catch (IllegalArgumentException e) {
                throw Problem.usage(option + ": " + e.getMessage());
            }
        }

        Call in(Call call, Terminal terminal) throws Problem {
            return call.query("since", read("--since", since, terminal))
                    .query("until", read("--until", until, terminal));
        }
    }

    /** {@code audit --follow}. */
    @Override
    public Integer call() throws Problem, InterruptedException {
        if (!follow) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "missing list, or --follow to show what arrives");
        }
        if (count != null && count < 1) {
            throw Problem.usage("--count is out of range (expected: 1 or more)");
        }
        Format format = ctl.format();
        try (ApiClient api = ctl.signedIn()) {
            AtomicLong left = new AtomicLong(count == null ? Long.MAX_VALUE : count);
            new EventFollower(api, ctl.terminal(), (name, event) -> name.equals("event") && isLast(event, format, left))
                    .follow(followed.in(Call.get(PATH + "/stream"), api));
            return ExitCode.DONE;
        }
    }

    private boolean isLast(JsonNode event, Format format, AtomicLong left) {
        show(event, format);
        return left.decrementAndGet() == 0;
    }

    /** A line for each: there is no width that fits what comes later. */
    private void show(JsonNode event, Format format) {
        Terminal terminal = ctl.terminal();
        switch (format) {
            case JSON -> terminal.out().println(event);
            case YAML -> terminal.out().println("---\n" + Json.yaml(event));
            case NAME -> terminal.line(VIEW.name().apply(event));
            case TABLE, WIDE ->
                terminal.line(VIEW.columns().stream()
                        .filter(column -> format == Format.WIDE || !column.wide())
                        .map(column ->
                                column.cell().text(event, terminal.clock().instant()))
                        .collect(Collectors.joining("  ")));
        }
        terminal.out().flush();
    }

    /** {@code list}. */
    @Command(name = "list", description = "List events, the newest first; 50 of them unless --limit says else.")
    int list(
            @Mixin Filter filter,
            @Mixin Span span,
            @Option(names = "--order", paramLabel = "asc|desc", description = "Direction of the time; desc by default.")
                    @Nullable String order,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        refuseFollowing("list");
        return list(api -> filter.in(Call.get(PATH), api), span, order, page, VIEW);
    }

    /** {@code hours}. */
    @Command(
            name = "hours",
            description =
                    "Count requests by hour, host and result, the newest first; 50 rows unless --limit says else.")
    int hours(
            @Option(names = "--host", paramLabel = "HOST", description = "Only those to exactly this host.") @Nullable String host,
            @Option(names = "--verdict", paramLabel = "allowed|denied", description = "Only those with this verdict.")
                    @Nullable String verdict,
            @Option(
                            names = "--allowed",
                            arity = "1",
                            paramLabel = "true|false",
                            description = "Only those that were let through, or only others.")
                    @Nullable Boolean allowed,
            @Mixin Span span,
            @Option(names = "--order", paramLabel = "asc|desc", description = "Direction of the time; desc by default.")
                    @Nullable String order,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        refuseFollowing("hours");
        Call call = Call.get(PATH + "/hours")
                .query("host", host)
                .query("verdict", verdict)
                .query("allowed", allowed == null ? null : allowed.toString());
        return list(api -> call, span, order, page, HOURS);
    }

    /** {@code admin}. */
    @Command(
            name = "admin",
            description =
                    "List administrative changes, and who has read the audit, the newest first; 50 unless --limit says else.")
    int admin(
            @Option(
                            names = "--action",
                            paramLabel = "ACTION",
                            description = "Only those of this kind, such as create, update, delete or read.")
                    @Nullable String action,
            @Option(
                            names = "--resource",
                            paramLabel = "RESOURCE",
                            description = "Only those of such a resource, such as secret_policy.")
                    @Nullable String resource,
            @Mixin Span span,
            @Option(names = "--order", paramLabel = "asc|desc", description = "Direction of the time; desc by default.")
                    @Nullable String order,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        refuseFollowing("admin");
        Call call = Call.get("/v1/audit/admin").query("action", action).query("resource", resource);
        return list(api -> call, span, order, page, CHANGES);
    }

    /** What is asked, once there is somebody to ask. */
    @FunctionalInterface
    private interface Question {

        Call of(ApiClient api) throws Problem, InterruptedException;
    }

    /** A page of what has a time. */
    private int list(Question question, Span span, @Nullable String order, PageOptions page, View view)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        if (page.limit == null) {
            page.limit = 50;
        }
        try (ApiClient api = ctl.signedIn()) {
            Call timed = span.in(question.of(api), ctl.terminal()).query("order", order);
            ctl.printer().list(page.collect(api, timed), view);
            return ExitCode.DONE;
        }
    }

    private void refuseFollowing(String verb) {
        if (follow || count != null || !followed.isEmpty()) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "options before " + verb + " (expected: them after it)");
        }
    }
}
