package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
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

    private static final String SCRIPT = Scripts.named("task.sh");

    /** What the script says before the output; so much longer than it is that a guest's nonsense fits as well. */
    private static final int LONGEST_HEAD = 128;

    private static final Pattern HEAD = Pattern.compile("(absent|running|ended ([0-9]{1,3})) ([0-9]{1,18})");

    private final GuestShell shell;

    GuestTasks(GuestShell shell) {
        this.shell = shell;
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
        });
    }

    TaskReport report(TaskName name, long offset)
            throws IOException, WireException, CommandException, InterruptedException {
        List<String> arguments = List.of("report", name.value(), Long.toString(offset), Integer.toString(LARGEST_PART));
        return parse(run(arguments, stream -> {}));
    }

    private byte[] run(List<String> arguments, Command.Input input)
            throws IOException, WireException, CommandException, InterruptedException {
        return shell.run(SCRIPT, arguments, input, LONGEST_HEAD + LARGEST_PART);
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
