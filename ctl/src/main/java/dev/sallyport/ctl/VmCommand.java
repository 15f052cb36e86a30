package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Pages;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code vm}: sandboxes of the account. */
@Command(name = "vm", description = "VMs: sandboxes that one logs in to by SSH.")
final class VmCommand {

    static final String PATH = "/v1/vms";

    private static final String ID = "vm_";
    private static final String STATUS = "status";
    private static final String DETAIL = "status_detail";
    private static final Duration POLL = Duration.ofMillis(250);

    private static final View VIEW = new View(
            "VMs",
            List.of(
                    View.Column.field("NAME", "/name"),
                    View.Column.field("ID", "/id"),
                    View.Column.field("STATUS", "/status"),
                    View.Column.field("DETAIL", "/status_detail"),
                    View.Column.of(
                                    "CHANGED",
                                    (vm, now) -> Times.age(vm.path("updated_at").asText(), now))
                            .onlyWide(),
                    View.Column.of(
                            "AGE", (vm, now) -> Times.age(vm.path("created_at").asText(), now))),
            vm -> vm.path("id").asText());

    private static final View EVENTS = new View(
            "events",
            List.of(
                    View.Column.field("TIME", "/at"),
                    View.Column.field("STATUS", "/status"),
                    View.Column.field("DETAIL", "/status_detail"),
                    View.Column.field("MESSAGE", "/message")),
            event -> event.path("at").asText());

    private final Ctl ctl;

    VmCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    /** {@code list}. */
    @Command(name = "list", description = "List VMs, the newest first.")
    int list(
            @Option(names = "--all", description = "Those too that were destroyed in the last 90 days.") boolean all,
            @Option(names = "--status", paramLabel = "STATUS", description = "Only those in this status.") @Nullable String status,
            @Option(names = "--status-detail", paramLabel = "DETAIL", description = "Only those with this detail.")
                    @Nullable String detail,
            @Option(names = "--name", paramLabel = "NAME", description = "Only those of exactly this name.") @Nullable String name,
            @Mixin SortOptions sort,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        Call call = Call.get(PATH).query(STATUS, status).query(DETAIL, detail).query("name", name);
        try (ApiClient api = ctl.signedIn()) {
            boolean destroyed = all || status != null || detail != null;
            ctl.printer().list(page.collect(api, sort.in(call), vm -> destroyed || !isDestroyed(vm)), VIEW);
            return ExitCode.DONE;
        }
    }

    private static boolean isDestroyed(JsonNode vm) {
        return vm.path(STATUS).asText().equals("destroyed");
    }

    /** How long to wait until a VM can be used. */
    static final class Patience {

        @Option(names = "--wait", description = "Wait until one can log in.")
        boolean wait;

        @Option(
                names = "--timeout",
                paramLabel = "DURATION",
                defaultValue = "2m",
                converter = DurationConverter.class,
                description = "How long to wait (${DEFAULT-VALUE}).")
        Duration timeout = Duration.ofMinutes(2);
    }

    /** {@code create}. */
    @Command(name = "create", description = "Make a VM.")
    int create(
            @Parameters(paramLabel = "NAME", description = "What it is called.") String name,
            @Option(
                            names = "--public-key",
                            required = true,
                            paramLabel = "FILE",
                            description = "The SSH public key that may log in; - is standard input.")
                    String publicKey,
            @Option(
                            names = "--snapshot",
                            paramLabel = "SNAPSHOT",
                            description = "Begin as this snapshot, by its identifier, instead of the base image.")
                    @Nullable String snapshot,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Patience patience)
            throws Problem, InterruptedException {
        ObjectNode draft = Json.object().put("name", name).put("public_key", key(publicKey));
        if (snapshot != null) {
            draft.put("snapshot_id", snapshot);
        }
        try (ApiClient api = ctl.signedIn()) {
            Reply made = api.send(Call.post(PATH, draft).idempotencyKey(Idempotency.key(idempotencyKey)));
            ctl.printer().done(ready(api, made, patience), VIEW, patience.wait ? "created, and ready" : "created");
            return ExitCode.DONE;
        }
    }

    private String key(String file) throws Problem {
        String text = file.equals("-") ? ValueInput.line(ctl.terminal()) : read(file);
        if (text.startsWith("-----BEGIN")) {
            throw Problem.usage((file.equals("-") ? "standard input" : file)
                    + " is a private key, which is not sent (expected: the file of an SSH public key, such as "
                    + (file.equals("-") ? "id_ed25519" : file) + ".pub)");
        }
        return text;
    }

