package dev.sallyport.compare.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results of JMH as a page with a table and a plot for each class of benchmarks. */
public final class FigureReport {

    private static final int NAMES = 260;

    private final Map<String, List<Figure>> suites = new LinkedHashMap<>();
    private final String machine;

    /** @param machine where it was measured, in one sentence */
    public FigureReport(List<Figure> figures, String machine) {
        figures.forEach(figure -> suites.computeIfAbsent(figure.suite(), none -> new ArrayList<>())
                .add(figure));
        this.machine = machine;
    }

    /** Writes the page, and the plots into a folder beside it. */
    public Path write(Path page, String folder) throws IOException {
        Path plots = Files.createDirectories(page.resolveSibling(folder));
        StringBuilder text = new StringBuilder("# Benchmarks\n\nMade by `benchmarks/jmh report`; do not edit. ")
                .append(machine)
                .append(
                        " Each bar is the middle of the forks, the line their spread. What each one does is said at its")
                .append(" method, in `benchmarks/src`.\n");
        for (Map.Entry<String, List<Figure>> suite : suites.entrySet()) {
            text.append("\n## ").append(suite.getKey()).append("\n\n");
            Map<String, List<Figure>> units = new LinkedHashMap<>();
            suite.getValue()
                    .forEach(figure -> units.computeIfAbsent(figure.unit(), none -> new ArrayList<>())
                            .add(figure));
            for (Map.Entry<String, List<Figure>> unit : units.entrySet()) {
                // Figures of two units have no common scale.
                String name = units.size() == 1 ? "" : "-" + unit.getKey().replace('/', '-');
                String plot = "jmh-" + suite.getKey() + name + ".svg";
                Files.writeString(plots.resolve(plot), plot(suite.getKey(), unit.getValue()));
                text.append("![](").append(folder).append('/').append(plot).append(")\n\n");
            }
            text.append("| benchmark | middle | spread | unit | allocated, bytes |\n|---|---|---|---|---|\n");
            suite.getValue().forEach(figure -> text.append(row(figure)));
        }
        return Files.writeString(page, text.toString());
    }

    private static String plot(String suite, List<Figure> figures) {
        List<Plot.Row> rows = figures.stream()
                .map(figure -> new Plot.Row(figure.name(), figure.spread()))
                .toList();
        return Plot.svg(suite + ", " + figures.getFirst().unit(), rows, NAMES);
    }

    private static String row(Figure figure) {
        Spread spread = figure.spread();
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s | %s |%n",
                figure.name(),
                Numbers.text(spread.median()),
                figure.forks().size() == 1
                        ? "one fork"
                        : Numbers.text(spread.min()) + " to " + Numbers.text(spread.max()),
                figure.unit(),
                Double.isNaN(figure.bytes()) ? "" : Numbers.text(Math.rint(figure.bytes())));
    }
}
