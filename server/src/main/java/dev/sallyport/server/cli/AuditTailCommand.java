package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.audit.AuditFollower;
import dev.sallyport.server.audit.AuditPrinter;
import dev.sallyport.server.terminal.Palette;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sallyport audit tail [FILE...]}. */
@Command(
        name = "tail",
        description = "Show the newest records, then new ones as they are written, until interrupted.",
        footerHeading = "%n",
        footer = {
            "Goes on with the next file when one is rotated. Without a file, records are read from standard input:",
            "  sallyport -config proxy.yaml | sallyport audit tail"
        })
final class AuditTailCommand implements Callable<Integer> {

    private static final long PAUSE_MILLIS = 200;

    @Option(
            names = "-n",
            defaultValue = "10",
            paramLabel = "N",
            description = "How many records to show first (${DEFAULT-VALUE}).")
    int count;

    @Option(names = "--no-follow", description = "Do not wait for new records.")
    boolean ends;

    @Option(names = "--json", description = "Print the records as they stand in the file.")
    boolean raw;

    @Parameters(paramLabel = "FILE", description = "Audit files.")
    List<Path> files = List.of();

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException {
        if (count < 0) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "-n must not be negative");
        }
        List<Path> records =
                AuditInput.records(files, Objects.requireNonNull(spec).commandLine());
        AuditPrinter printer = new AuditPrinter(Palette.ofThisTerminal(), ZoneId.systemDefault());
        PrintStream out = AuditInput.out();
        Consumer<String> show = line -> {
            out.println(raw ? line : printer.dated(line));
            out.flush();
        };
        if (records.isEmpty()) {
            AuditInput.lines(records, show);
        } else {
            follow(records, show);
        }
        return ExitCode.OK;
    }

    private void follow(List<Path> records, Consumer<String> show) throws Failure, InterruptedException {
        List<AuditFollower> followers = new ArrayList<>();
        Path at = records.getFirst();
        try {
            for (Path file : records) {
                at = file;
                AuditFollower follower = new AuditFollower(file, count, show);
                followers.add(follower);
                follower.poll();
            }
            while (!ends) {
                Thread.sleep(PAUSE_MILLIS);
                for (int i = 0; i < followers.size(); i++) {
                    at = records.get(i);
                    followers.get(i).poll();
                }
            }
            for (AuditFollower follower : followers) {
                follower.close();
            }
        } catch (IOException e) {
            throw AuditInput.failure(at, e);
        }
    }
}
