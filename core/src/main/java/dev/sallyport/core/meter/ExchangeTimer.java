package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A timer of exchanges or of their parts. Beside the distribution, it keeps one {@link Exemplar} for each bucket, at
 * most a second older than the latest measurement there. Thread-safe; allocates once per bucket and second.
 */
public final class ExchangeTimer implements Meters.Timer {

    /** Histogram bounds in seconds, from an inline transform to the slowest answer of a model. */
    static final List<Double> SECONDS = List.of(
            0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
            10.0, 30.0, 60.0);

    private static final double[] BOUNDS =
            SECONDS.stream().mapToDouble(Double::doubleValue).toArray();
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long FRESH_MILLIS = 1000;

    private final DoubleHistogram histogram;
    private final Attributes attributes;
    private final AtomicReferenceArray<Exemplar> latest = new AtomicReferenceArray<>(BOUNDS.length + 1);

    ExchangeTimer(DoubleHistogram histogram, Attributes attributes) {
        this.histogram = histogram;
        this.attributes = attributes;
    }

    @Override
    public void record(Duration took) {
        histogram.record(took.toNanos() / NANOS_PER_SECOND, attributes);
    }

    /**
     * Records a duration of an exchange.
     *
     * @param nanos the duration
     * @param exchangeId the exchange
     * @param atMillis when it ended, since 1970
     */
    public void record(long nanos, String exchangeId, long atMillis) {
        double seconds = nanos / NANOS_PER_SECOND;
        histogram.record(seconds, attributes);
        int bucket = bucket(seconds);
        Exemplar last = latest.get(bucket);
        if (last == null || Math.abs(atMillis - last.atMillis()) >= FRESH_MILLIS) {
            latest.set(bucket, new Exemplar(exchangeId, seconds, atMillis));
        }
    }

    /** The bucket whose upper bound, which belongs to it, is the least that is not below. */
    private static int bucket(double seconds) {
        int found = Arrays.binarySearch(BOUNDS, seconds);
        return found < 0 ? -found - 1 : found;
    }

    Map<String, String> labels() {
        Map<String, String> labels = new TreeMap<>();
        attributes.forEach((key, value) -> labels.put(key.getKey(), String.valueOf(value)));
        return labels;
    }

    /** From the fastest to the slowest. */
    List<Exemplar> exemplars() {
        List<Exemplar> kept = new ArrayList<>();
        for (int i = 0; i < latest.length(); i++) {
            Exemplar exemplar = latest.get(i);
            if (exemplar != null) {
                kept.add(exemplar);
            }
        }
        return kept;
    }
}
