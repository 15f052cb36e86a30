package dev.sallyport.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.NativeHistogramBuckets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both kinds of buckets in one histogram, although they are collected one after the other. */
class HistogramsTest {

    private static final double[] BOUNDS = {0.1, 1, Double.POSITIVE_INFINITY};

    @Test
    void whatCameBetweenTheTwoCollectionsIsAboveTheLastClassicBound() {
        HistogramDataPointSnapshot both = completed(new long[] {3, 2, 1}, 8);

        assertThat(both.getCount()).isEqualTo(8);
        assertThat(both.hasNativeHistogramData()).isTrue();
        assertThat(both.getClassicBuckets().getCount(0)).isEqualTo(3);
        assertThat(both.getClassicBuckets().getCount(1)).isEqualTo(2);
        assertThat(both.getClassicBuckets().getCount(2)).isEqualTo(3);
    }

    @Test
    void classicBucketsThatAreAheadAreLeftOut() {
        HistogramDataPointSnapshot exact = completed(new long[] {3, 2, 1}, 5);

        assertThat(exact.getCount()).isEqualTo(5);
        assertThat(exact.hasClassicHistogramData()).isFalse();
    }

    @Test
    void aSeriesWithoutNativeBucketsStaysClassic() {
        Histograms histograms = new Histograms(List.of());
        histograms.natives(new MetricSnapshots(histogram(exact("other", 1))));

        assertThat(point(histograms.complete(histogram(classic(new long[] {1, 0, 0}))))
                        .hasNativeHistogramData())
                .isFalse();
    }

    @Test
    void otherMetricsStayWhatTheyAre() {
        CounterSnapshot counter = CounterSnapshot.builder().name("x").build();

        assertThat(new Histograms(List.of()).complete(counter)).isSameAs(counter);
    }

    private static HistogramDataPointSnapshot completed(long[] classic, long exact) {
        Histograms histograms = new Histograms(List.of());
        histograms.natives(new MetricSnapshots(histogram(exact("a", exact))));
        return point(histograms.complete(histogram(classic(classic))));
    }

    private static HistogramDataPointSnapshot classic(long[] counts) {
        return new HistogramDataPointSnapshot(
                ClassicHistogramBuckets.of(BOUNDS, counts), 1.5, Labels.of("of", "a"), Exemplars.EMPTY, 0);
    }

    private static HistogramDataPointSnapshot exact(String of, long count) {
        return new HistogramDataPointSnapshot(
                3,
                0,
                0,
                NativeHistogramBuckets.of(new int[] {0}, new long[] {count}),
                NativeHistogramBuckets.EMPTY,
                1.5,
                Labels.of("of", of),
                Exemplars.EMPTY,
                0);
    }

    private static HistogramSnapshot histogram(HistogramDataPointSnapshot point) {
        return new HistogramSnapshot(new MetricMetadata("x_seconds", "X."), List.of(point));
    }

    private static HistogramDataPointSnapshot point(MetricSnapshot snapshot) {
        return ((HistogramSnapshot) snapshot).getDataPoints().getFirst();
    }
}
