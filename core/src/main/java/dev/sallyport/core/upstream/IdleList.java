package dev.sallyport.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * The idle connections of one loop, idle for longest first. The entries are the links: a connection comes and goes with
 * each exchange. Confined to its loop.
 */
final class IdleList {

    private @Nullable PoolEntry first;
    private @Nullable PoolEntry last;
    private int size;

    int size() {
        return size;
    }

    /** The one that is idle for longest, or null. */
    @Nullable PoolEntry first() {
        return first;
    }

    /** Appends an entry that is not in the list. */
    void add(PoolEntry entry) {
        PoolEntry before = last;
        entry.idleBefore = before;
        entry.idleAfter = null;
        if (before == null) {
            first = entry;
        } else {
            before.idleAfter = entry;
        }
        last = entry;
        size++;
    }

    /** Removes an entry that is in the list. */
    void remove(PoolEntry entry) {
        PoolEntry before = entry.idleBefore;
        PoolEntry after = entry.idleAfter;
        if (before == null) {
            first = after;
        } else {
            before.idleAfter = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.idleBefore = before;
        }
        entry.idleBefore = null;
        entry.idleAfter = null;
        size--;
    }
}
