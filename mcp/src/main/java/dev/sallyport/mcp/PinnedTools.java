package dev.sallyport.mcp;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The definitions of tools as first seen, and which of them have changed since. Thread-safe. Holds a bounded number of
 * tools; further ones are not trusted.
 */
final class PinnedTools {

    /** The most tools that are remembered of one workload, so that none leaves others without any. */
    static final int MAX_OF_WORKLOAD = 4_096;

    /** The most tools that are remembered, over all workloads. */
    static final int MAX_TOOLS = 262_144;

    /** The result of comparing a definition. */
    enum Sight {
        /** The tool was unknown; its definition is remembered from now on. */
        FIRST,
        /** The definition is unchanged. */
        SAME,
        /** The definition has changed. */
        CHANGED
    }

    private record Key(Origin origin, String tool) {}

    private record Pin(String digest, boolean changed) {}

    private final ConcurrentHashMap<Key, Pin> pins = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, AtomicInteger> ofWorkloads = new ConcurrentHashMap<>();

    /**
     * Compares a definition with the expected one.
     *
     * @param digest the definition's digest
     * @param given the configured digest, or null to compare with the first definition seen
     */
    Sight see(Origin origin, String tool, String digest, @Nullable String given) {
        Key key = new Key(origin, tool);
        AtomicInteger own = ofWorkloads.computeIfAbsent(origin.workload(), workload -> new AtomicInteger());
        if (!pins.containsKey(key) && (own.get() >= MAX_OF_WORKLOAD || pins.size() >= MAX_TOOLS)) {
            return digest.equals(given) ? Sight.SAME : Sight.CHANGED;
        }
        Pin fresh = new Pin(given != null ? given : digest, given != null && !digest.equals(given));
        Pin before = pins.putIfAbsent(key, fresh);
        if (before == null) {
            own.incrementAndGet();
            return fresh.changed() ? Sight.CHANGED : Sight.FIRST;
        }
        String pinned = given != null ? given : before.digest();
        boolean changed = !pinned.equals(digest);
        pins.put(key, new Pin(pinned, changed));
        return changed ? Sight.CHANGED : Sight.SAME;
    }

    /** Whether a tool's definition had changed when it was last seen. */
    boolean changed(Origin origin, String tool) {
        Pin pin = pins.get(new Key(origin, tool));
        return pin != null && pin.changed();
    }
}
