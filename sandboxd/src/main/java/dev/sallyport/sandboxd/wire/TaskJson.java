package dev.sallyport.sandboxd.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeMap;

/** Tasks and reports on them as JSON, and back. What is read is checked as strictly as if a stranger had written it. */
public final class TaskJson {

    private static final Set<String> TASK = Set.of("command", "files", "input", "limit_seconds");
    private static final Set<String> REPORT = Set.of("state", "code", "offset", "output");

    private TaskJson() {}

    /** A task. */
    public static ObjectNode task(GuestTask task) {
        ObjectNode node = Lines.object()
                .put("input", task.input())
                .put("limit_seconds", task.limit().toSeconds());
        node.set("command", VmJson.texts(task.command()));
        ObjectNode files = node.putObject("files");
        new TreeMap<>(task.files()).forEach(files::put);
        return node;
    }

    /** A task, back. */
    public static GuestTask task(JsonNode node) throws WireException {
        Members members = Members.of(node, TASK);
        try {
            return new GuestTask(
                    VmJson.texts(members.node("command")),
                    members.texts("files"),
                    members.node("input").isNull() ? null : members.text("input"),
                    Duration.ofSeconds(members.number("limit_seconds")));
        } catch (IllegalArgumentException e) {
            throw new WireException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The name of a task, in member {@code task}. */
    public static TaskName name(Members request) throws WireException {
        try {
            return new TaskName(request.text("task"));
        } catch (IllegalArgumentException e) {
            throw new WireException(String.valueOf(e.getMessage()), e);
        }
    }

    /** A report. */
    public static ObjectNode report(TaskReport report) {
        ObjectNode node = Lines.object().put("offset", report.offset()).put("output", report.output());
        return switch (report.state()) {
            case TaskReport.State.Absent absent -> node.put("state", "absent").putNull("code");
            case TaskReport.State.Running running ->
                node.put("state", "running").putNull("code");
            case TaskReport.State.Ended ended -> node.put("state", "ended").put("code", ended.code());
        };
    }

    /** A report, back. */
    public static TaskReport report(JsonNode node) throws WireException {
        Members members = Members.of(node, REPORT);
        return new TaskReport(state(members), members.number("offset"), bytes(members));
    }

    private static TaskReport.State state(Members members) throws WireException {
        return switch (members.text("state")) {
            case "absent" -> new TaskReport.State.Absent();
            case "running" -> new TaskReport.State.Running();
            case "ended" -> new TaskReport.State.Ended(members.small("code"));
            default -> throw new WireException("unknown state of a task (expected: absent, running or ended)");
        };
    }

    private static byte[] bytes(Members members) throws WireException {
        members.text("output");
        try {
            return members.node("output").binaryValue();
        } catch (IOException e) {
            throw new WireException("'output' is no base64", e);
        }
    }
}
