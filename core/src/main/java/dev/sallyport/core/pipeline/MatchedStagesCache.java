package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * The stages that match each destination, for all generations that an event loop serves. Its size is bounded for the
 * loop, however many generations there are; an entry is found only by the generation that made it. Confined to its
 * loop.
 *
 * <p>Set-associative: a destination may be in {@value #WAYS} places, of which the least recently used is overwritten. A
 * look-up therefore compares a few entries at most, whatever names clients ask for, and allocates nothing.
 *
 */
final class MatchedStagesCache {

    /** How many entries a loop keeps. */
    static final int CAPACITY = 2048;

    static final int WAYS = 8;

    private static final int SETS_BITS = Integer.numberOfTrailingZeros(CAPACITY / WAYS);
    private static final int GOLDEN = 0x9E3779B9;

    private final @Nullable Entry[] entries = new @Nullable Entry[CAPACITY];

    /** Matched stages, with their key. */
    private record Entry(Generation owner, Destination destination, MatchedStages plan) {

        boolean is(Generation generation, Destination wanted) {
            return owner == generation && destination.equals(wanted);
        }
    }

    /** The stages that a generation has kept for a destination, or null. */
    @Nullable MatchedStages find(Generation generation, Destination destination) {
        int first = set(generation, destination);
        Entry latest = entries[first];
        if (latest != null && latest.is(generation, destination)) {
            return latest.plan();
        }
        for (int place = first + 1; place < first + WAYS; place++) {
            Entry entry = entries[place];
            if (entry != null && entry.is(generation, destination)) {
                toFront(first, place, entry);
                return entry.plan();
            }
        }
        return null;
    }

    /** Keeps stages that {@link #find} did not find. */
    void keep(Generation generation, Destination destination, MatchedStages plan) {
        int first = set(generation, destination);
        int place = first;
        while (place < first + WAYS - 1 && entries[place] != null) {
            place++;
        }
        toFront(first, place, new Entry(generation, destination, plan));
    }

    /** Removes the entries of a generation that has ended. */
    void drop(Generation generation) {
        for (int place = 0; place < CAPACITY; place++) {
            Entry entry = entries[place];
            if (entry != null && entry.owner() == generation) {
                entries[place] = null;
            }
        }
    }

    /** How many entries are kept. */
    int size() {
        int size = 0;
        for (Entry entry : entries) {
            size += entry == null ? 0 : 1;
        }
        return size;
    }

    /** Overwrites the entry at {@code place}; entries that were used more recently move one place back. */
    private void toFront(int first, int place, Entry entry) {
        System.arraycopy(entries, first, entries, first + 1, place - first);
        entries[first] = entry;
    }

    private static int set(Generation generation, Destination destination) {
        int mixed = (destination.hashCode() + generation.number() * GOLDEN) * GOLDEN;
        return (mixed >>> (Integer.SIZE - SETS_BITS)) * WAYS;
    }
}
