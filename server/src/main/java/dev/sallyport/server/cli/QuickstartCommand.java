package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.quickstart.QuickstartRun;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport quickstart}. */
@Command(
        name = "quickstart",
        description = "Run a proxy and a demo API on this machine, and show what to try with them.",
        footerHeading = "%n",
        footer = {
            "Everything listens on loopback, on unprivileged ports. The folder holds a CA, made on first use,",
            "and a configuration that you may change."
        })
final class QuickstartCommand implements Callable<Integer> {

    @Option(
            names = "--check",
            description = "Try everything, report the results and exit: with 0 when all succeeded, otherwise with 1.")
    boolean check;

    @Option(names = "--json", description = "Show raw audit records, on standard output.")
    boolean json;

    @Option(
            names = "--dir",
            paramLabel = "FOLDER",
            description = "Where files are kept (.sallyport/quickstart, or .sallyport/quickstart-check).")
    @Nullable Path folder;

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException {
        if (check && json) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--check and --json exclude each other");
        }
        if (check) {
            return QuickstartRun.check(folder) ? ExitCode.OK : ExitCode.PROBLEM;
        }
        QuickstartRun.show(folder, json);
        return ExitCode.OK;
    }
}
