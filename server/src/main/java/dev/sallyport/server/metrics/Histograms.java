package dev.sallyport.server.metrics;

import dev.sallyport.core.meter.Exemplar;
import dev.sallyport.core.meter.TimedSeries;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Completes the histograms of one collection: with exemplars, and with native buckets. */
final class Histograms {

    private static final String EXCHANGE = "exchange_id";
    private static final String UNIT = "_seconds";

    private record Series(String name, Labels labels) {}

    private final Map<Series, Exemplars> exemplars = new HashMap<>();
    private final Map<Series, HistogramDataPointSnapshot> natives = new HashMap<>();

    /** @param latest the exchanges that histograms of durations point to */
    Histograms(List<TimedSeries> latest) {
        for (TimedSeries series : latest) {
            String name = series.meter().replace('.', '_') + UNIT;
            Labels.Builder labels = Labels.builder();
            series.labels().forEach(labels::label);
            Exemplars.Builder all = Exemplars.builder();
            series.exemplars().forEach(exemplar -> all.exemplar(exemplar(exemplar)));
            exemplars.put(new Series(name, labels.build()), all.build());
        }
    }

    private static io.prometheus.metrics.model.snapshots.Exemplar exemplar(Exemplar exemplar) {
        return io.prometheus.metrics.model.snapshots.Exemplar.builder()
                .value(exemplar.seconds())
                .labels(Labels.of(EXCHANGE, exemplar.exchangeId()))
                .timestampMillis(exemplar.atMillis())
                .build();
    }

    /**
     * Adds native buckets.
     *
     * @param snapshots of the same histograms, collected after the others, so that they count what these do, and more
     */
    void natives(MetricSnapshots snapshots) {
        for (MetricSnapshot snapshot : snapshots) {
            if (snapshot instanceof HistogramSnapshot histogram) {
                String name = histogram.getMetadata().getPrometheusName();
                histogram.getDataPoints().forEach(point -> natives.put(new Series(name, point.getLabels()), point));
            }
        }
    }

    /** The histogram with what is known of it; any other snapshot as it is. */
    MetricSnapshot complete(MetricSnapshot snapshot) {
        if (!(snapshot instanceof HistogramSnapshot histogram)) {
            return snapshot;
        }
        String name = histogram.getMetadata().getPrometheusName();
        List<HistogramDataPointSnapshot> points = histogram.getDataPoints().stream()
                .map(point -> complete(new Series(name, point.getLabels()), point))
                .toList();
        return new HistogramSnapshot(histogram.getMetadata(), points);
    }

    private HistogramDataPointSnapshot complete(Series series, HistogramDataPointSnapshot point) {
        Exemplars of = exemplars.getOrDefault(series, Exemplars.EMPTY);
        HistogramDataPointSnapshot exact = natives.get(series);
        return exact == null
                ? new HistogramDataPointSnapshot(
                        point.getClassicBuckets(),
                        point.getSum(),
                        series.labels(),
                        of,
                        point.getCreatedTimestampMillis())
                : both(series, point, exact, of);
    }

    private static HistogramDataPointSnapshot both(
            Series series, HistogramDataPointSnapshot classic, HistogramDataPointSnapshot exact, Exemplars of) {
        return new HistogramDataPointSnapshot(
                withTotal(classic, exact.getCount()),
                exact.getNativeSchema(),
                exact.getNativeZeroCount(),
                exact.getNativeZeroThreshold(),
                exact.getNativeBucketsForPositiveValues(),
                exact.getNativeBucketsForNegativeValues(),
                exact.getSum(),
                series.labels(),
                of,
                classic.getCreatedTimestampMillis());
    }

    /**
     * What came between the two collections is only in the native buckets. It counts as above the last classic bound, so
     * that both have the same total, and no cumulative count ever falls. Where a thread was stopped while it recorded, the
     * classic buckets may have more: they are left out this once.
     */
    private static ClassicHistogramBuckets withTotal(HistogramDataPointSnapshot classic, long total) {
        long later = total - classic.getCount();
        if (later < 0) {
            return ClassicHistogramBuckets.EMPTY;
        }
        ClassicHistogramBuckets buckets = classic.getClassicBuckets();
        int size = buckets.size();
        double[] bounds = new double[size];
        long[] counts = new long[size];
        for (int i = 0; i < size; i++) {
            bounds[i] = buckets.getUpperBound(i);
            counts[i] = buckets.getCount(i);
        }
        counts[size - 1] += later;
        return ClassicHistogramBuckets.of(bounds, counts);
    }
}
