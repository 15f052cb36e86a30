package dev.sallyport.ctl;

import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line, from its arguments to its exit code. */
final class CtlProgram {

    private static final int WIDTH = 100;

    /** By name, in the order of the help. */
    private static final Map<String, Function<Ctl, Object>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("login", LoginCommand::new);
        COMMANDS.put("logout", LogoutCommand::new);
        COMMANDS.put("whoami", WhoamiCommand::new);
        COMMANDS.put("policy", PolicyCommand::new);
        COMMANDS.put("proxy", ProxyCommand::new);
        COMMANDS.put("egress", EgressCommand::new);
        COMMANDS.put("rule", RuleCommand::new);
        COMMANDS.put("snapshot", SnapshotCommand::new);
        COMMANDS.put("agent", AgentCommand::new);
        COMMANDS.put("workload", WorkloadCommand::new);
        COMMANDS.put("secret", SecretCommand::new);
        COMMANDS.put("env", EnvCommand::new);
        COMMANDS.put("vm", VmCommand::new);
        COMMANDS.put("audit", AuditCommand::new);
        COMMANDS.put("key", KeyCommand::new);
        COMMANDS.put("apply", ApplyCommand::new);
        COMMANDS.put("diff", DiffCommand::new);
    }

    private CtlProgram() {}

    /** Runs to the end. */
    static int run(List<String> arguments, Terminal terminal) throws InterruptedException {
        Ctl ctl = new Ctl(terminal);
        Interruption interruption = new Interruption();
        int code = commands(ctl, arguments)
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setUsageHelpWidth(WIDTH)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler((fault, all) -> misused(terminal, fault))
                .setExecutionExceptionHandler((fault, command, parsed) -> failed(terminal, fault, interruption))
                .execute(arguments.toArray(String[]::new));
        interruption.rethrow();
        return code;
    }

    /**
     * The command that the first argument names; all of them where it names none. Reading the options of all commands
     * is most of what a short run costs.
     */
    private static CommandLine commands(Ctl ctl, List<String> arguments) {
        CommandLine line = new CommandLine(ctl);
        String first = arguments.isEmpty() ? "" : arguments.getFirst();
        for (Map.Entry<String, Function<Ctl, Object>> each : COMMANDS.entrySet()) {
            if (COMMANDS.containsKey(first) && !each.getKey().equals(first)) {
                continue;
            }
            Object command = each.getValue().apply(ctl);
            CommandLine added = new CommandLine(command);
            line.addSubcommand(added);
            if (command instanceof VmCommand) {
                added.addSubcommand(new VmSshCommand(ctl)); // once vm has the options of all commands, to hand them on
            }
        }
        return line;
    }

    /** An interruption on its way through picocli. */
    private static final class Interruption {
        private boolean happened;

        void rethrow() throws InterruptedException {
            if (happened) {
                throw new InterruptedException();
            }
        }
    }

    private static int failed(Terminal terminal, Exception fault, Interruption interruption) {
        if (fault instanceof Problem problem) {
            terminal.report(problem);
            return problem.exitCode();
        }
        if (fault instanceof InterruptedException) {
            interruption.happened = true;
            return ExitCode.REFUSED;
        }
        throw fault instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(fault);
    }

    private static int misused(Terminal terminal, ParameterException fault) {
        String name = fault.getCommandLine().getCommandSpec().qualifiedName();
        terminal.report(Problem.usage(words(fault) + " (expected: see " + name + " --help)"));
        return ExitCode.USAGE;
    }

    private static String words(ParameterException fault) {
        if (fault instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            return (first.startsWith("-") ? "unknown option " : "unexpected argument ") + first;
        }
        String message = String.valueOf(fault.getMessage())
                .lines()
                .findFirst()
                .orElse("wrong usage")
                .strip();
        return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }
}
