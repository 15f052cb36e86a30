package dev.sallyport.server.cli;

import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.LogSection;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.plugin.Plugins;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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

/** {@code sallyport audit hash -config FILE}. */
@Command(
        name = "hash",
        description = "Print the fingerprint of a secret as records carry it. Reads the value from standard input.",
        footerHeading = "%n",
        footer = {
            "One line feed at the end of the value is left out, unless --exact is given.",
            "  sallyport audit grep \"$(sallyport audit hash -config proxy.yaml < value)\" audit.jsonl"
        })
final class AuditHashCommand implements Callable<Integer> {

    @Option(
            names = {"-c", "-config", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The configuration of the proxy that wrote the records.")
    Path config = Path.of("");

    @Option(names = "--exact", description = "Keep a line feed at the end of the value.")
    boolean exact;

    @Parameters(hidden = true)
    List<String> arguments = List.of();

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure {
        if (!arguments.isEmpty()) { // Not to be repeated: it may be the secret.
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "the value is read from standard input, and never from an argument, which others could see");
        }
        AuditKey key = key(audit());
        byte[] value;
        try {
            value = System.in.readAllBytes();
        } catch (IOException e) {
            throw new Failure("standard input cannot be read: " + e.getMessage());
        }
        if (value.length == 0) {
            throw new Failure("standard input is empty (expected: the value of a secret)");
        }
        boolean ended = !exact && value.length > 0 && value[value.length - 1] == '\n';
        System.out.println(key.fingerprint(ended ? Arrays.copyOf(value, value.length - 1) : value));
        return ExitCode.OK;
    }

    private LogSection.Audit audit() throws Failure {
        try (Plugins plugins = Home.loadPlugins()) {
            return switch (ConfigLoader.load(config, System.getenv(), plugins.catalog())) {
                case ConfigResult.Loaded loaded -> loaded.config().log().audit();
                case ConfigResult.Invalid invalid ->
                    throw new Failure(invalid.problems().stream()
                            .map(ConfigProblem::toString)
                            .toList());
            };
        }
    }

    private AuditKey key(LogSection.Audit audit) throws Failure {
        Path file = audit.file();
        if (file == null) {
            throw new Failure(config + ": no audit file, so no key (expected: log.audit.file and log.audit.chain)");
        }
        Path key = file;
        try {
            key = AuditKey.place(
                    Files.exists(file) ? file.toRealPath() : file,
                    audit.checkpoint().keyFile());
            return AuditKey.load(key);
        } catch (IOException e) {
            throw new Failure(key + ": " + AuditInput.reason(key, e)
                    + " (expected: the key that a proxy with log.audit.chain makes)");
        }
    }
}
