package dev.sallyport.sandboxcli;

import dev.sallyport.core.Subcommand;
import dev.sallyport.core.SubcommandContext;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** {@code sallyport sandbox}: what the operator of a host of sandboxes does by hand. */
public final class SandboxCommand implements Subcommand {

    private static final int PROBLEM = 1;
    private static final int WRONG_USAGE = 2;

    /** For the service loader. */
    public SandboxCommand() {}

    @Override
    public String name() {
        return "sandbox";
    }

    @Override
    public String summary() {
        return "Build, list and remove the images of sandboxes, and the kernel of virtual machines.";
    }

    @Override
    public int run(List<String> arguments, SubcommandContext context) throws InterruptedException {
        boolean[] interrupted = new boolean[1];
        int code = new CommandLine(new Line())
                .addSubcommand(new CommandLine(new ImageCommand(context)))
                .addSubcommand(new CommandLine(new KernelCommand(context)))
                .setOut(context.out())
                .setErr(context.err())
                .setParameterExceptionHandler((fault, all) -> {
                    String message = String.valueOf(fault.getMessage())
                            .lines()
                            .findFirst()
                            .orElse("wrong usage");
                    context.err()
                            .println("sallyport: " + message.substring(0, 1).toLowerCase(Locale.ROOT)
                                    + message.substring(1)
                                    + (message.contains("(expected: ")
                                            ? ""
                                            : " (expected: see sallyport sandbox --help)"));
                    return WRONG_USAGE;
                })
                .setExecutionExceptionHandler((fault, command, parsed) -> {
                    interrupted[0] = fault instanceof InterruptedException;
                    context.err().println("sallyport: " + fault.getMessage());
                    return PROBLEM;
                })
                .execute(arguments.toArray(String[]::new));
        if (interrupted[0]) {
            throw new InterruptedException();
        }
        return code;
    }

    /** The command without a verb. */
    @Command(
            name = "sallyport sandbox",
            description =
                    "Build, list and remove the images of sandboxes, and make the kernel of virtual machines, as root on their host.",
            synopsisHeading = "Usage: ",
            synopsisSubcommandLabel = "COMMAND",
            subcommands = HelpCommand.class,
            mixinStandardHelpOptions = false)
    static final class Line {

        @CommandLine.Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Show this help.")
        boolean help;
    }
}
