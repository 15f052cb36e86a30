package dev.sallyport.sandboxd.oci;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** crun or runc: both have the same commands. */
final class OciRuntime {

    private static final int LONGEST_COMPLAINT = 1000;

    private final String program;
    private final Path state;

    OciRuntime(String program, Path state) {
        this.program = program;
        this.state = state;
    }

    /** Makes a container, whose first process keeps the console open, and waits for {@link #start}. */
    HostProcess create(VmId id, VmFiles files) throws CommandException, IOException, InterruptedException {
        Path pidFile = files.home().resolve("pid");
        Files.deleteIfExists(pidFile);
        Files.deleteIfExists(files.complaints());
        try {
            command(List.of(
                            "--log",
                            files.complaints().toString(),
                            "create",
                            "--bundle",
                            files.home().toString(),
                            "--pid-file",
                            pidFile.toString(),
                            id.value()))
                    .appendingTo(files.console())
                    .run();
        } catch (CommandException e) {
            throw new StartFailure(e, tail(files.complaints()));
        }
        return HostProcess.of(Long.parseLong(Files.readString(pidFile).strip()));
    }

    /** Lets the first process of a container run its program. */
    void start(VmId id, VmFiles files) throws CommandException, IOException, InterruptedException {
        try {
            command(List.of("--log", files.complaints().toString(), "start", id.value()))
                    .run();
        } catch (CommandException e) {
            throw new StartFailure(e, tail(files.complaints()));
        }
    }

    /** A container did not start. */
    static final class StartFailure extends IOException {

        StartFailure(CommandException cause, String complaint) {
            super(cause.getMessage() + (complaint.isEmpty() ? "" : ": " + complaint), cause);
        }
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
        List<String> all = new ArrayList<>(List.of(program, "--root", state.toString()));
        all.addAll(arguments);
        return Command.of(all);
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
