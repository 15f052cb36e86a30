package dev.sallyport.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * The idle connections of one loop, in order of how long they have been idle. Entries are linked through themselves,
 * since a connection comes and goes with each exchange. Confined to its loop.
 */
final class IdleList {

    private @Nullable PooledConnection first;
    private @Nullable PooledConnection last;
    private int size;

    int size() {
        return size;
    }

    /** The connection that has been idle for longest, or null. */
    @Nullable PooledConnection first() {
        return first;
    }

    /** Appends an entry that is not in the list. */
    void add(PooledConnection entry) {
        PooledConnection before = last;
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
    void remove(PooledConnection entry) {
        PooledConnection before = entry.idleBefore;
        PooledConnection after = entry.idleAfter;
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
