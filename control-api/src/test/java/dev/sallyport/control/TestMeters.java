package dev.sallyport.control;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Meters, of which the last values are kept. */
public final class TestMeters implements OpenTelemetry, AutoCloseable {

    private final Map<String, MetricData> last = new ConcurrentHashMap<>();
    private final SdkMeterProvider meters = SdkMeterProvider.builder()
            .registerMetricReader(PeriodicMetricReader.create(new Keeping()))
            .build();

    private final class Keeping implements MetricExporter {

        @Override
        public CompletableResultCode export(Collection<MetricData> metrics) {
            metrics.forEach(metric -> last.put(metric.getName(), metric));
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
            return AggregationTemporality.CUMULATIVE;
        }
    }

    /** The metric as it is now; null when nothing was ever recorded. */
    public @Nullable MetricData metric(String name) {
        meters.forceFlush().join(10, TimeUnit.SECONDS);
        return last.get(name);
    }

    /** How many values of a histogram without attributes there are now. */
    public long count(String name) {
        MetricData metric = metric(name);
        return metric == null
                ? 0
                : metric.getHistogramData().getPoints().iterator().next().getCount();
    }

    /** The sum of a counter or gauge of integers now. */
    public long sum(String name) {
        MetricData metric = metric(name);
        if (metric == null) {
            return 0;
        }
        return metric.getData().getPoints().stream()
                .mapToLong(point -> ((LongPointData) point).getValue())
                .sum();
    }

    @Override
    public MeterProvider getMeterProvider() {
        return meters;
    }

    @Override
    public TracerProvider getTracerProvider() {
        return TracerProvider.noop();
    }

    @Override
    public ContextPropagators getPropagators() {
        return ContextPropagators.noop();
    }

    @Override
    public void close() {
        meters.close();
    }
}
