package dev.sallyport.core.workload;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable hash map whose changed copies share all buckets but one. A change among 10,000 entries copies 1,024
 * references and some ten entries; a look-up allocates nothing.
 */
final class BucketMap<V> {

    private static final int BUCKETS = 1024;
    private static final int GOLDEN = 0x9E3779B9;
    private static final int SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(BUCKETS);

    private final @Nullable Map<String, V>[] buckets;
    private final int size;

    private BucketMap(@Nullable Map<String, V>[] buckets, int size) {
        this.buckets = buckets;
        this.size = size;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of maps can only be made raw
    static <V> BucketMap<V> empty() {
        return new BucketMap<V>(new Map[BUCKETS], 0);
    }

    private static int bucket(String key) {
        return (key.hashCode() * GOLDEN) >>> SHIFT;
    }

    int size() {
        return size;
    }

    @Nullable V get(String key) {
        Map<String, V> bucket = buckets[bucket(key)];
        return bucket == null ? null : bucket.get(key);
    }

    /** A copy in which this key has this value, or, where that is null, none. */
    BucketMap<V> with(String key, @Nullable V value) {
        int at = bucket(key);
        Map<String, V> before = buckets[at];
        V present = before == null ? null : before.get(key);
        if (present == null && value == null) {
            return this;
        }
        Map<String, V> after = before == null ? new HashMap<>(2) : new HashMap<>(before);
        if (value == null) {
            after.remove(key);
        } else {
            after.put(key, value);
        }
        @Nullable Map<String, V>[] copy = buckets.clone();
        copy[at] = after.isEmpty() ? null : after;
        return new BucketMap<>(copy, size + (value == null ? -1 : present == null ? 1 : 0));
    }

    void forEach(Consumer<V> action) {
        for (Map<String, V> bucket : buckets) {
            if (bucket != null) {
                bucket.values().forEach(action);
            }
        }
    }
}
