package dev.sallyport.compare;

import dev.sallyport.compare.report.Publication;
import dev.sallyport.compare.report.Report;
import dev.sallyport.compare.report.Results;
import dev.sallyport.compare.scenario.Catalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Renders the tables and plots of a run again. */
@Command(
        name = "report",
        description = "Render the tables and plots of a run.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class ReportCommand implements Callable<Integer> {

    @Option(names = "--run", defaultValue = "latest", description = "Name of the run.")
    String run = "latest";

    @Option(names = "--publish", description = "Put them into docs/performance.md, with the plots beside it.")
    boolean publish;

    @Override
    public Integer call() throws IOException {
        Folders folders = Folders.find();
        Path folder = folders.run(run);
        Results results = new Results(folder);
        if (results.samples().isEmpty()) {
            throw new IOException(folder + ": no samples in it (expected: a run that was measured)");
        }
        Report report = new Report(results, Catalogue.all(), folders.home().resolve("bars.txt"));
        System.out.println(report.write(folder));
        if (publish) {
            System.out.println(new Publication(folders.root().resolve("docs")).publish(report, results));
        }
        return 0;
    }
}
