package dev.sallyport.server.otlp;

import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporterBuilder;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporterBuilder;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporterBuilder;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporterBuilder;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporterBuilder;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The exporters of the SDK, which encode, over our own senders. They try once: the {@link ExportLoop} repeats, and logs
 * what went wrong.
 */
final class Exporters {

    /** Logs each failed attempt. Held, or it would be collected with its level. */
    private static final Logger QUIET = Logger.getLogger("io.opentelemetry.exporter.otlp");

    static {
        QUIET.setLevel(Level.OFF);
    }

    private final Target target;
    private final ComponentLoader senders;

    /** @param attempts for each attempt, what is told how it has ended */
    Exporters(Target target, Collector collector, Supplier<Consumer<Delivery>> attempts) {
        this.target = target;
        this.senders = new Senders(collector, attempts);
    }

    /** Senders that tell how each attempt has ended. */
    private record Senders(Collector collector, Supplier<Consumer<Delivery>> attempts) implements ComponentLoader {

        @Override
        public <T> Iterable<T> load(Class<T> wanted) {
            if (wanted == HttpSenderProvider.class) {
                HttpSenderProvider http = config -> new CollectorHttp(collector, config, attempts);
                return List.of(wanted.cast(http));
            }
            if (wanted == GrpcSenderProvider.class) {
                GrpcSenderProvider grpc = config -> new CollectorGrpc(collector, config, attempts);
                return List.of(wanted.cast(grpc));
            }
            return List.of();
        }
    }

    /** Sets a value of a builder. */
    @FunctionalInterface
    private interface Setter<B, V> {
        B set(B builder, V value);
    }

    /** Sets when a builder's exporter tries again; null: never. */
    @FunctionalInterface
    private interface RetrySetter<B> {
        B set(B builder, @Nullable RetryPolicy policy);
    }

    /** Adds a field to every request of a builder's exporter. */
    @FunctionalInterface
    private interface HeaderSetter<B> {
        B add(B builder, String name, String value);
    }

    /** The setters that all builders of the SDK have, and no type in common. */
    private record Setters<B>(
            Setter<B, ComponentLoader> senders,
            Setter<B, String> endpoint,
            Setter<B, String> compression,
            Setter<B, Duration> timeout,
            RetrySetter<B> retries,
            HeaderSetter<B> headers) {}

    private <B> B set(B builder, Setters<B> setters) {
        setters.senders.set(builder, senders);
        setters.endpoint.set(builder, target.endpoint().toString());
        setters.compression.set(builder, target.gzip() ? "gzip" : "none");
        setters.timeout.set(builder, target.timeout());
        setters.retries.set(builder, null);
        target.headers().forEach((name, value) -> setters.headers.add(builder, name, value));
        return builder;
    }

    LogRecordExporter logs() {
        return target.grpc()
                ? set(
                                OtlpGrpcLogRecordExporter.builder(),
                                new Setters<>(
                                        OtlpGrpcLogRecordExporterBuilder::setComponentLoader,
                                        OtlpGrpcLogRecordExporterBuilder::setEndpoint,
                                        OtlpGrpcLogRecordExporterBuilder::setCompression,
                                        OtlpGrpcLogRecordExporterBuilder::setTimeout,
                                        OtlpGrpcLogRecordExporterBuilder::setRetryPolicy,
                                        OtlpGrpcLogRecordExporterBuilder::addHeader))
                        .build()
                : set(
                                OtlpHttpLogRecordExporter.builder(),
                                new Setters<>(
                                        OtlpHttpLogRecordExporterBuilder::setComponentLoader,
                                        OtlpHttpLogRecordExporterBuilder::setEndpoint,
                                        OtlpHttpLogRecordExporterBuilder::setCompression,
                                        OtlpHttpLogRecordExporterBuilder::setTimeout,
                                        OtlpHttpLogRecordExporterBuilder::setRetryPolicy,
                                        OtlpHttpLogRecordExporterBuilder::addHeader))
                        .build();
    }

    SpanExporter spans() {
        return target.grpc()
                ? set(
                                OtlpGrpcSpanExporter.builder(),
                                new Setters<>(
                                        OtlpGrpcSpanExporterBuilder::setComponentLoader,
                                        OtlpGrpcSpanExporterBuilder::setEndpoint,
                                        OtlpGrpcSpanExporterBuilder::setCompression,
                                        OtlpGrpcSpanExporterBuilder::setTimeout,
                                        OtlpGrpcSpanExporterBuilder::setRetryPolicy,
                                        OtlpGrpcSpanExporterBuilder::addHeader))
                        .build()
                : set(
                                OtlpHttpSpanExporter.builder(),
                                new Setters<>(
                                        OtlpHttpSpanExporterBuilder::setComponentLoader,
                                        OtlpHttpSpanExporterBuilder::setEndpoint,
                                        OtlpHttpSpanExporterBuilder::setCompression,
                                        OtlpHttpSpanExporterBuilder::setTimeout,
                                        OtlpHttpSpanExporterBuilder::setRetryPolicy,
                                        OtlpHttpSpanExporterBuilder::addHeader))
                        .build();
    }

    MetricExporter metrics(OtlpSettings.Temporality temporality) {
        AggregationTemporalitySelector selector = selector(temporality);
        return target.grpc()
                ? set(
                                OtlpGrpcMetricExporter.builder(),
                                new Setters<>(
                                        OtlpGrpcMetricExporterBuilder::setComponentLoader,
                                        OtlpGrpcMetricExporterBuilder::setEndpoint,
                                        OtlpGrpcMetricExporterBuilder::setCompression,
                                        OtlpGrpcMetricExporterBuilder::setTimeout,
                                        OtlpGrpcMetricExporterBuilder::setRetryPolicy,
                                        OtlpGrpcMetricExporterBuilder::addHeader))
                        .setAggregationTemporalitySelector(selector)
                        .build()
                : set(
                                OtlpHttpMetricExporter.builder(),
                                new Setters<>(
                                        OtlpHttpMetricExporterBuilder::setComponentLoader,
                                        OtlpHttpMetricExporterBuilder::setEndpoint,
                                        OtlpHttpMetricExporterBuilder::setCompression,
                                        OtlpHttpMetricExporterBuilder::setTimeout,
                                        OtlpHttpMetricExporterBuilder::setRetryPolicy,
                                        OtlpHttpMetricExporterBuilder::addHeader))
                        .setAggregationTemporalitySelector(selector)
                        .build();
    }

    static AggregationTemporalitySelector selector(OtlpSettings.Temporality temporality) {
        return switch (temporality) {
            case CUMULATIVE -> AggregationTemporalitySelector.alwaysCumulative();
            case DELTA -> AggregationTemporalitySelector.deltaPreferred();
            case LOWMEMORY -> AggregationTemporalitySelector.lowMemory();
        };
    }
}