    private static String read(String file) throws Problem {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException | IllegalArgumentException e) {
            throw Problem.usage(file + " cannot be read (expected: the file of an SSH public key)");
        }
    }

    /** The VM as it is, or as it is once one can log in. */
    private Reply ready(ApiClient api, Reply reply, Patience patience) throws Problem, InterruptedException {
        String id = reply.object().path("id").asText();
        Instant end = ctl.terminal().clock().instant().plus(patience.timeout);
        Reply seen = reply;
        while (patience.wait && !seen.object().path(DETAIL).asText().equals("ready")) {
            String status = seen.object().path(STATUS).asText();
            if (!status.equals("pending") && !status.equals("running")) {
                throw new Problem(
                        ExitCode.REFUSED, id + " is " + status + " (expected: ready; see sallyport ctl vm events)");
            }
            if (!ctl.terminal().clock().instant().isBefore(end)) {
                throw new Problem(
                        ExitCode.NOT_APPLIED,
                        id + " is " + seen.object().path(DETAIL).asText() + " after " + patience.timeout.toSeconds()
                                + " s (expected: ready; it may still become so)");
            }
            ctl.terminal().pause().sleep(POLL);
            seen = api.send(Call.get(Call.below(PATH, id)));
        }
        return seen;
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show a VM.")
    int get(@Parameters(paramLabel = "VM", description = "Its identifier or name.") String vm)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(api.send(Call.get(path(api, vm))), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code start}. */
    @Command(name = "start", description = "Start a stopped VM.")
    int start(
            @Parameters(paramLabel = "VM", description = "Its identifier or name.") String vm, @Mixin Patience patience)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            Reply started = api.send(Call.post(path(api, vm) + "/start", null));
            ctl.printer().done(ready(api, started, patience), VIEW, patience.wait ? "started, and ready" : "started");
            return ExitCode.DONE;
        }
    }

    /** {@code stop}. */
    @Command(
            name = "stop",
            description = "Stop running VMs; their disks stay. What one problem does not concern is done.")
    int stop(
            @Parameters(arity = "1..*", paramLabel = "VM", description = "Identifiers, or names.") List<String> vms,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        return Batch.each(ctl, vms, false, (api, vm) -> {
            Reply reply = api.send(waiting.in(Call.post(path(api, vm) + "/stop", null)));
            ctl.changed(reply, VIEW, "stopped", waiting);
        });
    }

    /** {@code delete}. */
    @Command(name = "delete", description = "Destroy stopped or failed VMs. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "VM", description = "Identifiers, or names.") List<String> vms,
            @Option(names = "--force", description = "In any state, not only stopped ones.") boolean force,
            @Option(names = "--ignore-not-found", description = "A VM that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        return Batch.each(ctl, vms, ignoreNotFound, (api, vm) -> {
            Call call = Call.delete(path(api, vm)).query("force", force ? "true" : null);
            ctl.gone(api.send(waiting.in(call)), vm, "deleted", waiting);
        });
    }

    /** {@code events}. */
    @Command(
            name = "events",
            description = "Show what happened to a VM, the newest first; 50 unless --limit says else.")
    int events(
            @Parameters(paramLabel = "VM", description = "Its identifier or name.") String vm,
            @Option(names = "--order", paramLabel = "asc|desc", description = "Direction of the time; desc by default.")
                    @Nullable String order,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        if (page.limit == null) {
            page.limit = 50;
        }
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.get(path(api, vm) + "/events").query("order", order);
            ctl.printer().list(page.collect(api, call), EVENTS);
            return ExitCode.DONE;
        }
    }

    /** {@code counters}. */
    @Command(name = "counters", description = "Show what the network has refused of a running VM since its start.")
    int counters(@Parameters(paramLabel = "VM", description = "Its identifier or name.") String vm)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            String id = id(api, vm);
            ctl.printer().one(api.send(Call.get(Call.below(PATH, id) + "/counters")), counted(id));
            return ExitCode.DONE;
        }
    }

    private static View counted(String id) {
        return new View(
                "counters",
                List.of(View.Column.field("REFUSED", "/refused"), View.Column.field("SPOOFED", "/spoofed")),
                counters -> id);
    }

    /** The path of a VM; a name is that of one that is not destroyed. */
    static String path(ApiClient api, String vm) throws Problem, InterruptedException {
        return Call.below(PATH, id(api, vm));
    }

    /** The identifier of a VM; a name is that of one that is not destroyed. */
    static String id(ApiClient api, String vm) throws Problem, InterruptedException {
        if (Identifiers.isOne(ID, vm)) {
            return vm;
        }
        Call call = Call.get(PATH).query("name", vm);
        for (JsonNode candidate : Pages.collect(api, call, null, null).path("data")) {
            if (!candidate.path(STATUS).asText().equals("destroyed")) {
                return candidate.path("id").asText();
            }
        }
        throw ApiRefusal.notFound("no VM is called " + vm + " (expected: one of sallyport ctl vm list)");
    }
}
