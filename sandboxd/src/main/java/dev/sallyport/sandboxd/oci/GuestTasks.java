package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tasks of a guest that runs. All that is done is done inside it, by its own shell and with its own rights, so that
 * nothing is read or written along a path of the guest's. The caller lets one thread at a time work on a guest.
 */
final class GuestTasks {

    /** The most output of a report, in bytes. */
    static final int LARGEST_PART = 128 * 1024;

    private static final String SCRIPT = script();

    /** What the script says before the output; so much longer than it is that a guest's nonsense fits as well. */
    private static final int LONGEST_HEAD = 128;

    private static final Pattern HEAD = Pattern.compile("(absent|running|ended ([0-9]{1,3})) ([0-9]{1,18})");

    private final VmId id;
    private final VmFiles files;
    private final OciRuntime runtime;
    private final HostProcess first;

    GuestTasks(VmId id, VmFiles files, OciRuntime runtime, HostProcess first) {
        this.id = id;
        this.files = files;
        this.runtime = runtime;
        this.first = first;
    }

    private static String script() {
        try (InputStream stream = GuestTasks.class.getResourceAsStream("task.sh")) {
            if (stream == null) {
                throw new IllegalStateException("task.sh is no part of this program");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void start(TaskName name, GuestTask task)
            throws IOException, WireException, CommandException, InterruptedException {
        String input = task.input();
        List<String> arguments = new ArrayList<>(
                List.of("start", name.value(), Long.toString(task.limit().toSeconds()), input == null ? "" : input));
        arguments.addAll(task.command());
        run(arguments, stream -> {
                    for (Map.Entry<String, String> file : new TreeMap<>(task.files()).entrySet()) {
                        byte[] bytes = file.getValue().getBytes(StandardCharsets.UTF_8);
                        stream.write((file.getKey() + " " + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
                        stream.write(bytes);
                    }
                    stream.write(".\n".getBytes(StandardCharsets.UTF_8));
                })
                .run();
    }

    TaskReport report(TaskName name, long offset)
            throws IOException, WireException, CommandException, InterruptedException {
        List<String> arguments = List.of("report", name.value(), Long.toString(offset), Integer.toString(LARGEST_PART));
        return parse(run(arguments, stream -> {}).run(GuestTasks::beginning));
    }

    private Command run(List<String> arguments, Command.Input input) throws IOException, WireException {
        List<String> all = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sallyport-task"));
        all.addAll(arguments);
        PrivateFiles.write(files.process(), Bundle.task(all));
        return runtime.exec(id, files, first).reading(input);
    }

    /** Reads to the end, so that the guest's shell ends, and keeps what a report can be. */
    private static byte[] beginning(InputStream stream) throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
            kept.write(buffer, 0, Math.min(read, LONGEST_HEAD + LARGEST_PART - kept.size()));
        }
        return kept.toByteArray();
    }

    /** Reads what a guest says of a task. */
    static TaskReport parse(byte[] said) throws WireException {
        int end = 0;
        while (end < said.length && end < LONGEST_HEAD && said[end] != '\n') {
            end++;
        }
        Matcher head = HEAD.matcher(new String(said, 0, end, StandardCharsets.ISO_8859_1));
        if (end == said.length || !head.matches()) {
            throw new WireException("the guest does not say how far its task is");
        }
        String code = head.group(2);
        TaskReport.State state = code != null
                ? new TaskReport.State.Ended(Integer.parseInt(code))
                : head.group(1).equals("running") ? new TaskReport.State.Running() : new TaskReport.State.Absent();
        byte[] output = new byte[Math.min(said.length - end - 1, LARGEST_PART)];
        System.arraycopy(said, end + 1, output, 0, output.length);
        return new TaskReport(state, Long.parseLong(head.group(3)), output);
    }
}
