package dev.sallyport.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * The idle connections of one loop, idle for longest first. The entries are the links: a connection comes and goes with
 * each exchange. Confined to its loop.
 */
final class IdleList {

    private @Nullable PooledConnection first;
    private @Nullable PooledConnection last;
    private int size;

    int size() {
        return size;
    }

    /** The one that is idle for longest, or null. */
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
