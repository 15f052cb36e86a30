package dev.sallyport.server.archive;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log so far of a proxy that was started as a process: whether it is ready, its ports, its complaints.
 *
 * @param lines the complete lines, in order
 */
record StartLog(List<String> lines) {

    private static final String READY = "INFO  Server: ready after ";
    private static final Pattern LISTENING = Pattern.compile("listening on \\S*:(\\d+) \\(([a-z._]+)\\)$");
    private static final Pattern CONTROL = Pattern.compile("control plane at (http://\\S+)$");
    private static final Pattern FROM_JVM =
            Pattern.compile("(Picked up |OpenJDK .* warning:|Java HotSpot.* warning:|\\[\\d+[.,]\\d+s]).*");
    private static final Pattern INFORMATION = Pattern.compile("\\S+Z INFO  .*");

    /** @param text the whole log; a last line without a line break is still being written and is ignored */
    static StartLog of(String text) {
        return new StartLog(
                text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
    }

    boolean ready() {
        return lines.stream().anyMatch(line -> line.contains(READY));
    }

    /** The port of a listener by its key in the configuration. */
    int port(String listener) throws IOException {
        for (String line : lines) {
            Matcher listening = LISTENING.matcher(line);
            if (listening.find() && listening.group(2).equals(listener)) {
                return Integer.parseInt(listening.group(1));
            }
        }
        throw new IOException("the proxy did not log where " + listener + " is");
    }

    /** The address of the control plane. */
    String controlPlane() throws IOException {
        for (String line : lines) {
            Matcher control = CONTROL.matcher(line);
            if (control.find()) {
                return control.group(1);
            }
        }
        throw new IOException("the proxy did not log where its control plane is");
    }

    /** The first line that reports a problem: neither a remark of the JVM nor an ordinary line of the proxy. */
    String complaint() {
        return lines.stream()
                .filter(line -> !line.isBlank())
                .filter(line -> !FROM_JVM.matcher(line).matches())
                .filter(line -> !INFORMATION.matcher(line).matches())
                .findFirst()
                .orElse(lines.isEmpty() ? "it logged nothing" : lines.get(lines.size() - 1));
    }
}
