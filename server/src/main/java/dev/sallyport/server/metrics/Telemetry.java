package dev.sallyport.server.metrics;

import dev.sallyport.server.Home;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import jakarta.inject.Inject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The OpenTelemetry SDK of the packaged server: meters only, collected when somebody asks. Thread-safe. */
public final class Telemetry implements OpenTelemetry, AutoCloseable {

    private static final InfoSnapshot BUILD = InfoSnapshot.builder()
            .name("sallyport_build")
            .help("The version of the proxy and of Java.")
            .dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder()
                    .labels(Labels.of(
                            "version", Home.version(), "java", Runtime.version().toString()))
                    .build())
            .build();

    private final PrometheusMetricReader reader = PrometheusMetricReader.builder()
            .setOtelScopeLabelsEnabled(false)
            .setTargetInfoMetricEnabled(false)
            .build();
    private final SdkMeterProvider meters =
            SdkMeterProvider.builder().registerMetricReader(reader).build();

    private final AtomicBoolean closed = new AtomicBoolean();

    /** All meters as they stand. */
    public record Exposition(String contentType, byte[] text) {}

    @Inject
    public Telemetry() {
        ProcessMeters.register(meters.get("dev.sallyport.server"));
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

    /**
     * Collects.
     *
     * @param accept the value of {@code Accept}; empty when there is none. OpenMetrics is written where it is named, else
     *     the text format of Prometheus
     */
    public Exposition collect(String accept) {
        OpenMetricsTextFormatWriter openMetrics = OpenMetricsTextFormatWriter.create();
        ExpositionFormatWriter writer = openMetrics.accepts(accept) ? openMetrics : PrometheusTextFormatWriter.create();
        ByteArrayOutputStream text = new ByteArrayOutputStream(16 * 1024);
        try {
            MetricSnapshots.Builder all = MetricSnapshots.builder().metricSnapshot(BUILD);
            reader.collect().forEach(all::metricSnapshot);
            writer.write(text, all.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Exposition(writer.getContentType(), text.toByteArray());
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (!closed.getAndSet(true)) { // the SDK complains of a second time
            meters.close();
        }
    }
}
