package dev.sallyport.server.otlp;

import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the environment asks to be exported.
 *
 * @param logs null when they are not exported; the others alike
 * @param resource what every record, meter and span is labelled with
 * @param sampler which exchanges have a span; null without traces
 * @param metricInterval between two exports of all meters
 */
record OtlpSettings(
        @Nullable Target logs,
        @Nullable Target metrics,
        @Nullable Target traces,
        Resource resource,
        Batching logBatches,
        Batching spanBatches,
        @Nullable Sampler sampler,
        Duration metricInterval,
        Temporality temporality) {

    /** How counters are exported. */
    enum Temporality {
        /** Since the start. */
        CUMULATIVE,
        /** Since the last export. */
        DELTA,
        /** As the SDK holds them in the least memory. */
        LOWMEMORY
    }

    boolean exportsNothing() {
        return logs == null && metrics == null && traces == null;
    }
}
