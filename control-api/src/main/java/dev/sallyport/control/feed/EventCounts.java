package dev.sallyport.control.feed;

import java.util.HashMap;
import java.util.Map;

/**
 * What has happened to the events of organizations so far, for the meters: the first hundred to which something has
 * happened are counted by name, and all others together. Thread-safe.
 */
final class EventCounts {

    /** Organizations that are counted by name. */
    static final int NAMED = 100;

    /** Those that are not, and what is nobody's. */
    static final String OTHER = "other";

    private final Map<String, Long> lost = new HashMap<>();
    private final Map<String, Long> cut = new HashMap<>();
    private final Map<String, Long> holds = new HashMap<>();

    /** An event could not be made or stored. Returns how many have been lost now. */
    synchronized long lost(String organization) {
        count(lost, organization);
        return sum(lost);
    }

    /** An event has only some of its replacements. Returns how many have now. */
    synchronized long cut(String organization) {
        count(cut, organization);
        return sum(cut);
    }

    /** No exchange of an organization may begin. */
    synchronized void held(String organization) {
        count(holds, organization);
    }

    private static void count(Map<String, Long> counts, String organization) {
        boolean named = counts.containsKey(organization) || counts.size() < NAMED;
        counts.merge(named ? organization : OTHER, 1L, Long::sum);
    }

    static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** By organization. */
    synchronized Map<String, Long> lost() {
        return Map.copyOf(lost);
    }

    /** By organization. */
    synchronized Map<String, Long> cut() {
        return Map.copyOf(cut);
    }

    /** By organization. */
    synchronized Map<String, Long> holds() {
        return Map.copyOf(holds);
    }
}
