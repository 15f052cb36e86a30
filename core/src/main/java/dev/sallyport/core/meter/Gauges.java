package dev.sallyport.core.meter;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import java.util.List;

/** Receives the values of a gauge with labels during one collection. */
public final class Gauges {

    private final List<String> labels;
    private final ObservableDoubleMeasurement to;
    private int told;

    Gauges(List<String> labels, ObservableDoubleMeasurement to) {
        this.labels = labels;
        this.to = to;
    }

    /**
     * Tells the value of one series.
     *
     * @param values of the labels, in the order of their declaration
     */
    public void tell(double value, String... values) {
        if (values.length != labels.size()) {
            throw new IllegalArgumentException(
                    "gauge: " + values.length + " label values (expected: one for each of " + labels + ")");
        }
        if (told++ < LabelledSeries.LIMIT) {
            AttributesBuilder attributes = Attributes.builder();
            for (int i = 0; i < values.length; i++) {
                attributes.put(labels.get(i), values[i]);
            }
            to.record(value, attributes.build());
        }
    }
}
