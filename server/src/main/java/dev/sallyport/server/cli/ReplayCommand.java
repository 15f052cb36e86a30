package dev.sallyport.server.cli;

import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.server.record.ReadTally;
import dev.sallyport.server.record.RecordReader;
import dev.sallyport.server.record.RecordedExchange;
import dev.sallyport.server.replay.Replay;
import dev.sallyport.server.replay.ReplayPrinter;
import dev.sallyport.server.terminal.Palette;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sallyport replay -config NEW FILE...}: which recorded verdicts a configuration would change. */
@Command(
        name = "replay",
        description = "Judge recorded exchanges by a configuration, and list those whose verdict would change.",
        footerHeading = "%n",
        footer = {
            "Exit codes: 0 no verdict would change, 1 some would, 2 wrong usage.",
            "Host, port, method, path and workload are replayed. What headers, a body, a model, a server or a time",
            "decides is counted as undecidable, never as unchanged."
        })
final class ReplayCommand implements Callable<Integer> {

    @Option(
            names = {"-c", "-config", "--config"},
            required = true,
            paramLabel = "NEW",
            description = "The configuration to judge by.")
    Path config = Path.of("");

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Audit logs, in any order; - is standard input.")
    List<String> files = new ArrayList<>();

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException {
        files = AuditInput.named(files, Objects.requireNonNull(spec).commandLine());
        try (Plugins plugins = Home.loadPlugins();
                DryRun dry = EgressProxy.builder()
                        .config(config)
                        .environment(System.getenv())
                        .catalog(plugins.catalog())
                        .dryRun(false)) {
            Replay replay = new Replay(dry::explain);
            ReadTally read = read(replay);
            if (read.exchanges() == 0) {
                throw new Failure(String.join(", ", files)
                        + ": no record of an exchange (expected: audit logs, one JSON object a line)");
            }
            print(new ReplayPrinter(replay.report(), read), read, dry.remarks());
            return replay.report().flipCount() == 0 ? ExitCode.OK : ExitCode.PROBLEM;
        } catch (StartException e) {
            throw new Failure(e.problems());
        }
    }

    private ReadTally read(Replay replay) throws Failure, InterruptedException {
        RecordReader reader = new RecordReader(exchange -> replay(replay, exchange));
        try {
            reader.readAll(files, System.in);
        } catch (StoppedException e) {
            throw new InterruptedException();
        } catch (NoSuchFileException e) {
            throw new Failure(e.getFile() + ": no such file (expected: an audit log)");
        } catch (FileSystemException e) {
            throw new Failure(e.getFile() + ": cannot be read: " + e.getReason() + " (expected: an audit log)");
        } catch (IOException e) {
            throw new Failure(
                    String.join(", ", files) + ": cannot be read: " + e.getMessage() + " (expected: an audit log)");
        }
        return reader.tally();
    }

    /** Carries an interruption through a reader. */
    private static final class StoppedException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static void replay(Replay replay, RecordedExchange exchange) {
        try {
            replay.replay(exchange);
        } catch (InterruptedException e) {
            throw new StoppedException();
        }
    }

    private void print(ReplayPrinter printer, ReadTally read, List<String> remarks) {
        read.named().forEach(line -> System.err.println("sallyport: " + Palette.clean(line.toString())));
        remarks.forEach(remark -> System.err.println("note: " + Palette.clean(remark)));
        System.out.print(json ? printer.json().toPrettyString() + "\n" : printer.text(Palette.ofThisTerminal()));
    }
}
