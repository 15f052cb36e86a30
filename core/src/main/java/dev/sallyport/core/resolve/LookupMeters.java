package dev.sallyport.core.resolve;

import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.spi.Meters;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Times look-ups, and counts those that the cache has spared. Thread-safe. */
public final class LookupMeters {

    private final Meters.Timer found;
    private final Map<ResolveException.Kind, Meters.Timer> failed = new EnumMap<>(ResolveException.Kind.class);
    private final LongAdder cached = new LongAdder();

    private LookupMeters(MeterRegistry meters) {
        Meters.Family<Meters.Timer> lookups = meters.timer(
                "resolver.lookup.duration",
                "How long look-ups of origins' names took, by what came of them.",
                "outcome");
        found = lookups.of("found");
        for (ResolveException.Kind kind : ResolveException.Kind.values()) {
            failed.put(kind, lookups.of(kind.name().toLowerCase(Locale.ROOT)));
        }
        meters.sum("resolver.cached", "", "Names of origins that were answered from the cache.", cached::sum);
    }

    /** Those of a proxy. */
    public static LookupMeters of(MeterRegistry meters) {
        return new LookupMeters(meters);
    }

    /** Collected by nobody. */
    static LookupMeters none() {
        return new LookupMeters(new MeterRegistry(OpenTelemetry.noop()));
    }

    void cached() {
        cached.increment();
    }

    void ended(long startNanos, LookupResult result) {
        Meters.Timer timer = result instanceof LookupResult.Failed none
                ? failed.get(none.failure().kind())
                : found;
        if (timer != null) {
            timer.record(Duration.ofNanos(System.nanoTime() - startNanos));
        }
    }
}
