package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code snapshot}: copies of the disks of VMs, from which others are made. */
@Command(name = "snapshot", description = "Snapshots of VMs, from which others are made.")
final class SnapshotCommand {

    private static final String PATH = "/v1/snapshots";
    private static final String STATUS = "status";
    private static final Duration POLL = Duration.ofMillis(250);

    private static final View VIEW = new View(
            "snapshots",
            List.of(
                    View.Column.field("ID", "/id"),
                    View.Column.field("VM", "/source_virtual_machine_id"),
                    View.Column.of("LABEL", (snapshot, now) -> text(snapshot.path("label"))),
                    View.Column.field("STATUS", "/status"),
                    View.Column.of("BYTES", (snapshot, now) -> text(snapshot.path("size_bytes"))),
                    View.Column.of("SOURCE", (snapshot, now) -> text(source(snapshot)))
                            .onlyWide(),
                    View.Column.of(
                            "AGE",
                            (snapshot, now) ->
                                    Times.age(snapshot.path("created_at").asText(), now))),
            snapshot -> snapshot.path("id").asText());

    private final Ctl ctl;

    SnapshotCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    private static JsonNode source(JsonNode snapshot) {
        JsonNode parent = snapshot.path("source_snapshot_id");
        return parent.isTextual() ? parent : snapshot.path("source_base_image");
    }

    private static String text(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? "<none>" : value.asText();
    }

    /** {@code list}. */
    @Command(name = "list", description = "List snapshots, the newest first.")
    int list(
            @Option(names = "--vm", paramLabel = "VM", description = "Only those of this VM, by identifier or name.")
                    @Nullable String vm,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            String path = vm == null ? PATH : VmCommand.path(api, vm) + "/snapshots";
            ctl.printer().list(page.collect(api, Call.get(path)), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show a snapshot.")
    int get(@Parameters(paramLabel = "SNAPSHOT", description = "Its identifier.") String snapshot)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(api.send(Call.get(Call.below(PATH, snapshot))), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code create}. */
    @Command(name = "create", description = "Take a snapshot of a running VM.")
    int create(
            @Parameters(paramLabel = "VM", description = "Its identifier or name.") String vm,
            @Option(names = "--label", paramLabel = "TEXT", description = "What to remember it by.") @Nullable String label,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Option(names = "--wait", description = "Wait until VMs can be made from it.") boolean wait,
            @Option(
                            names = "--timeout",
                            paramLabel = "DURATION",
                            defaultValue = "10m",
                            converter = DurationConverter.class,
                            description = "How long to wait (${DEFAULT-VALUE}).")
                    Duration timeout)
            throws Problem, InterruptedException {
        ObjectNode draft = Json.object();
        if (label != null) {
            draft.put("label", label);
        }
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.post(VmCommand.path(api, vm) + "/snapshots", draft)
                    .idempotencyKey(Idempotency.key(idempotencyKey));
            Reply made = api.send(call);
            if (wait) {
                made = ready(api, made, timeout);
            }
            ctl.printer().done(made, VIEW, wait ? "created, and ready" : "created");
            return ExitCode.DONE;
        }
    }

    private Reply ready(ApiClient api, Reply made, Duration timeout) throws Problem, InterruptedException {
        String id = made.object().path("id").asText();
        Instant end = ctl.terminal().clock().instant().plus(timeout);
        Reply seen = made;
        while (!seen.object().path(STATUS).asText().equals("ready")) {
            String status = seen.object().path(STATUS).asText();
            if (status.equals("failed")) {
                throw new Problem(
                        ExitCode.REFUSED,
                        id + " has failed (expected: ready; see sallyport ctl vm events "
                                + seen.object()
                                        .path("source_virtual_machine_id")
                                        .asText() + ")");
            }
            if (!ctl.terminal().clock().instant().isBefore(end)) {
                throw new Problem(
                        ExitCode.NOT_APPLIED,
                        id + " is " + status + " after " + timeout.toSeconds()
                                + " s (expected: ready; it may still become so)");
            }
            ctl.terminal().pause().sleep(POLL);
            seen = api.send(Call.get(Call.below(PATH, id)));
        }
        return seen;
    }

    /** {@code delete}. */
    @Command(
            name = "delete",
            description =
                    "Delete snapshots; VMs that were made from them go on. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "SNAPSHOT", description = "Identifiers.") List<String> snapshots,
            @Option(names = "--ignore-not-found", description = "A snapshot that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        return Batch.delete(ctl, new Batch.Kind(PATH, "", "snapshot"), snapshots, ignoreNotFound, waiting);
    }
}
