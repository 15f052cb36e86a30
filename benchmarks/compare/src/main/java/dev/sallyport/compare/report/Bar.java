package dev.sallyport.compare.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A promise about a figure: {@code SCENARIO METRIC PEER / PEER >= NUMBER}, with {@code -} instead of {@code /} for a
 * difference, without the second peer for the figure itself, and {@code SCENARIO:METRIC} in place of the second peer to
 * compare with another scenario of the same peer.
 */
record Bar(
        String text,
        String scenario,
        String metric,
        String peer,
        String operator,
        String other,
        boolean atLeast,
        double number) {

    private static final Pattern LINE = Pattern.compile("(\\S+) (\\S+) (\\S+)(?: ([-/]) (\\S+))? (>=|<=) (-?[0-9.]+)");

    /** @throws IllegalArgumentException with the line that cannot be read */
    static List<Bar> parse(String text) {
        List<Bar> bars = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "bars: \"" + line + "\" (expected: SCENARIO METRIC PEER [/ or - PEER] >= or <= NUMBER)");
            }
            bars.add(new Bar(
                    line.strip(),
                    matcher.group(1),
                    matcher.group(2),
                    matcher.group(3),
                    matcher.group(4) == null ? "" : matcher.group(4),
                    matcher.group(5) == null ? "" : matcher.group(5),
                    matcher.group(6).equals(">="),
                    Double.parseDouble(matcher.group(7))));
        }
        return bars;
    }

    /** What was measured of it; null if it was not. */
    @Nullable Spread reached(Results results) {
        List<Sample> cell = results.cell(scenario, peer);
        if (operator.isEmpty()) {
            return Spread.of(cell, metric);
        }
        int colon = other.indexOf(':');
        List<Sample> base = colon < 0 ? results.cell(scenario, other) : results.cell(other.substring(0, colon), peer);
        return operator.equals("/") ? Spread.ratio(cell, base, metric) : Spread.difference(cell, base, metric);
    }

    boolean holds(Spread spread) {
        return atLeast ? spread.median() >= number : spread.median() <= number;
    }
}
