package dev.sallyport.compare;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The load harness's command line. */
@Command(
        name = "run",
        description = "Compares whole proxies under load.",
        subcommands = {
            RunCommand.class,
            ReportCommand.class,
            ListCommand.class,
            ProfileCommand.class,
            JmhCommand.class,
            HelpCommand.class
        })
public final class Main {

    private static final int WIDTH = 110;

    private Main() {}

    public static void main(String... arguments) {
        CommandLine commands = new CommandLine(new Main())
                .setUsageHelpWidth(WIDTH)
                .setExecutionExceptionHandler((fault, command, parsed) -> {
                    if (fault instanceof java.io.IOException || fault instanceof IllegalArgumentException) {
                        command.getErr().println("compare: " + fault.getMessage());
                        return 1;
                    }
                    throw fault;
                });
        System.exit(commands.execute(arguments));
    }
}
