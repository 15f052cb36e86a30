package dev.sallyport.server.archive;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a proxy that was started as a process has written to its log so far: whether it is ready, on which ports it listens,
 * and what it complains of.
 *
 * @param lines those that are complete, the first first
 */
record StartLog(List<String> lines) {

    private static final String READY = "INFO  Server: ready after ";
    private static final Pattern LISTENING = Pattern.compile("listening on \\S*:(\\d+) \\(([a-z._]+)\\)$");
    private static final Pattern FROM_JVM =
            Pattern.compile("(Picked up |OpenJDK .* warning:|Java HotSpot.* warning:|\\[\\d+[.,]\\d+s]).*");
    private static final Pattern INFORMATION = Pattern.compile("\\S+Z INFO  .*");

    /** @param text all of it; a last line without its end is still being written, and left out */
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
        throw new IOException("the proxy did not say where " + listener + " is");
    }

    /** The first line that tells of something wrong: neither the JVM's remarks nor what the proxy says when all is well. */
    String complaint() {
        return lines.stream()
                .filter(line -> !line.isBlank())
                .filter(line -> !FROM_JVM.matcher(line).matches())
                .filter(line -> !INFORMATION.matcher(line).matches())
                .findFirst()
                .orElse(lines.isEmpty() ? "it said nothing" : lines.get(lines.size() - 1));
    }
}
