package dev.sallyport.compare.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sallyport.compare.scenario.Metric;
import dev.sallyport.compare.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tables, plots and the one file with everything in it. */
public final class Report {

    private static final String BASE = "sallyport";
    /** From this share of its processors on, load and origin are what limits. */
    private static final double BUSY = 0.9;

    private final Results results;
    private final List<Scenario> scenarios;
    private final Path bars;

    /** @param bars the file that says what must be reached; see {@link Bar} */
    public Report(Results results, List<Scenario> scenarios, Path bars) {
        this.results = results;
        this.scenarios = scenarios;
        this.bars = bars;
    }

    /** Writes {@code report.md}, {@code results.json} and a plot for each scenario; returns the first. */
    public Path write(Path folder) throws IOException {
        plots().forEach((name, svg) -> {
            try {
                Files.writeString(folder.resolve(name), svg);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        new ObjectMapper()
                .writer(SerializationFeature.INDENT_OUTPUT)
                .writeValue(
                        folder.resolve("results.json").toFile(),
                        Map.of("facts", new TreeMap<>(results.facts()), "samples", results.samples()));
        Path file = folder.resolve("report.md");
        Files.writeString(file, "# Proxies under load\n\n" + markdown(""));
        return file;
    }

    private List<Scenario> measured() {
        return scenarios.stream()
                .filter(scenario -> !results.peers(scenario.name()).isEmpty())
                .toList();
    }

    /** All that was measured. */
    String markdown(String plotFolder) throws IOException {
        StringBuilder text = new StringBuilder();
        facts(text);
        bars(text);
        for (Scenario scenario : measured()) {
            section(text, scenario, plotFolder);
        }
        return text.toString();
    }

    /** SVG by file name. */
    Map<String, String> plots() {
        Map<String, String> plots = new LinkedHashMap<>();
        for (Scenario scenario : measured()) {
            Metric metric = scenario.metrics().getFirst();
            List<Plot.Row> rows = new ArrayList<>();
            for (String peer : results.peers(scenario.name())) {
                Spread spread = Spread.of(results.cell(scenario.name(), peer), metric.name());
                if (spread != null) {
                    rows.add(new Plot.Row(peer, spread));
                }
            }
            if (!rows.isEmpty()) {
                plots.put(scenario.name() + ".svg", Plot.svg(scenario.name() + ": " + metric.title(), rows));
            }
        }
        return plots;
    }

    private void facts(StringBuilder text) {
        text.append("| | |\n|---|---|\n");
        new TreeMap<>(results.facts())
                .forEach((name, value) -> text.append("| ")
                        .append(name)
                        .append(" | ")
                        .append(cell(value))
                        .append(" |\n"));
        text.append('\n');
    }

    private void bars(StringBuilder text) throws IOException {
        if (!Files.exists(bars)) {
            return;
        }
        StringBuilder rows = new StringBuilder();
        for (Bar bar : Bar.parse(Files.readString(bars))) {
            Spread spread = bar.reached(results);
            if (spread != null) {
                rows.append("| ")
                        .append(bar.text())
                        .append(" | ")
                        .append(number(spread))
                        .append(" | ");
                rows.append(bar.holds(spread) ? "yes" : "**no**").append(" |\n");
            }
        }
        if (!rows.isEmpty()) {
            text.append("## What must be reached\n\n| bar | measured | reached |\n|---|---|---|\n")
                    .append(rows)
                    .append('\n');
        }
    }

    private void section(StringBuilder text, Scenario scenario, String plotFolder) {
        Metric first = scenario.metrics().getFirst();
        List<String> peers = results.peers(scenario.name());
        text.append("## ")
                .append(scenario.name())
                .append("\n\n")
                .append(scenario.title())
                .append("\n\n| peer |");
        scenario.metrics()
                .forEach(metric -> text.append(' ').append(metric.title()).append(" |"));
        boolean ratios = peers.contains(BASE) && peers.size() > 1;
        text.append(ratios ? " " + BASE + " / peer |" : "").append("\n|---|");
        text.append("---|".repeat(scenario.metrics().size() + (ratios ? 1 : 0))).append('\n');
        StringBuilder notes = new StringBuilder();
        boolean limited = false;
        for (String peer : peers) {
            List<Sample> cell = results.cell(scenario.name(), peer);
            boolean mark = generatorLimits(cell);
            limited |= mark;
            text.append("| ").append(peer).append(mark ? " *" : "").append(" |");
            for (Metric metric : scenario.metrics()) {
                text.append(' ').append(number(Spread.of(cell, metric.name()))).append(" |");
            }
            if (ratios) {
                Spread ratio = Spread.ratio(results.cell(scenario.name(), BASE), cell, first.name());
                text.append(' ').append(number(ratio)).append(" |");
            }
            text.append('\n');
            String failure = results.failure(scenario.name(), peer);
            if (!failure.isEmpty()) {
                notes.append("- ")
                        .append(peer)
                        .append(cell.isEmpty() ? ": failed: " : ": ")
                        .append(cell(failure))
                        .append('\n');
            }
        }
        text.append('\n');
        if (limited) {
            text.append(
                    "\\* Load and origin were busy, the proxy was not: they are the limit, so compare the processor time.\n\n");
        }
        if (!notes.isEmpty()) {
            text.append(notes).append('\n');
        }
        text.append("![")
                .append(first.title())
                .append("](")
                .append(plotFolder)
                .append(scenario.name())
                .append(".svg)\n\n");
    }

    private static boolean generatorLimits(List<Sample> cell) {
        Spread load = Spread.of(cell, "load_busy");
        Spread proxy = Spread.of(cell, "proxy_busy");
        return load != null && proxy != null && load.median() >= BUSY && proxy.median() < BUSY;
    }

    private static String number(@Nullable Spread spread) {
        if (spread == null) {
            return "";
        }
        String median = Numbers.text(spread.median());
        return spread.count() == 1 || spread.min() == spread.max()
                ? median
                : median + " (" + Numbers.text(spread.min()) + "–" + Numbers.text(spread.max()) + ")";
    }

    private static String cell(String value) {
        return value.replace("|", "\\|").replace('\n', ' ');
    }
}
