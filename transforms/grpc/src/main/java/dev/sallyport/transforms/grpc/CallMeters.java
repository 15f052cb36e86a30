package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Meters;
import java.time.Duration;

/** What one instance counts and times. Thread-safe. */
final class CallMeters {

    private final String name;
    private final Meters.Family<Meters.Counter> calls;
    private final Meters.Family<Meters.Timer> durations;

    CallMeters(String name, Meters meters) {
        this.name = name;
        calls = meters.counter("calls", "Calls to transform servers by outcome.", "transform", "direction", "outcome");
        durations = meters.timer(
                "call_duration", "How long transform servers took to answer or to fail.", "transform", "direction");
    }

    /** @param outcome {@code continue}, {@code reject}, {@code invalid}, or a gRPC status in lower case */
    void called(String direction, String outcome, Duration took) {
        calls.of(name, direction, outcome).increment();
        durations.of(name, direction).record(took);
    }
}
