package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/** Reads command lines and runs what they ask for. */
public final class CommandLines {

    static final Set<String> CONFIG = Set.of("-config", "--config", "-c");

    private CommandLines() {}

    /**
     * Runs a command to its end and returns its {@link ExitCode}. The one that runs the proxy is read without picocli,
     * whose classes of Java 5 no archive of loaded classes takes: it would add a fifth to the start. Nor does this class name
     * one of them: the JVM would load it to verify.
     */
    public static int run(String... arguments) {
        if (arguments.length == 2 && CONFIG.contains(arguments[0])) {
            try {
                return ProxyRun.run(Path.of(arguments[1]));
            } catch (Failure | InterruptedException | RuntimeException | LinkageError | AssertionError e) {
                return Complaints.about(e, new PrintWriter(System.err, true, StandardCharsets.UTF_8));
            }
        }
        try {
            return Tool.commandLine().execute(arguments);
        } catch (LinkageError | AssertionError e) {
            return Complaints.about(e, new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        }
    }
}
