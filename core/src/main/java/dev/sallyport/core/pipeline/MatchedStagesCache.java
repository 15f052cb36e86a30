package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * Which stages reach which destination, for every generation that an event loop serves: bounded for the loop, however many
 * generations there are. A plan is found only by the very generation that made it. Touched by its loop only.
 *
 * <p>Set-associative: a destination has {@value #WAYS} possible places, the least recently used of which is given up. So
 * a look-up compares a few entries at most, whatever names clients think of, and allocates nothing.
 */
final class MatchedStagesCache {

    /** How many plans a loop keeps. */
    static final int CAPACITY = 2048;

    static final int WAYS = 8;

    private static final int SETS_BITS = Integer.numberOfTrailingZeros(CAPACITY / WAYS);
    private static final int GOLDEN = 0x9E3779B9;

    private final @Nullable Entry[] entries = new @Nullable Entry[CAPACITY];

    /** A plan, with what it holds for. */
    private record Entry(Generation owner, Destination destination, MatchedStages plan) {

        boolean is(Generation generation, Destination wanted) {
            return owner == generation && destination.equals(wanted);
        }
    }

    /** What a generation has kept for a destination, or null. */
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

    /** Keeps a plan that {@link #find} did not find. */
    void keep(Generation generation, Destination destination, MatchedStages plan) {
        int first = set(generation, destination);
        int place = first;
        while (place < first + WAYS - 1 && entries[place] != null) {
            place++;
        }
        toFront(first, place, new Entry(generation, destination, plan));
    }

    /** Forgets everything of a generation that has ended. */
    void drop(Generation generation) {
        for (int place = 0; place < CAPACITY; place++) {
            Entry entry = entries[place];
            if (entry != null && entry.owner() == generation) {
                entries[place] = null;
            }
        }
    }

    /** How many plans are kept. */
    int size() {
        int size = 0;
        for (Entry entry : entries) {
            size += entry == null ? 0 : 1;
        }
        return size;
    }

    /** What was at {@code place} gives way; what was used later moves one place back. */
    private void toFront(int first, int place, Entry entry) {
        System.arraycopy(entries, first, entries, first + 1, place - first);
        entries[first] = entry;
    }

    private static int set(Generation generation, Destination destination) {
        int mixed = (destination.hashCode() + generation.number() * GOLDEN) * GOLDEN;
        return (mixed >>> (Integer.SIZE - SETS_BITS)) * WAYS;
    }
}
