package dev.sallyport.server.run;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The environment that the caller gave, with the values of secrets. The launcher passes those through a pipe and leaves
 * them out of the environment of this process, in which others could read them.
 */
final class RunEnvironment {

    /** Names the pipe: {@code NAME=value}, the end of a line and a NUL for each, and another NUL at the end. */
    private static final String PIPE = "sallyport.secrets";

    /** Variables that the launcher changes for this JVM; a property has what they were, empty for unset. */
    private static final List<String> CHANGED = List.of("JAVA_HOME", "LC_ALL", "MALLOC_ARENA_MAX", "_JAVA_SR_SIGNUM");

    private static final String BEFORE = "sallyport.before.";

    private RunEnvironment() {}

    /** Reads it; once, since the pipe is empty then. */
    static Map<String, String> read() throws IOException {
        Map<String, String> variables = new HashMap<>(System.getenv());
        for (String name : CHANGED) {
            String before = System.getProperty(BEFORE + name);
            if (before != null && before.isEmpty()) {
                variables.remove(name);
            } else if (before != null) {
                variables.put(name, before);
            }
        }
        String pipe = System.getProperty(PIPE);
        if (pipe != null) {
            try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(pipe)))) {
                values(in, variables);
            }
        }
        return variables;
    }

    /** Nobody closes the other end, which is this process's too. */
    static void values(InputStream in, Map<String, String> variables) throws IOException {
        ByteArrayOutputStream entry = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next != 0) {
                entry.write(next);
                continue;
            }
            if (entry.size() == 0) {
                return;
            }
            String text = entry.toString(StandardCharsets.UTF_8);
            int equals = text.indexOf('=');
            variables.put(text.substring(0, equals), text.substring(equals + 1, text.length() - 1));
            entry.reset();
        }
        throw new IOException("the values of secrets are cut short");
    }
}
