package dev.sallyport.ctl;

import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line, from its arguments to its exit code. */
final class CtlProgram {

    private static final int WIDTH = 100;

    private CtlProgram() {}

    /** Runs to the end. */
    static int run(List<String> arguments, Terminal terminal) throws InterruptedException {
        Ctl ctl = new Ctl(terminal);
        Interruption interruption = new Interruption();
        CommandLine vm = new CommandLine(new VmCommand(ctl));
        CommandLine line = new CommandLine(ctl)
                .addSubcommand(new LoginCommand(ctl))
                .addSubcommand(new LogoutCommand(ctl))
                .addSubcommand(new WhoamiCommand(ctl))
                .addSubcommand(new PolicyCommand(ctl))
                .addSubcommand(new ProxyCommand(ctl))
                .addSubcommand(new EgressCommand(ctl))
                .addSubcommand(new RuleCommand(ctl))
                .addSubcommand(new SnapshotCommand(ctl))
                .addSubcommand(new AgentCommand(ctl))
                .addSubcommand(new WorkloadCommand(ctl))
                .addSubcommand(new SecretCommand(ctl))
                .addSubcommand(new EnvCommand(ctl))
                .addSubcommand(vm)
                .addSubcommand(new AuditCommand(ctl))
                .addSubcommand(new KeyCommand(ctl))
                .addSubcommand(new ApplyCommand(ctl))
                .addSubcommand(new DiffCommand(ctl));
        vm.addSubcommand(new VmSshCommand(ctl)); // once vm has the options of all commands, to hand them on
        int code = line.setOut(terminal.out())
                .setErr(terminal.err())
                .setUsageHelpWidth(WIDTH)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler((fault, all) -> misused(terminal, fault))
                .setExecutionExceptionHandler((fault, command, parsed) -> failed(terminal, fault, interruption))
                .execute(arguments.toArray(String[]::new));
        interruption.rethrow();
        return code;
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
