package dev.sallyport.transforms.secrets;

import dev.sallyport.toolkit.scan.Placeholders;
import dev.sallyport.toolkit.scan.Swapper;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of all replacements at one moment. Where entries share a placeholder each has a layer of its own: a swapper
 * with one value for each placeholder. Immutable.
 */
final class Values {

    private static final byte[] NO_VALUE = {};

    private final List<Swapper> layers;
    private final long[] versions;

    private Values(List<Swapper> layers, long[] versions) {
        this.layers = layers;
        this.versions = versions;
    }

    /** Takes the values as they are now. */
    static Values of(Placeholders placeholders, List<List<Replacement>> byToken, int layers, int entries) {
        long[] versions = new long[entries];
        List<Swapper> swappers = new ArrayList<>(layers);
        for (int layer = 0; layer < layers; layer++) {
            List<byte[]> values = new ArrayList<>(byToken.size());
            for (List<Replacement> sharing : byToken) {
                values.add(layer < sharing.size() ? value(sharing.get(layer), versions) : NO_VALUE);
            }
            swappers.add(placeholders.swapper(values));
        }
        return new Values(List.copyOf(swappers), versions);
    }

    private static byte[] value(Replacement replacement, long[] versions) {
        // The version first: a value that changes in between is then taken again.
        long version = replacement.secret().version();
        if (!replacement.secret().available()) {
            return NO_VALUE;
        }
        versions[replacement.index()] = version;
        return replacement.secret().value().bytes();
    }

    int layers() {
        return layers.size();
    }

    Swapper layer(int layer) {
        return layers.get(layer);
    }

    /** Whether the entry's secret has changed since. */
    boolean stale(Replacement replacement) {
        return versions[replacement.index()] != replacement.secret().version();
    }

    /** Whether there was a value. */
    boolean has(Replacement replacement) {
        return versions[replacement.index()] != 0;
    }

    @Override
    public String toString() {
        return "Values[" + versions.length + "]";
    }
}
