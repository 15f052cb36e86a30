package dev.sallyport.compare.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The middle of some values and how far they lie apart.
 *
 * @param count how many there were
 */
public record Spread(double median, double min, double max, int count) {

    /** Null for no values at all. */
    public static @Nullable Spread of(List<Double> values) {
        if (values.isEmpty()) {
            return null;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Spread(median, sorted.getFirst(), sorted.getLast(), sorted.size());
    }

    /** What a metric was in the rounds of a cell. */
    static @Nullable Spread of(List<Sample> cell, String metric) {
        return of(values(cell, metric));
    }

    private static List<Double> values(List<Sample> cell, String metric) {
        List<Double> values = new ArrayList<>();
        for (Sample sample : cell) {
            Double value = sample.values().get(metric);
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }

    /** Ratios round by round, because rounds lie close together in time: what disturbed one peer disturbed the other. */
    static @Nullable Spread ratio(List<Sample> cell, List<Sample> base, String metric) {
        return byRound(cell, base, metric, (own, other) -> own / other);
    }

    static @Nullable Spread difference(List<Sample> cell, List<Sample> base, String metric) {
        return byRound(cell, base, metric, (own, other) -> own - other);
    }

    private static @Nullable Spread byRound(
            List<Sample> cell, List<Sample> base, String metric, java.util.function.DoubleBinaryOperator operator) {
        List<Double> results = new ArrayList<>();
        for (Sample sample : cell) {
            for (Sample other : base) {
                Double own = sample.values().get(metric);
                Double theirs = other.values().get(metric);
                if (other.round() == sample.round() && own != null && theirs != null) {
                    results.add(operator.applyAsDouble(own, theirs));
                }
            }
        }
        return of(results);
    }
}
