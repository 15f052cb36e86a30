package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import java.util.List;

/** The timers of one name. */
final class Timers extends LabelledSeries<Meters.Timer, Meters.Timer> {

    private static final double NANOS_PER_SECOND = 1e9;

    private final DoubleHistogram histogram;

    Timers(String name, List<String> labels, DoubleHistogram histogram) {
        super(name, labels);
        this.histogram = histogram;
    }

    @Override
    Meters.Timer make(Attributes attributes) {
        return took -> histogram.record(took.toNanos() / NANOS_PER_SECOND, attributes);
    }
}
