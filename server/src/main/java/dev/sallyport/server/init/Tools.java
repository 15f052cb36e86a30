package dev.sallyport.server.init;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs tools of this machine. Blocks, each time for {@value #SECONDS} seconds at most.
 *
 * @param environment of the tools, such as {@link System#getenv()}
 * @param folder that they run in
 */
record Tools(Map<String, String> environment, Path folder) {

    private static final int SECONDS = 30;
    private static final int MAX_OUTPUT = 1 << 20;

    Tools {
        environment = Map.copyOf(environment);
    }

    /**
     * What a tool prints to standard output.
     *
     * @return null when there is no such tool, or it ends badly or not in time
     */
    @Nullable String ask(String... command) throws IOException, InterruptedException {
        Path tool = find(command[0]);
        if (tool == null) {
            return null;
        }
        Path output = Files.createTempFile("sallyport-init", ".txt");
        try {
            List<String> arguments = new ArrayList<>(List.of(command));
            arguments.set(0, tool.toString());
            ProcessBuilder builder = new ProcessBuilder(arguments)
                    .directory(folder.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear();
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                return null;
            }
            boolean usable = process.exitValue() == 0 && Files.size(output) <= MAX_OUTPUT;
            return usable ? new String(Files.readAllBytes(output), StandardCharsets.UTF_8) : null;
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Whether there is such a tool. */
    boolean has(String tool) {
        return find(tool) != null;
    }

    /** Where a tool stands, in a folder of the {@code PATH} that the tools have; null when there is no such tool. */
    private @Nullable Path find(String tool) {
        for (String place : environment.getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            Path file = Path.of(place).resolve(tool);
            if (!place.isEmpty() && Files.isRegularFile(file) && Files.isExecutable(file)) {
                return file;
            }
        }
        return null;
    }

    /** A folder below the home folder of the user. */
    Path home(String name) {
        return Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")))
                .resolve(name);
    }
}
