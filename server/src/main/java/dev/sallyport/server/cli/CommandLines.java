package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reads command lines and runs what they ask for. */
public final class CommandLines {

    private static final Set<String> CONFIG = Set.of("-config", "--config", "-c");
    private static final int WIDTH = 100;

    private CommandLines() {}

    /**
     * Runs a command to its end and returns its {@link ExitCode}. The one that runs the proxy is read without picocli,
     * whose classes of Java 5 no archive of loaded classes takes: it would add a fifth to the start.
     */
    public static int run(String... arguments) {
        if (arguments.length == 2 && CONFIG.contains(arguments[0])) {
            try {
                return RunCommand.run(Path.of(arguments[1]));
            } catch (Failure | InterruptedException | RuntimeException e) {
                return Complaints.about(e, new PrintWriter(System.err, true, StandardCharsets.UTF_8));
            }
        }
        return tool().execute(arguments);
    }

    static CommandLine tool() {
        return new CommandLine(new RunCommand())
                .setUsageHelpWidth(WIDTH)
                .setExitCodeExceptionMapper(fault -> ExitCode.PROBLEM)
                .setParameterExceptionHandler((fault, arguments) -> misused(fault))
                .setExecutionExceptionHandler((fault, command, parsed) -> Complaints.about(fault, command.getErr()));
    }

    private static int misused(ParameterException fault) {
        CommandLine command = fault.getCommandLine();
        Complaints.line(command.getErr(), problem(fault) + " (expected: " + remedy(fault) + ")");
        return ExitCode.USAGE;
    }

    private static String problem(ParameterException fault) {
        String message = String.valueOf(fault.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .strip();
        if (fault instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            return (unmatched.isUnknownOption() ? "unknown option " : "unknown command ") + first;
        }
        String plain = message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
        return plain.isEmpty() ? "wrong usage" : plain.substring(0, 1).toLowerCase(Locale.ROOT) + plain.substring(1);
    }

    private static String remedy(ParameterException fault) {
        if (fault instanceof UnmatchedArgumentException unmatched) {
            List<String> similar = unmatched.getSuggestions();
            if (!similar.isEmpty()) {
                return similar.getFirst() + "?";
            }
        }
        return "see " + fault.getCommandLine().getCommandSpec().qualifiedName() + " --help";
    }
}
