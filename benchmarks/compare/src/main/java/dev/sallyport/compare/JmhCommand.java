package dev.sallyport.compare;

import dev.sallyport.compare.report.Figure;
import dev.sallyport.compare.report.FigureComparison;
import dev.sallyport.compare.report.FigureReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code benchmarks/jmh} does with results of JMH. */
@Command(name = "jmh", description = "Render or compare results of JMH; see benchmarks/jmh.")
final class JmhCommand {

    @Command(description = "Write docs/benchmarks.md and its plots.", mixinStandardHelpOptions = true)
    int report(@Parameters(arity = "1..*", description = "What -rf json wrote.") List<Path> files) throws IOException {
        Folders folders = Folders.find();
        String machine = "Measured on " + Runtime.getRuntime().availableProcessors() + " cores with Java "
                + Runtime.version().feature() + ".";
        System.out.println(new FigureReport(Figure.read(files), machine)
                .write(folders.root().resolve("docs/benchmarks.md"), "performance"));
        return 0;
    }

    @Command(
            description = "Say where a difference exceeds noise; exit 1 if something is slower.",
            mixinStandardHelpOptions = true)
    int diff(
            @Option(names = "--before", arity = "1..*", required = true, description = "Results of the one.")
                    List<Path> before,
            @Option(names = "--after", arity = "1..*", required = true, description = "Results of the other.")
                    List<Path> after)
            throws IOException {
        FigureComparison comparison = new FigureComparison(Figure.read(before), Figure.read(after));
        System.out.print(comparison.text());
        return comparison.isSlower() ? 1 : 0;
    }
}
