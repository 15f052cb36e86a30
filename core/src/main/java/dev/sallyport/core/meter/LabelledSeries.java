package dev.sallyport.core.meter;

import dev.sallyport.spi.Meters;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one name, one for each set of label values, up to a limit. Thread-safe.
 *
 * @param <M> the type that plug-ins see
 * @param <C> the type that is kept
 */
abstract class LabelledSeries<M, C extends M> implements Meters.Family<M> {

    /** The limit on sets of label values; the meter for all others is not counted. */
    static final int LIMIT = 1000;

    private static final String OTHER = "other";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_.]*");

    private final String name;
    private final List<String> labels;
    private final ConcurrentMap<List<String>, C> byValues = new ConcurrentHashMap<>();

    LabelledSeries(String name, List<String> labels) {
        this.name = name;
        this.labels = labels;
        checked(name);
        labels.forEach(LabelledSeries::checked);
    }

    private static void checked(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("meter: " + name + " (expected: lower snake case)");
        }
    }

    /** Creates the meter for one set of label values. */
    abstract C make(Attributes attributes);

    boolean hasLabels(String... others) {
        return labels.equals(List.of(others));
    }

    Collection<C> all() {
        return byValues.values();
    }

    @Nullable C existing(List<String> values) {
        return byValues.get(values);
    }

    @Override
    public M of(String... values) {
        return series(values);
    }

    /** As {@link #of}. */
    final C series(String... values) {
        if (values.length != labels.size()) {
            throw new IllegalArgumentException("meter " + name + ": values for " + Arrays.toString(values)
                    + " (expected: one for each of " + labels + ")");
        }
        List<String> key = List.of(values);
        C known = byValues.get(key);
        if (known != null) {
            return known;
        }
        if (byValues.size() >= LIMIT) {
            key = Collections.nCopies(values.length, OTHER);
        }
        return byValues.computeIfAbsent(key, fresh -> make(attributes(fresh)));
    }

    private Attributes attributes(List<String> values) {
        AttributesBuilder attributes = Attributes.builder();
        for (int i = 0; i < values.size(); i++) {
            attributes.put(labels.get(i), values.get(i));
        }
        return attributes.build();
    }
}
