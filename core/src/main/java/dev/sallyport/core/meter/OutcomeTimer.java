package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import java.time.Duration;

/**
 * Two timers of one name: of what succeeded and of what failed, told apart by the label {@code outcome}. For events
 * that are rare beside requests, such as handshakes. Thread-safe.
 */
public record OutcomeTimer(Meters.Timer succeeded, Meters.Timer failed) {

    /** Records nothing. */
    public static final OutcomeTimer NONE = new OutcomeTimer(took -> {}, took -> {});

    private static final String OUTCOME = "outcome";

    /** The timers of this name; the outcomes are {@code ok} and {@code failed}. */
    public static OutcomeTimer of(MeterRegistry meters, String name, String description) {
        Meters.Family<Meters.Timer> family = meters.timer(name, description, OUTCOME);
        return new OutcomeTimer(family.of("ok"), family.of("failed"));
    }

    /** @param startNanos when it began, by {@link System#nanoTime} */
    public void since(long startNanos, boolean success) {
        (success ? succeeded : failed).record(Duration.ofNanos(System.nanoTime() - startNanos));
    }
}
