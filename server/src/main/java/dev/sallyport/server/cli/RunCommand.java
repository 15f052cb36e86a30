package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport -config FILE}: runs the proxy until a signal stops it. */
@Command(
        name = "sallyport",
        description = "An egress proxy: default deny, credentials out of the workload's reach, everything audited.",
        synopsisHeading = "Usage: ",
        customSynopsis = {"sallyport -config FILE", "       sallyport COMMAND ..."},
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%n",
        footer = {
            "The audit log goes to standard output, or where log.audit says; ordinary logs go to standard error.",
            "SIGTERM and SIGINT drain and stop, SIGHUP reloads the configuration.",
            "Exit codes: 0 done, 1 a problem (one line each on standard error), 2 wrong usage."
        },
        mixinStandardHelpOptions = false,
        subcommands = {
            ArchiveCommand.class,
            AuditCommand.class,
            CheckCommand.class,
            DoctorCommand.class,
            ExplainCommand.class,
            GenerateCaCommand.class,
            InitCommand.class,
            LearnCommand.class,
            ProgramCommand.class,
            QuickstartCommand.class,
            ReplayCommand.class,
            SchemaCommand.class,
            VersionCommand.class
        })
final class RunCommand implements Callable<Integer> {

    @Option(
            names = {"-c", "-config", "--config"},
            paramLabel = "FILE",
            description = "Run with this configuration.")
    @Nullable Path config;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help; sallyport COMMAND --help shows that of a command.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            description = "Show the version.")
    boolean version;

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException {
        if (version) {
            return new VersionCommand().call();
        }
        if (config == null) {
            CommandLine self = Objects.requireNonNull(spec).commandLine();
            throw new ParameterException(self, "nothing to do");
        }
        return ProxyRun.run(config);
    }
}
