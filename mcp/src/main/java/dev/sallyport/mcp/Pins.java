package dev.sallyport.mcp;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The definitions of tools as they were seen first, and which of them have changed since. Thread-safe. Holds a bounded
 * number of tools; what comes after is not trusted.
 */
final class Pins {

    /** How many tools of all workloads together are remembered. */
    static final int MAX_TOOLS = 65_536;

    /** What a look at a definition brings. */
    enum Sight {
        /** Nothing was known of it; it is from now on. */
        FIRST,
        /** It is what it was. */
        SAME,
        /** It is another one. */
        CHANGED
    }

    private record Key(Origin origin, String tool) {}

    private record Pin(String digest, boolean changed) {}

    private final ConcurrentHashMap<Key, Pin> pins = new ConcurrentHashMap<>();

    /**
     * Compares a definition with what it has to be.
     *
     * @param digest that of the definition
     * @param given that of the configuration, or null to compare with what was seen first
     */
    Sight see(Origin origin, String tool, String digest, @Nullable String given) {
        Key key = new Key(origin, tool);
        if (!pins.containsKey(key) && pins.size() >= MAX_TOOLS) {
            return digest.equals(given) ? Sight.SAME : Sight.CHANGED;
        }
        Pin fresh = new Pin(given != null ? given : digest, given != null && !digest.equals(given));
        Pin before = pins.putIfAbsent(key, fresh);
        if (before == null) {
            return fresh.changed() ? Sight.CHANGED : Sight.FIRST;
        }
        String pinned = given != null ? given : before.digest();
        boolean changed = !pinned.equals(digest);
        pins.put(key, new Pin(pinned, changed));
        return changed ? Sight.CHANGED : Sight.SAME;
    }

    /** Whether a tool's definition was another one when it was last seen. */
    boolean changed(Origin origin, String tool) {
        Pin pin = pins.get(new Key(origin, tool));
        return pin != null && pin.changed();
    }
}
