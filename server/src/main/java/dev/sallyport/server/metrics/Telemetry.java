package dev.sallyport.server.metrics;

import dev.sallyport.core.meter.TimedSeries;
import dev.sallyport.server.Home;
import dev.sallyport.server.otlp.Exports;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusProtobufWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import jakarta.inject.Inject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The OpenTelemetry SDK of the packaged server: meters only, collected on demand. Thread-safe. */
public final class Telemetry implements OpenTelemetry, AutoCloseable {

    private static final InfoSnapshot BUILD = InfoSnapshot.builder()
            .name("sallyport_build")
            .help("The version of the proxy and of Java.")
            .dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder()
                    .labels(Labels.of(
                            "version", Home.version(), "java", Runtime.version().toString()))
                    .build())
            .build();

    private static final Duration PUSH_LIMIT = Duration.ofSeconds(10);

    private final PrometheusMetricReader reader = reader();
    private final Exports exports;
    private volatile Supplier<List<TimedSeries>> exemplars = List::of;

    // Guarded by the lock.
    private @Nullable NativeReader natives;
    private @Nullable SdkMeterProvider meters;
    private boolean closed;

    /** All meters as they stand. */
    public record Exposition(String contentType, byte[] content) {}

    /** Meters that are not exported. */
    public Telemetry() {
        this(Exports.none());
    }

    @Inject
    public Telemetry(Exports exports) {
        this.exports = exports;
    }

    private static PrometheusMetricReader reader() {
        return PrometheusMetricReader.builder()
                .setOtelScopeLabelsEnabled(false)
                .setTargetInfoMetricEnabled(false)
                .build();
    }

    /** Where histograms take their exemplars from at collection. */
    public void exemplars(Supplier<List<TimedSeries>> source) {
        exemplars = source;
    }

    /**
     * Keeps native histograms, too, which doubles the cost of a measurement. To be called before the first meter is made.
     */
    public synchronized void nativeHistograms() {
        if (meters != null) {
            throw new IllegalStateException("there are meters already (expected: none)");
        }
        natives = new NativeReader(reader());
    }

    @Override
    public synchronized MeterProvider getMeterProvider() {
        if (meters == null) {
            SdkMeterProviderBuilder builder = SdkMeterProvider.builder();
            if (natives != null) {
                builder.registerMetricReader(natives);
            }
            exports.addTo(builder);
            meters = builder.registerMetricReader(reader).build();
            ProcessMeters.register(meters.get("dev.sallyport.server"));
        }
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

    /**
     * Collects all meters.
     *
     * @param accept the value of {@code Accept}; empty when there is none. With native histograms, protobuf is written
     *     where it is named; else OpenMetrics where it is named, else the text format of Prometheus
     */
    public Exposition collect(String accept) {
        getMeterProvider();
        NativeReader exact = natives();
        if (exact != null) {
            PrometheusProtobufWriter protobuf = new PrometheusProtobufWriter();
            if (protobuf.accepts(accept)) {
                MetricSnapshots classic = reader.collect();
                return written(protobuf, classic, exact.collect());
            }
        }
        OpenMetricsTextFormatWriter openMetrics = OpenMetricsTextFormatWriter.create();
        ExpositionFormatWriter writer = openMetrics.accepts(accept) ? openMetrics : PrometheusTextFormatWriter.create();
        return written(writer, reader.collect(), new MetricSnapshots());
    }

    private synchronized @Nullable NativeReader natives() {
        return natives;
    }

    private Exposition written(ExpositionFormatWriter writer, MetricSnapshots classic, MetricSnapshots exact) {
        Histograms histograms = new Histograms(exemplars.get());
        histograms.natives(exact);
        MetricSnapshots.Builder all = MetricSnapshots.builder().metricSnapshot(BUILD);
        classic.forEach(snapshot -> all.metricSnapshot(histograms.complete(snapshot)));
        ByteArrayOutputStream content = new ByteArrayOutputStream(32 * 1024);
        try {
            writer.write(content, all.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Exposition(writer.getContentType(), content.toByteArray());
    }

    /** Exports all meters, where they are exported. Blocks, for as long as that may take. */
    public void push() {
        SdkMeterProvider made;
        synchronized (this) {
            made = meters;
        }
        if (made != null) {
            made.forceFlush().join(PUSH_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed && meters != null) {
            meters.close();
        }
        closed = true; // the SDK complains of a second time
    }
}
