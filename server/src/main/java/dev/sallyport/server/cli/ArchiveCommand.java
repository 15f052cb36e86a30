package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.archive.Training;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport archive}: makes starts with this JDK faster. */
@Command(
        name = "archive",
        description =
                "Run a proxy under a sample load and archive the classes that its JVM loaded and linked, for faster starts.",
        footerHeading = "%n",
        footer = {
            "The file is written to lib/ beside the jars. Every start of a proxy or a control plane with this JDK uses it.",
            "The distribution contains one for the JDK that built it. Everything listens on loopback, on free ports."
        })
final class ArchiveCommand implements Callable<Integer> {

    private static final int MAX_SECONDS = 600;
    private static final double MEBIBYTE = 1 << 20;

    @Option(
            names = "--seconds",
            defaultValue = "5",
            paramLabel = "N",
            description = "How long the load lasts (${DEFAULT-VALUE}).")
    int seconds;

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException, IOException {
        if (seconds < 1 || seconds > MAX_SECONDS) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--seconds must lie between 1 and " + MAX_SECONDS);
        }
        Training.Outcome outcome = Training.run(Duration.ofSeconds(seconds));
        System.out.printf(
                Locale.ROOT,
                "%s: %.0f MiB, after %,d requests%n",
                outcome.archive(),
                Files.size(outcome.archive()) / MEBIBYTE,
                outcome.requests());
        return ExitCode.OK;
    }
}
