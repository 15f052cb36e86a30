package dev.sallyport.server.metrics;

import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** Collects histograms with exponential buckets, and nothing else. Thread-safe. */
record NativeReader(PrometheusMetricReader reader) implements MetricReader {

    MetricSnapshots collect() {
        return reader.collect();
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType instrument) {
        return instrument == InstrumentType.HISTOGRAM
                ? Aggregation.base2ExponentialBucketHistogram()
                : Aggregation.drop();
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
        return reader.getAggregationTemporality(instrument);
    }

    @Override
    public void register(CollectionRegistration registration) {
        reader.register(registration);
    }

    @Override
    public CompletableResultCode forceFlush() {
        return reader.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return reader.shutdown();
    }
}
