package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import java.util.List;

/** The timers of one name. */
final class Timers extends LabelledSeries<Meters.Timer, ExchangeTimer> {

    private final DoubleHistogram histogram;

    Timers(String name, List<String> labels, DoubleHistogram histogram) {
        super(name, labels);
        this.histogram = histogram;
    }

    @Override
    ExchangeTimer make(Attributes attributes) {
        return new ExchangeTimer(histogram, attributes);
    }

    /** Adds the series that have recorded exchanges. */
    void series(String name, List<TimedSeries> to) {
        for (ExchangeTimer timer : all()) {
            List<Exemplar> exemplars = timer.exemplars();
            if (!exemplars.isEmpty()) {
                to.add(new TimedSeries(name, timer.labels(), exemplars));
            }
        }
    }
}
