package dev.sallyport.core.pipeline;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** State of transforms that survives reloads: shared by key, closed with its last user. Thread-safe. */
final class SharedTransformState {

    private static final class Entry {
        private final Object value;
        private int users;

        Entry(Object value) {
            this.value = value;
        }
    }

    private final Map<Record, Entry> entries = new HashMap<>();

    @SuppressWarnings("unchecked") // equal keys are records of one class, whose maker makes one type
    synchronized <T> T acquire(Record key, Supplier<T> maker) {
        Entry entry = entries.get(key);
        if (entry == null) {
            entry = new Entry(maker.get());
            entries.put(key, entry);
        }
        entry.users++;
        return (T) entry.value;
    }

    synchronized void release(Record key) {
        Entry entry = entries.get(key);
        if (entry != null && --entry.users == 0) {
            entries.remove(key);
            if (entry.value instanceof AutoCloseable closeable) {
                QuietClose.quietly(key.getClass().getSimpleName(), closeable);
            }
        }
    }
}
