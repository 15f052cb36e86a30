package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.learn.Learning;
import dev.sallyport.server.plugin.Plugins;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sallyport learn FILE...}: an allowlist from recorded traffic. */
@Command(
        name = "learn",
        description = "Write the smallest readable allowlist that lets the traffic of audit logs through.",
        footerHeading = "%n",
        footer = {
            "Writes YAML to standard output, or a unified diff of the configuration, for patch. What was left out",
            "and why is said in its comments and on standard error."
        })
final class LearnCommand implements Callable<Integer> {

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Audit logs; - is standard input.")
    List<String> files = new ArrayList<>();

    @Option(
            names = {"-c", "-config", "--config"},
            paramLabel = "FILE",
            description = "Write a diff against this configuration.")
    @Nullable Path config;

    @Option(names = "--include-refused", description = "Also let through what an allowlist refused.")
    boolean includeRefused;

    @Option(names = "--prune", description = "Remove entries of the configuration that no request needs.")
    boolean prune;

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure {
        if (prune && config == null) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--prune needs a configuration to prune");
        }
        files = AuditInput.named(files, Objects.requireNonNull(spec).commandLine());
        try (Plugins plugins = Home.loadPlugins()) {
            Learning learning = new Learning(files, includeRefused, prune, plugins.catalog(), System.getenv());
            Learning.Result result = config == null ? learning.policy(System.in) : learning.diff(config, System.in);
            PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
            if (!result.policy().isEmpty()) { // patch takes nothing for no change, but comments alone for garbage
                result.notes().forEach(note -> out.print("# " + note.replace('\n', ' ') + "\n"));
                result.policy().forEach(line -> out.print(line + "\n"));
            }
            out.flush();
            PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
            result.notes().forEach(note -> ProblemPrinter.line(err, note));
            return ExitCode.OK;
        }
    }
}
