package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Meters;
import java.time.Duration;

/** What one judge counts and times. Thread-safe. */
final class JudgeMeters {

    private final String name;
    private final Meters.Family<Meters.Counter> decisions;
    private final Meters.Timer duration;
    private final Meters.Timer wait;
    private final Meters.Counter inputTokens;
    private final Meters.Counter outputTokens;
    private final Meters.Counter trips;

    JudgeMeters(String name, Meters meters) {
        this.name = name;
        decisions = meters.counter("decisions", "Requests that were judged, fallbacks included.", "judge", "decision");
        duration = meters.timer("call_duration", "How long models took to answer or to fail.", "judge")
                .of(name);
        wait = meters.timer("wait_duration", "How long requests waited until their call could begin.", "judge")
                .of(name);
        Meters.Family<Meters.Counter> tokens =
                meters.counter("tokens", "Tokens, as counted by providers.", "judge", "direction");
        inputTokens = tokens.of(name, "input");
        outputTokens = tokens.of(name, "output");
        trips = meters.counter("breaker_trips", "How often a breaker has opened.", "judge")
                .of(name);
    }

    /** @param decision as in the audit record */
    void decided(String decision) {
        decisions.of(name, decision).increment();
    }

    void called(Duration took) {
        duration.record(took);
    }

    void waited(Duration time) {
        wait.record(time);
    }

    /** Negative counts are unknown. */
    void tokens(long input, long output) {
        inputTokens.add(Math.max(0, input));
        outputTokens.add(Math.max(0, output));
    }

    void tripped() {
        trips.increment();
    }
}
