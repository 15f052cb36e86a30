package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * All meters of a proxy. A counter is an adder of our own, read at collection, so that counting costs the same with or
 * without an SDK. Thread-safe.
 */
public final class MeterBook implements AutoCloseable {

    /** The prefix of all meter names. */
    private static final String PREFIX = "sallyport.";

    /** Histogram bounds in seconds, from a cache hit to the slowest answer of a model. */
    private static final List<Double> SECONDS =
            List.of(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0);

    private final Meter meter;
    private final Map<String, LabelledSeries<?, ?>> families = new HashMap<>();
    private final List<AutoCloseable> observed = new ArrayList<>();

    /** @param telemetry where meters are collected; owned by the caller */
    public MeterBook(OpenTelemetry telemetry) {
        meter = telemetry.getMeter("dev.sallyport");
    }

    /** The meters of the plug-in that is configured under this name. */
    public Meters of(String plugin) {
        return new Meters() {
            @Override
            public Family<Counter> counter(String name, String description, String... labels) {
                return MeterBook.this.counter(plugin + "." + name, description, labels);
            }

            @Override
            public Family<Timer> timer(String name, String description, String... labels) {
                return MeterBook.this.timer(plugin + "." + name, description, labels);
            }
        };
    }

    /** As {@link Meters#counter}, for the engine itself. */
    public synchronized Meters.Family<Meters.Counter> counter(String name, String description, String... labels) {
        LabelledSeries<?, ?> known = families.get(name);
        if (known == null) {
            Counters made = new Counters(name, List.of(labels));
            observed.add(meter.counterBuilder(PREFIX + name)
                    .setDescription(description)
                    .buildWithCallback(made::report));
            families.put(name, made);
            return made;
        }
        if (known instanceof Counters counters && known.hasLabels(labels)) {
            return counters;
        }
        throw declaredBefore(name);
    }

    /** As {@link Meters#timer}, for the engine itself. */
    public synchronized Meters.Family<Meters.Timer> timer(String name, String description, String... labels) {
        LabelledSeries<?, ?> known = families.get(name);
        if (known == null) {
            DoubleHistogram histogram = meter.histogramBuilder(PREFIX + name)
                    .setDescription(description)
                    .setUnit("s")
                    .setExplicitBucketBoundariesAdvice(SECONDS)
                    .build();
            Timers made = new Timers(name, List.of(labels), histogram);
            families.put(name, made);
            return made;
        }
        if (known instanceof Timers timers && known.hasLabels(labels)) {
            return timers;
        }
        throw declaredBefore(name);
    }

    private static IllegalArgumentException declaredBefore(String name) {
        return new IllegalArgumentException(
                "meter " + name + ": declared before as something else (expected: the same kind and labels)");
    }

    /** Registers a value that goes up and down, read at collection. */
    public synchronized void gauge(String name, String unit, String description, LongSupplier reading) {
        observed.add(meter.gaugeBuilder(PREFIX + name)
                .ofLongs()
                .setUnit(unit)
                .setDescription(description)
                .buildWithCallback(to -> to.record(reading.getAsLong())));
    }

    /** Registers a sum that is kept elsewhere, read at collection. */
    public synchronized void sum(String name, String unit, String description, LongSupplier reading) {
        observed.add(meter.counterBuilder(PREFIX + name)
                .setUnit(unit)
                .setDescription(description)
                .buildWithCallback(to -> to.record(reading.getAsLong())));
    }

    /** The value of a counter; 0 when there is none with this name and these labels. */
    public synchronized long count(String name, String... labels) {
        String known = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
        return families.get(known) instanceof Counters counters ? counters.count(List.of(labels)) : 0;
    }

    /** Unregisters all meters. */
    @Override
    public synchronized void close() throws Exception {
        for (AutoCloseable instrument : observed) {
            instrument.close();
        }
        observed.clear();
    }
}
