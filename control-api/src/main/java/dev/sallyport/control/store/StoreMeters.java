package dev.sallyport.control.store;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;

/** Times commits and counts what is in them. Thread-safe. */
final class StoreMeters {

    private static final List<Double> SECONDS =
            List.of(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0);
    private static final List<Long> SIZES = List.of(1L, 2L, 4L, 8L, 16L, 32L, 64L);

    private final DoubleHistogram durations;
    private final LongHistogram sizes;
    private final LongCounter failures;
    private final LongCounter repetitions;

    StoreMeters(OpenTelemetry telemetry) {
        Meter meter = telemetry.getMeter("dev.sallyport.control");
        durations = meter.histogramBuilder("sallyport.control.store.commit.duration")
                .setDescription("Commits of the database, with the changes in them.")
                .setUnit("s")
                .setExplicitBucketBoundariesAdvice(SECONDS)
                .build();
        sizes = meter.histogramBuilder("sallyport.control.store.commit.transactions")
                .setDescription("Transactions that share a commit.")
                .ofLongs()
                .setExplicitBucketBoundariesAdvice(SIZES)
                .build();
        failures = meter.counterBuilder("sallyport.control.store.failures")
                .setDescription("Commits that failed.")
                .build();
        repetitions = meter.counterBuilder("sallyport.control.store.repetitions")
                .setDescription("Transactions that are tried again after a conflict.")
                .build();
    }

    /** @param began as {@link System#nanoTime} told it */
    void committed(long began, int transactions) {
        durations.record((System.nanoTime() - began) / 1e9);
        sizes.record(transactions);
    }

    void failed() {
        failures.add(1);
    }

    void repeated() {
        repetitions.add(1);
    }
}
