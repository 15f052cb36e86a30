package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reads command lines and runs what they ask for. */
public final class CommandLines {

    private static final Logger LOG = LoggerFactory.getLogger(CommandLines.class);
    private static final int WIDTH = 100;

    private CommandLines() {}

    /** Runs a command to its end and returns its {@link ExitCode}. */
    public static int run(String... arguments) {
        return tool().execute(arguments);
    }

    static CommandLine tool() {
        return new CommandLine(new RunCommand())
                .setUsageHelpWidth(WIDTH)
                .setExitCodeExceptionMapper(fault -> ExitCode.PROBLEM)
                .setParameterExceptionHandler((fault, arguments) -> misused(fault))
                .setExecutionExceptionHandler((fault, command, parsed) -> failed(fault, command.getErr()));
    }

    private static int misused(ParameterException fault) {
        CommandLine command = fault.getCommandLine();
        complain(command.getErr(), problem(fault) + " (expected: " + remedy(fault) + ")");
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

    private static int failed(Exception fault, PrintWriter err) {
        if (fault instanceof Failure failure) {
            failure.problems().forEach(problem -> complain(err, problem));
        } else if (fault instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            complain(err, "interrupted");
        } else {
            complain(err, "a fault in Sallyport itself: " + fault);
            LOG.debug("the fault", fault);
        }
        return ExitCode.PROBLEM;
    }

    private static void complain(PrintWriter err, String problem) {
        err.println("sallyport: " + problem.replace('\n', ' ').replace('\r', ' '));
        err.flush();
    }
}
