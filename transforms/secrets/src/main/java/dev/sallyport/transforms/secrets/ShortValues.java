package dev.sallyport.transforms.secrets;

import java.util.HashSet;
import java.util.Set;

/**
 * The values that are too short to be searched for, and that the log has named: each is named once, however often a pipeline
 * is made anew around it. Thread-safe.
 */
final class ShortValues {

    /** Under which the instances of a proxy share one. */
    record Key() {}

    private static final int MOST = 10_000;

    private record Value(String secret, long version) {}

    private final Set<Value> named = new HashSet<>();

    /** Whether it has not been named yet; from now on it has. */
    synchronized boolean isNew(String secret, long version) {
        if (named.size() >= MOST) {
            named.clear();
        }
        return named.add(new Value(secret, version));
    }
}
