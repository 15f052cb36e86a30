package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Destination;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Rules for every reading of a path. Immutable.
 *
 * @param hosts the rules with {@linkplain PathPattern#loosened() loosened} patterns, without those that are exact
 * @param complete whether none is exact
 */
record LooseRules(HostIndex hosts, boolean complete) {

    /**
     * Whether the rules as they were written need not be asked: whatever a pattern matches in a {@linkplain
     * LoosePath#isPlain plain} path, the loosened one matches too.
     */
    boolean decide(String decodedPath) {
        return complete && LoosePath.isPlain(decodedPath);
    }

    /**
     * The lowest rule below {@code best} that matches some reading of the path, or {@code best}. Allocates nothing for a
     * path that has no other reading.
     */
    int first(Destination destination, int method, String decodedPath, int best, @Nullable BitSet all) {
        if (LoosePath.isPlain(decodedPath)) {
            return plain(destination, method, decodedPath, best, all);
        }
        int found = best;
        for (String reading : LoosePath.readings(decodedPath)) {
            found = plain(destination, method, reading, found, all);
        }
        return found;
    }

    /** As {@link #first}, for a path that has no other reading; allocates nothing. */
    int plain(Destination destination, int method, String path, int best, @Nullable BitSet all) {
        return Math.min(
                best,
                hosts.first(
                        destination.host(),
                        destination.literal(),
                        RequestKnowledge.FULL,
                        HostRules.origin(destination),
                        method,
                        path,
                        all));
    }
}
