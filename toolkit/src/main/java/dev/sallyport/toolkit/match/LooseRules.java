package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Destination;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The rules with loosened patterns, for the alternative readings of a path. Immutable.
 *
 * @param hosts the rules with {@linkplain PathPattern#loosened() loosened} patterns
 * @param respelled whether loosening changed some pattern, so that a plain path may be a variant of it
 */
record LooseRules(HostIndex hosts, boolean respelled) {

    /** Whether this path must be looked up here too. */
    boolean concern(String decodedPath) {
        return respelled || !LoosePath.isPlain(decodedPath);
    }

    /** The lowest rule below {@code best} that matches some reading of the path, or {@code best}. */
    int first(Destination destination, int method, String decodedPath, int best, @Nullable BitSet all) {
        int found = best;
        for (String reading : LoosePath.readings(decodedPath)) {
            found = Math.min(
                    found,
                    hosts.first(
                            destination.host(),
                            destination.literal(),
                            RequestKnowledge.FULL,
                            HostRules.origin(destination),
                            method,
                            reading,
                            all));
        }
        return found;
    }
}
