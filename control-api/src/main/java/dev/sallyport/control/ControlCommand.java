package dev.sallyport.control;

import dev.sallyport.core.Subcommand;
import dev.sallyport.core.SubcommandContext;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;

/** {@code sallyport control}: runs the control plane alone, and administers one. */
public final class ControlCommand implements Subcommand {

    private static final int WRONG_USAGE = 2;
    private static final int PROBLEM = 1;

    /** For the service loader. */
    public ControlCommand() {}

    @Override
    public String name() {
        return "control";
    }

    @Override
    public String summary() {
        return "Run the control plane alone, or administer it: users, keys, shared proxies, backup, restore, rotate-key.";
    }

    @Override
    public int run(List<String> arguments, SubcommandContext context) {
        return new CommandLine(new ControlCommandLine(context))
                .setOut(context.out())
                .setErr(context.err())
                .setParameterExceptionHandler((fault, all) -> {
                    String message = String.valueOf(fault.getMessage())
                            .lines()
                            .findFirst()
                            .orElse("wrong usage");
                    context.err()
                            .println("sallyport: " + message.substring(0, 1).toLowerCase(Locale.ROOT)
                                    + message.substring(1) + " (expected: see sallyport control --help)");
                    return WRONG_USAGE;
                })
                .setExecutionExceptionHandler((fault, command, parsed) -> {
                    if (fault instanceof InterruptedException) {
                        Thread.currentThread().interrupt();
                    }
                    context.err().println("sallyport: " + fault.getMessage());
                    return PROBLEM;
                })
                .execute(arguments.toArray(String[]::new));
    }
}
