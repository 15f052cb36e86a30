package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * All meters of a proxy. A counter is an adder of our own, read at collection, so that counting costs the same with or
 * without an SDK. Thread-safe.
 */
public final class MeterRegistry implements AutoCloseable {

    /** The prefix of all meter names. */
    private static final String PREFIX = "sallyport.";

    private final Meter meter;
    private final Map<String, LabelledSeries<?, ?>> families = new HashMap<>();
    private final List<AutoCloseable> observed = new ArrayList<>();

    /** @param telemetry where meters are collected; owned by the caller */
    public MeterRegistry(OpenTelemetry telemetry) {
        meter = telemetry.getMeter("dev.sallyport");
    }

    /** The meters of the plug-in that is configured under this name. */
    public Meters of(String plugin) {
        return new Meters() {
            @Override
            public Family<Counter> counter(String name, String description, String... labels) {
                return MeterRegistry.this.counter(plugin + "." + name, description, labels);
            }

            @Override
            public Family<Timer> timer(String name, String description, String... labels) {
                return MeterRegistry.this.timer(plugin + "." + name, description, labels);
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
    public Meters.Family<Meters.Timer> timer(String name, String description, String... labels) {
        return timers(name, description, labels);
    }

    /** As {@link #timer}; these also keep the latest exchanges, for {@link #exemplars}. */
    public Meters.Family<ExchangeTimer> exchangeTimer(String name, String description, String... labels) {
        return timers(name, description, labels)::series;
    }

    private synchronized Timers timers(String name, String description, String... labels) {
        LabelledSeries<?, ?> known = families.get(name);
        if (known == null) {
            DoubleHistogram histogram = meter.histogramBuilder(PREFIX + name)
                    .setDescription(description)
                    .setUnit("s")
                    .setExplicitBucketBoundariesAdvice(ExchangeTimer.SECONDS)
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

    /**
     * Registers values that go up and down, one for each set of label values, read at collection. As with {@link
     * Meters.Family#of}, there are at most 1,000 of them; further ones are left out.
     *
     * @param reading tells the values, each set of label values once
     */
    public synchronized void gauges(
            String name, String unit, String description, Consumer<Gauges> reading, String... labels) {
        observed.add(meter.gaugeBuilder(PREFIX + name)
                .setUnit(unit)
                .setDescription(description)
                .buildWithCallback(to -> reading.accept(new Gauges(List.of(labels), to))));
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

    /** The latest exchanges that {@linkplain #exchangeTimer timers of exchanges} have recorded. */
    public synchronized List<TimedSeries> exemplars() {
        List<TimedSeries> series = new ArrayList<>();
        families.forEach((name, family) -> {
            if (family instanceof Timers timers) {
                timers.series(PREFIX + name, series);
            }
        });
        return series;
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
