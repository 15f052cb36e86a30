package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code agent}: programs that work on repositories. */
@Command(name = "agent", description = "Agents: programs that work on a repository, each in a VM of its own.")
final class AgentCommand {

    private static final String PATH = "/v1/agents";
    private static final Batch.Kind KIND = new Batch.Kind(PATH, "agt_", "agent");
    private static final String STATUS = "status";
    private static final Duration POLL = Duration.ofMillis(500);

    private static final View VIEW = new View(
            "agents",
            List.of(
                    View.Column.field("NAME", "/name"),
                    View.Column.field("ID", "/id"),
                    View.Column.field("STATUS", "/status"),
                    View.Column.field("HARNESS", "/harness"),
                    View.Column.field("REPO", "/repo"),
                    View.Column.of(
                                    "BRANCH",
                                    (agent, now) -> agent.path("branch").asText("<none>"))
                            .onlyWide(),
                    View.Column.field("VM", "/vm_id").onlyWide(),
                    View.Column.of(
                            "AGE",
                            (agent, now) -> Times.age(agent.path("created_at").asText(), now))),
            agent -> agent.path("id").asText());

    private final Ctl ctl;

    AgentCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    /** {@code list}. */
    @Command(name = "list", description = "List agents, the newest first.")
    int list(
            @Option(
                            names = "--status",
                            paramLabel = "STATUS",
                            description = "Only those in this status: provisioning, running or idle.")
                    @Nullable String status,
            @Option(names = "--name", paramLabel = "NAME", description = "Only the one of exactly this name.") @Nullable String name,
            @Mixin PageOptions page)
            throws Problem, InterruptedException {
        page.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.get(PATH).query(STATUS, status).query("name", name);
            ctl.printer().list(page.collect(api, call), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show an agent.")
    int get(@Parameters(paramLabel = "AGENT", description = "Its identifier or name.") String agent)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(api.send(Call.get(KIND.path(api, agent))), VIEW);
            return ExitCode.DONE;
        }
    }

    /** What it is to do: one of both. */
    static final class Prompt {

        @Option(names = "--prompt", paramLabel = "TEXT", description = "What it is to do.")
        @Nullable String text;

        @Option(
                names = "--prompt-file",
                paramLabel = "FILE",
                description = "A file that says what it is to do; - is standard input.")
        @Nullable String file;

        String read(Terminal terminal) throws Problem {
            if (text != null) {
                return text;
            }
            String name = String.valueOf(file);
            if (name.equals("-")) {
                return ValueInput.all(terminal);
            }
            try {
                return Files.readString(Path.of(name));
            } catch (IOException | IllegalArgumentException e) {
                throw Problem.usage(name + " cannot be read (expected: a file of UTF-8 with the prompt)");
            }
        }
    }

    /** Where it works. */
    static final class Work {

        @Option(names = "--repo", required = true, paramLabel = "URL", description = "The Git repository.")
        String repo = "";

        @Option(
                names = "--branch",
                paramLabel = "BRANCH",
                description = "What is checked out; the repository's default branch by default.")
        @Nullable String branch;

        @Option(names = "--harness", paramLabel = "HARNESS", description = "Which program works.")
        @Nullable String harness;

        @Option(names = "--agent-args", paramLabel = "TEXT", description = "Arguments of the program, as one text.")
        @Nullable String arguments;

        @Option(
                names = "--snapshot",
                paramLabel = "SNAPSHOT",
                description = "Its VM begins as this snapshot, by its identifier.")
        @Nullable String snapshot;

        void in(ObjectNode draft) {
            draft.put("repo", repo);
            put(draft, "branch", branch);
            put(draft, "harness", harness);
            put(draft, "agent_args", arguments);
            put(draft, "snapshot_id", snapshot);
        }

        private static void put(ObjectNode draft, String field, @Nullable String value) {
            if (value != null) {
                draft.put(field, value);
            }
        }
    }

    /** How long to wait until an agent has ended its work. */
    static final class Patience {

        @Option(names = "--wait", description = "Wait until it is idle.")
        boolean wait;

