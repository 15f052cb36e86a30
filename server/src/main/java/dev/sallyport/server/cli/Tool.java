package dev.sallyport.server.cli;

import dev.sallyport.core.Subcommand;
import java.io.File;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line as picocli reads it, with all its commands. */
final class Tool {

    private static final int WIDTH = 100;

    private Tool() {}

    static CommandLine commandLine() {
        CommandLine tool = new CommandLine(new RunCommand());
        Subcommands.all().forEach(other -> tool.addSubcommand(other.name(), listed(other)));
        return tool.setUsageHelpWidth(WIDTH)
                .setExitCodeExceptionMapper(fault -> ExitCode.PROBLEM)
                .setParameterExceptionHandler((fault, arguments) -> misused(fault, arguments))
                .setExecutionExceptionHandler(
                        (fault, command, parsed) -> ProblemPrinter.report(fault, command.getErr()));
    }

    /** For the list of commands and for suggestions: it is run without picocli. */
    private static CommandSpec listed(Subcommand other) {
        CommandSpec spec = CommandSpec.create();
        spec.usageMessage().description(other.summary());
        return spec;
    }

    private static int misused(ParameterException fault, String[] arguments) {
        CommandLine command = fault.getCommandLine();
        String stray = stray(fault, arguments);
        boolean file = !stray.isEmpty() && isFile(stray) && lacksConfiguration(command, arguments);
        String problem = stray.isEmpty() ? plain(fault) : unexpected(command, stray, file);
        if (stray.isEmpty() && problem.endsWith(")") && problem.contains(" (expected: ")) {
            ProblemPrinter.line(command.getErr(), problem);
            return ExitCode.USAGE;
        }
        String remedy = file ? name(command) + " -config " + stray : remedy(fault, stray);
        ProblemPrinter.line(command.getErr(), problem + " (expected: " + remedy + ")");
        return ExitCode.USAGE;
    }

    /** The superfluous argument; empty when something else is wrong. */
    private static String stray(ParameterException fault, String[] arguments) {
        if (fault instanceof UnmatchedArgumentException unmatched) {
            return unmatched.getUnmatched().getFirst();
        }
        // Without -config before a file, picocli first reports the missing option.
        return fault instanceof MissingParameterException && lacksConfiguration(fault.getCommandLine(), arguments)
                ? Arrays.stream(arguments).filter(Tool::isFile).findFirst().orElse("")
                : "";
    }

    private static String unexpected(CommandLine command, String stray, boolean file) {
        if (stray.startsWith("-")) {
            return "unknown option " + stray;
        }
        if (command.getParent() == null) {
            return file ? stray + " is not a command but looks like a configuration" : "unknown command " + stray;
        }
        return name(command) + " does not know what " + stray + " is";
    }

    private static String plain(ParameterException fault) {
        String message = String.valueOf(fault.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .strip();
        String plain = message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
        return plain.isEmpty() ? "wrong usage" : plain.substring(0, 1).toLowerCase(Locale.ROOT) + plain.substring(1);
    }

    private static String remedy(ParameterException fault, String stray) {
        if (fault instanceof UnmatchedArgumentException unmatched) {
            for (String similar : unmatched.getSuggestions()) {
                if (stray.charAt(0) == similar.charAt(0)) {
                    return similar + "?";
                }
            }
        }
        return "see " + name(fault.getCommandLine()) + " --help";
    }

    private static boolean lacksConfiguration(CommandLine command, String[] arguments) {
        return command.getCommandSpec().findOption("-config") != null
                && Arrays.stream(arguments).noneMatch(CommandLines.CONFIG::contains);
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    /** Whether -config is missing before a configuration. */
    private static boolean isFile(String argument) {
        String name = argument.toLowerCase(Locale.ROOT);
        return name.endsWith(".yaml")
                || name.endsWith(".yml")
                || name.endsWith(".json")
                || (!name.startsWith("-") && new File(argument).isFile());
    }
}
