package dev.sallyport.server.otlp;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports all meters at an interval, on a thread of its own, once there is a network. An export is repeated until the
 * next one is due: totals since the start are in that one anyway. What is counted since the last export is repeated
 * without end.
 */
final class MetricPush implements MetricExporter {

    private static final Logger LOG = LoggerFactory.getLogger(MetricPush.class);

    private final Target target;
    private final OtlpSettings settings;
    private final AggregationTemporalitySelector temporality;
    private volatile @Nullable Sending sending;
    private volatile boolean closing;
    private volatile long closeAt;

    /** What there is once there is a network. */
    private record Sending(MetricExporter exporter, DeliveryRun run, ExportWarnings warnings) {}

    /** When the current export began. */
    private volatile long began;

    MetricPush(Target target, OtlpSettings settings) {
        this.target = target;
        this.settings = settings;
        this.temporality = Exporters.selector(settings.temporality());
    }

    /** The reader to register with the meters. */
    MetricReader reader() {
        return PeriodicMetricReader.builder(this)
                .setInterval(settings.metricInterval())
                .setExecutor(Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform()
                        .daemon()
                        .name(CollectorNetwork.THREAD + "-metrics")
                        .factory()))
                .build();
    }

    /** From now on meters are exported. */
    void begin(CollectorNetwork network, ExportMeters meters) {
        ExportWarnings warnings = new ExportWarnings(LOG, target, meters, "");
        DeliveryRun run = new DeliveryRun(target.timeout(), meters, warnings, this::overdue, () -> closing);
        MetricExporter exporter =
                new Exporters(target, network.to(target), run::attempt).metrics(settings.temporality());
        sending = new Sending(exporter, run, warnings);
    }

    /** The last export may take so long. */
    void closing(Duration limit) {
        closeAt = System.nanoTime() + limit.toNanos();
        closing = true;
    }

    private boolean overdue() {
        long now = System.nanoTime();
        return closing
                ? now - closeAt > 0
                : settings.temporality() != OtlpSettings.Temporality.DELTA
                        && now - began > settings.metricInterval().toNanos();
    }

    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
        Sending to = sending;
        if (to == null) {
            return CompletableResultCode.ofSuccess(); // nobody has been served yet
        }
        began = System.nanoTime();
        return switch (to.run().deliver(() -> to.exporter().export(metrics))) {
            case Delivery.Taken taken -> {
                to.warnings().taken();
                yield CompletableResultCode.ofSuccess();
            }
            case Delivery.Refused refused -> {
                to.warnings().refused(metrics.size(), refused.why());
                yield CompletableResultCode.ofFailure();
            }
            case Delivery.Failed failed -> CompletableResultCode.ofFailure();
        };
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        Sending to = sending;
        return to == null ? CompletableResultCode.ofSuccess() : to.exporter().shutdown();
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
        return temporality.getAggregationTemporality(instrument);
    }
}
