package dev.sallyport.toolkit.match;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Labels or segments by hash; a look-up takes a region of a text and allocates nothing. Immutable. */
final class LabelTable<V> {

    private static final LabelTable<?> EMPTY = new LabelTable<>(0);

    private final @Nullable String[] keys;
    private final @Nullable Object[] values;
    private final int mask;

    /** A table of nothing; one instance. */
    @SuppressWarnings("unchecked")
    static <V> LabelTable<V> empty() {
        return (LabelTable<V>) EMPTY;
    }

    /**
     * A table of these entries.
     *
     * @param finish makes a value of what stands for it
     */
    static <B, V> LabelTable<V> of(Map<String, B> entries, Function<B, V> finish) {
        LabelTable<V> table = new LabelTable<>(entries.size());
        entries.forEach((label, value) -> table.put(label, finish.apply(value)));
        return table;
    }

    private LabelTable(int size) {
        int capacity = size == 0 ? 0 : Integer.highestOneBit(size * 2 - 1) * 2;
        keys = new @Nullable String[capacity];
        values = new @Nullable Object[capacity];
        mask = capacity - 1;
    }

    private void put(String label, V value) {
        int slot = slot(label, 0, label.length());
        while (keys[slot] != null) {
            slot = slot + 1 & mask;
        }
        keys[slot] = label;
        values[slot] = value;
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
