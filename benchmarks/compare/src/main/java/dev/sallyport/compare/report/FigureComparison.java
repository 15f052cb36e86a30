package dev.sallyport.compare.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two commits side by side. A difference counts when no fork of one lies among those of the other, and the middles are more
 * than 3 % apart. Of five forks each, noise alone does that once in 126 comparisons; of fewer, more often; of less than three nothing is said.
 */
public final class FigureComparison {

    private static final double LEAST = 0.03;

    /** With fewer forks of each, chance alone keeps them apart. */
    private static final int FEWEST = 3;

    /** What came of a benchmark. */
    enum Verdict {
        UNKNOWN("too few forks"),
        SAME("within noise"),
        FASTER("faster"),
        SLOWER("SLOWER");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }
    }

    /**
     * One benchmark that both have.
     *
     * @param ratio the time of the second to that of the first: below 1 it is faster
     */
    record Line(Figure before, Figure after, double ratio, Verdict verdict) {}

    private final List<Line> lines = new ArrayList<>();

    public FigureComparison(List<Figure> before, List<Figure> after) {
        Map<String, Figure> earlier = new HashMap<>();
        before.forEach(figure -> earlier.put(figure.suite() + "." + figure.name(), figure));
        for (Figure figure : after) {
            Figure base = earlier.get(figure.suite() + "." + figure.name());
            if (base != null) {
                lines.add(line(base, figure));
            }
        }
    }

    private static Line line(Figure before, Figure after) {
        Spread one = before.spread();
        Spread other = after.spread();
        double ratio = before.isRate() ? one.median() / other.median() : other.median() / one.median();
        if (Math.min(one.count(), other.count()) < FEWEST) {
            return new Line(before, after, ratio, Verdict.UNKNOWN);
        }
        boolean apart = other.min() > one.max() || other.max() < one.min();
        Verdict verdict =
                !apart || Math.abs(ratio - 1) <= LEAST ? Verdict.SAME : ratio < 1 ? Verdict.FASTER : Verdict.SLOWER;
        return new Line(before, after, ratio, verdict);
    }

    List<Line> lines() {
        return List.copyOf(lines);
    }

    /** Whether the second commit is slower somewhere. */
    public boolean isSlower() {
        return lines.stream().anyMatch(line -> line.verdict() == Verdict.SLOWER);
    }

    /** A table in Markdown, the largest differences first. */
    public String text() {
        StringBuilder text = new StringBuilder(
                "| benchmark | before | after | unit | time, after to before | bytes before | bytes after | |\n");
        text.append("|---|---|---|---|---|---|---|---|\n");
        lines.stream()
                .sorted((one, other) -> Double.compare(Math.abs(other.ratio() - 1), Math.abs(one.ratio() - 1)))
                .forEach(line -> text.append(String.format(
                        Locale.ROOT,
                        "| `%s.%s` | %s (%s to %s) | %s (%s to %s) | %s | %.3f | %s | %s | %s |%n",
                        line.after().suite(),
                        line.after().name(),
                        Numbers.text(line.before().spread().median()),
                        Numbers.text(line.before().spread().min()),
                        Numbers.text(line.before().spread().max()),
                        Numbers.text(line.after().spread().median()),
                        Numbers.text(line.after().spread().min()),
                        Numbers.text(line.after().spread().max()),
                        line.after().unit(),
                        line.ratio(),
                        bytes(line.before()),
                        bytes(line.after()),
                        line.verdict().text)));
        return text.toString();
    }

    private static String bytes(Figure figure) {
        return Double.isNaN(figure.bytes()) ? "" : Numbers.text(Math.rint(figure.bytes()));
    }
}
