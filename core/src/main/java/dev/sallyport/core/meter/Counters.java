package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one name. */
final class Counters extends LabelledSeries<Meters.Counter, Counters.Cell> {

    /** The counter of one set of labels. */
    record Cell(Attributes attributes, LongAdder sum) implements Meters.Counter {
        @Override
        public void add(long amount) {
            if (amount < 0) {
                throw new IllegalArgumentException("amount: " + amount + " (expected: 0 or more)");
            }
            sum.add(amount);
        }
    }

    Counters(String name, List<String> labels) {
        super(name, labels);
    }

    @Override
    Cell make(Attributes attributes) {
        return new Cell(attributes, new LongAdder());
    }

    long count(List<String> values) {
        Cell cell = existing(values);
        return cell == null ? 0 : cell.sum().sum();
    }

    void report(ObservableLongMeasurement to) {
        for (Cell cell : all()) {
            to.record(cell.sum().sum(), cell.attributes());
        }
    }
}
