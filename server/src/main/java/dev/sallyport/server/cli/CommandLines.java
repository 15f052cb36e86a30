package dev.sallyport.server.cli;

import dev.sallyport.core.Subcommand;
import dev.sallyport.server.Failure;
import dev.sallyport.server.run.ProgramRun;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;

/** Parses command lines and runs their commands. */
public final class CommandLines {

    private static final String RUN = "run";

    static final Set<String> CONFIG = Set.of("-config", "--config", "-c");

    private CommandLines() {}

    /**
     * Runs a command to its end and returns its {@link ExitCode}. The commands that run the proxy are parsed without
     * picocli, whose classes are compiled for Java 5 and so cannot be archived: it would add a fifth to the start-up
     * time. This class does not refer to picocli's classes either, because the JVM would load them for verification.
     */
    public static int run(String... arguments) {
        boolean program = arguments.length > 0 && arguments[0].equals(RUN);
        if (program || (arguments.length == 2 && CONFIG.contains(arguments[0]))) {
            try {
                return program
                        ? ProgramRun.run(Arrays.asList(arguments).subList(1, arguments.length))
                        : ProxyRun.run(Path.of(arguments[1]));
            } catch (Failure | InterruptedException | RuntimeException | LinkageError | AssertionError e) {
                return ProblemPrinter.report(e, new PrintWriter(System.err, true, StandardCharsets.UTF_8));
            }
        }
        try {
            Subcommand other = arguments.length == 0 ? null : Subcommands.named(arguments[0]);
            return other == null ? Tool.commandLine().execute(arguments) : Subcommands.run(other, arguments);
        } catch (LinkageError | AssertionError e) {
            return ProblemPrinter.report(e, new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        }
    }
}
