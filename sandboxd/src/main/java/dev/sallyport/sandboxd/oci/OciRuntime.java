package dev.sallyport.sandboxd.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** crun or runc: both have the same commands. */
final class OciRuntime {

    static final String CRUN = "crun";
    static final String RUNC = "runc";

    /** What runc writes of a container that it knows. */
    private static final String RUNC_STATE = "state.json";

    private static final int LONGEST_COMPLAINT = 1000;

    /** As runc calls the type of a network namespace. */
    private static final String NETWORK = "NEWNET";

    /** How long a guest may take to start a task, or to report on one. */
    private static final Duration TASK = Duration.ofSeconds(15);

    private final String program;
    private final Path state;
    private final @Nullable Path secondControllers;

    /**
     * Of a machine.
     *
     * @param program crun or runc
     */
    OciRuntime(String program, Machine machine) {
        this.program = program;
        this.state = state(machine.settings());
        this.secondControllers = machine.cgroups().secondControllers();
    }

    /** Where either keeps what it knows. */
    private static Path state(HostSettings settings) {
        return settings.runDir().resolve("runtime");
    }

    /** Whether there are containers that runc made, of which crun knows nothing. Whoever may not look sees none. */
    static boolean isRuncInUse(HostSettings settings) throws IOException {
        Path state = state(settings);
        if (!Files.isReadable(state)) {
            return false;
        }
        try (DirectoryStream<Path> known =
                Files.newDirectoryStream(state, each -> Files.exists(each.resolve(RUNC_STATE)))) {
            return known.iterator().hasNext();
        }
    }

    /** Makes a container and starts its first process, which keeps the console open. */
    HostProcess run(VmId id, ContainerFiles files) throws CommandException, IOException, InterruptedException {
        try {
            command(List.of(
                            "--log",
                            files.complaints().toString(),
                            "run",
                            "--detach",
                            "--bundle",
                            files.run().toString(),
                            "--pid-file",
                            files.pid().toString(),
                            id.value()))
                    .with("GOMAXPROCS", "1") // runc waits for the kernel alone, and its threads for each other
                    .appendingTo(files.console())
                    .run();
        } catch (CommandException e) {
            throw new StartFailure(e, tail(files.complaints()));
        }
        return HostProcess.of(Long.parseLong(Files.readString(files.pid()).strip()));
    }

    /** A container did not start. */
    static final class StartFailure extends IOException {

        StartFailure(CommandException cause, String complaint) {
            super(cause.getMessage() + (complaint.isEmpty() ? "" : ": " + complaint), cause);
        }
    }

    /**
     * Runs the process of a file in a container that runs; at its end, what it has left behind goes on, and may hold what it
     * was given to read and to write.
     *
     * <p>The network namespace is the machine's, not that of the guest's user namespace. runc before 1.2 enters the latter
     * first, and may not enter the former then: so it begins in it, and is told of the others alone. crun enters what it can
     * first, but tells the kernel nothing of how soon such a process is killed: it has that of whoever begins it.
     *
     * @param first the first process of the container
     */
    Command exec(VmId id, ContainerFiles files, HostProcess first) throws IOException, WireException {
        List<String> arguments = List.of(
                "--log",
                files.complaints().toString(),
                "exec",
                "--process",
                files.process().toString(),
                id.value());
        Command command = program.equals(RUNC)
                ? command(withoutNetwork(id, files), arguments).inNetworkOf(first.pid())
                : command(state, arguments).adjusted(Bundle.KILLED_SOONER);
        return command.within(TASK);
    }

    /** A folder with what runc knows of a container, its network namespace excepted. Made once for each of its runs. */
    private Path withoutNetwork(VmId id, ContainerFiles files) throws IOException, WireException {
        Path known = state.resolve(id.value()).resolve(RUNC_STATE);
        Path copy = files.runtimeState().resolve(id.value()).resolve(RUNC_STATE);
        if (!Files.exists(copy) || Files.getLastModifiedTime(copy).compareTo(Files.getLastModifiedTime(known)) <= 0) {
            JsonNode told = Lines.parse(Files.readString(known));
            if (told.path("namespace_paths") instanceof ObjectNode paths) {
                paths.remove(NETWORK);
            }
            if (told.path("config").path("namespaces") instanceof ArrayNode namespaces) {
                namespaces.removeIf(one -> one.path("type").asText().equals(NETWORK));
            }
            Files.createDirectories(copy.getParent());
            PrivateFiles.writeUntilBoot(copy, told.toString());
        }
        return files.runtimeState();
    }

    /** Sends a signal to a container's first process. */
    void kill(VmId id, String signal) throws CommandException, InterruptedException {
        command(List.of("kill", id.value(), signal)).run();
    }

    /** Kills what is left of a container, and forgets it. One that is unknown is no error. */
    void delete(VmId id) throws CommandException, InterruptedException {
        if (Files.exists(state.resolve(id.value()))) {
            command(List.of("delete", "--force", id.value())).run();
        }
    }

    /** The containers that are known, with the number of the first process of each, 0 for one that was not started. */
    Map<String, Long> list() throws CommandException, IOException, InterruptedException {
        Map<String, Long> all = new TreeMap<>();
        if (!Files.isDirectory(state)) {
            return all;
        }
        String text = command(List.of("list", "--format", "json")).run().strip();
        try {
            if (!text.isEmpty() && !"null".equals(text)) {
                for (JsonNode container : Lines.parse("{\"all\":" + text + "}").path("all")) {
                    boolean started = !"created".equals(container.path("status").asText());
                    all.put(
                            container.path("id").asText(),
                            started ? container.path("pid").asLong() : 0L);
                }
            }
            return all;
        } catch (WireException e) {
            throw new IOException(program + " list: " + e.getMessage(), e);
        }
    }

    private Command command(List<String> arguments) {
        return command(state, arguments);
    }

    /**
     * crun refuses a hybrid layout of control groups in which version 2 has controllers. What limits guests is in version 1
     * there, so it is shown none of version 2, which it then uses as any other hierarchy.
     */
    private Command command(Path root, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of(program, "--root", root.toString()));
        all.addAll(arguments);
        Command command = Command.of(all);
        return program.equals(CRUN) && secondControllers != null ? command.emptying(secondControllers) : command;
    }

    private static String tail(Path file) throws IOException {
        if (!Files.exists(file)) {
            return "";
        }
        try (RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r")) {
            reader.seek(Math.max(0, reader.length() - LONGEST_COMPLAINT));
            byte[] bytes = new byte[(int) Math.min(LONGEST_COMPLAINT, reader.length())];
            reader.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8).strip().replace('\n', ' ');
        }
    }
}
