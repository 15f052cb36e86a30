package dev.sallyport.control;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The configuration of the control plane that a command is about. */
final class ConfigFile {

    @Option(
            names = {"-c", "-config", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The configuration.")
    private @Nullable Path path;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    Path path() {
        return Objects.requireNonNull(path, "-config");
    }
}
