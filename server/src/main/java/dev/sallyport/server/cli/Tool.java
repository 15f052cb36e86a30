package dev.sallyport.server.cli;

import java.io.File;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line as picocli reads it, with all its commands. */
final class Tool {

    private static final int WIDTH = 100;

    private Tool() {}

    static CommandLine commandLine() {
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
            if (isFile(first)) {
                return first + " is no command, but looks like a configuration";
            }
            return (unmatched.isUnknownOption() ? "unknown option " : "unknown command ") + first;
        }
        String plain = message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
        return plain.isEmpty() ? "wrong usage" : plain.substring(0, 1).toLowerCase(Locale.ROOT) + plain.substring(1);
    }

    private static String remedy(ParameterException fault) {
        if (fault instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            if (isFile(first)) {
                return fault.getCommandLine().getCommandSpec().qualifiedName() + " -config " + first;
            }
            List<String> similar = unmatched.getSuggestions();
            if (!similar.isEmpty()) {
                return similar.getFirst() + "?";
            }
        }
        return "see " + fault.getCommandLine().getCommandSpec().qualifiedName() + " --help";
    }

    /** Whether someone has left out what says that this is the configuration. */
    private static boolean isFile(String argument) {
        String name = argument.toLowerCase(Locale.ROOT);
        return name.endsWith(".yaml")
                || name.endsWith(".yml")
                || name.endsWith(".json")
                || (!name.startsWith("-") && new File(argument).isFile());
    }
}