        @Option(
                names = "--timeout",
                paramLabel = "DURATION",
                defaultValue = "90m",
                converter = DurationConverter.class,
                description = "How long to wait (${DEFAULT-VALUE}).")
        Duration timeout = Duration.ofMinutes(90);
    }

    /** {@code create}. */
    @Command(name = "create", description = "Have a program work on a repository.")
    int create(
            @Parameters(paramLabel = "NAME", description = "What it is called.") String name,
            @Mixin Work work,
            @ArgGroup(multiplicity = "1") Prompt prompt,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Patience patience)
            throws Problem, InterruptedException {
        ObjectNode draft = Json.object().put("name", name).put("prompt", prompt.read(ctl.terminal()));
        work.in(draft);
        try (ApiClient api = ctl.signedIn()) {
            Reply made = api.send(Call.post(PATH, draft).idempotencyKey(Idempotency.key(idempotencyKey)));
            Reply seen = patience.wait ? idle(api, made, patience.timeout) : made;
            ctl.printer().done(seen, VIEW, patience.wait ? "created, and idle" : "created");
            return ExitCode.DONE;
        }
    }

    private Reply idle(ApiClient api, Reply made, Duration timeout) throws Problem, InterruptedException {
        String id = made.object().path("id").asText();
        Instant end = ctl.terminal().clock().instant().plus(timeout);
        Reply seen = made;
        while (!seen.object().path(STATUS).asText().equals("idle")) {
            if (!ctl.terminal().clock().instant().isBefore(end)) {
                throw new Problem(
                        ExitCode.NOT_APPLIED,
                        id + " is " + seen.object().path(STATUS).asText() + " after " + timeout.toSeconds()
                                + " s (expected: idle; it may still become so)");
            }
            ctl.terminal().pause().sleep(POLL);
            seen = api.send(Call.get(Call.below(PATH, id)));
        }
        return seen;
    }

    /** {@code logs}. */
    @Command(name = "logs", description = "Show what an agent has said.")
    int logs(
            @Parameters(paramLabel = "AGENT", description = "Its identifier or name.") String agent,
            @Option(
                            names = "--follow",
                            description =
                                    "Show what it says later, too, also after a connection has broken, until it has ended its work.")
                    boolean follow)
            throws Problem, InterruptedException {
        AgentLog log = new AgentLog(ctl.terminal(), ctl.format());
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.get(KIND.path(api, agent) + "/logs");
            EventFollower follower = new EventFollower(api, ctl.terminal(), log::take);
            if (follow) {
                follower.follow(call);
            } else {
                follower.read(call.query("follow", "false"));
            }
            return ExitCode.DONE;
        } finally {
            log.end();
        }
    }

    /** {@code patch}. */
    @Command(name = "patch", description = "Write what an agent that is idle has changed into a file, for git apply.")
    int patch(
            @Parameters(paramLabel = "AGENT", description = "Its identifier or name.") String agent,
            @Option(
                            names = "--file",
                            required = true,
                            paramLabel = "FILE",
                            description = "A file that is not there yet.")
                    Path file)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            Files.write(file, api.bytes(Call.get(KIND.path(api, agent) + "/patch")), StandardOpenOption.CREATE_NEW);
            ctl.terminal().note(file + " written");
            return ExitCode.DONE;
        } catch (FileAlreadyExistsException e) {
            throw Problem.usage(file + " is there already (expected: a file that is not there yet)");
        } catch (NoSuchFileException e) {
            throw Problem.usage("the folder of " + file + " is not there (expected: a file in one that is)");
        } catch (IOException e) {
            throw Problem.usage(file + " cannot be written: " + e.getMessage());
        }
    }

    /** {@code delete}. */
    @Command(
            name = "delete",
            description = "Destroy agents and their VMs, in any state. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "AGENT", description = "Identifiers, or names.")
                    List<String> agents,
            @Option(names = "--ignore-not-found", description = "An agent that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        return Batch.delete(ctl, KIND, agents, ignoreNotFound, waiting);
    }
}
