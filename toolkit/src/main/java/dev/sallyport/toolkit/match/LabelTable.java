package dev.sallyport.toolkit.match;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Labels or segments by hash; a look-up takes a region of a text and allocates nothing. Immutable. */
final class LabelTable<V> {

    private static final LabelTable<?> EMPTY = new LabelTable<>(Map.of());

    private final @Nullable String[] keys;
    private final @Nullable Object[] values;
    private final int mask;

    /** A table of these entries; all empty tables are one instance. */
    @SuppressWarnings("unchecked")
    static <V> LabelTable<V> of(Map<String, V> entries) {
        return entries.isEmpty() ? (LabelTable<V>) EMPTY : new LabelTable<>(entries);
    }

    private LabelTable(Map<String, V> entries) {
        int capacity = entries.isEmpty() ? 0 : Integer.highestOneBit(entries.size() * 2 - 1) * 2;
        keys = new @Nullable String[capacity];
        values = new @Nullable Object[capacity];
        mask = capacity - 1;
        for (Map.Entry<String, V> entry : entries.entrySet()) {
            String key = entry.getKey();
            int slot = slot(key, 0, key.length());
            while (keys[slot] != null) {
                slot = slot + 1 & mask;
            }
            keys[slot] = key;
            values[slot] = entry.getValue();
        }
    }

    /** The value of the label that the region spells, or null. */
    @SuppressWarnings("unchecked")
    @Nullable V find(String text, int from, int to) {
        if (mask < 0) {
            return null;
        }
        int length = to - from;
        int slot = slot(text, from, to);
        for (String key = keys[slot]; key != null; key = keys[slot]) {
            if (key.length() == length && text.regionMatches(from, key, 0, length)) {
                return (V) values[slot];
            }
            slot = slot + 1 & mask;
        }
        return null;
    }

    private int slot(String text, int from, int to) {
        int hash = Hashes.region(text, from, to);
        return (hash ^ hash >>> 16) & mask;
    }
}
