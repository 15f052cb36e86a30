package dev.sallyport.compare.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs other programs to their end. */
public final class Commands {

    private Commands() {}

    /**
     * Runs a command of the shell and returns what it printed, both streams together.
     *
     * @throws IOException if it fails or takes too long; with what it printed
     */
    public static String shell(String command, Map<String, String> environment, long seconds)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Path output = Files.createTempFile("compare", ".out");
        try {
            Process process = builder.redirectInput(new java.io.File("/dev/null"))
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            String text = Files.readString(output, StandardCharsets.ISO_8859_1);
            if (!ended || process.exitValue() != 0) {
                String how = ended ? "exit code " + process.exitValue() : "not ended after " + seconds + " s";
                throw new IOException(command + ": " + how + ": " + text.strip());
            }
            return text;
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Where a command is on the PATH; a path stands for itself. Null if it is not there. */
    public static @Nullable Path find(String command) {
        if (command.contains("/")) {
            Path path = Path.of(command);
            return Files.exists(path) ? path : null;
        }
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin";
        for (String folder : List.of(path.split(":", -1))) {
            Path file = Path.of(folder.isEmpty() ? "." : folder, command);
            if (Files.isExecutable(file)) {
                return file;
            }
        }
        return null;
    }
}
