package dev.sallyport.sandboxd.vm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** A lock for each key, there while somebody uses it. */
final class KeyLocks<K> {

    private final ConcurrentHashMap<K, Entry> entries = new ConcurrentHashMap<>();

    private static final class Entry {
        private final ReentrantLock lock = new ReentrantLock();
        private int users;
    }

    /** A lock that is held. */
    interface Held extends AutoCloseable {

        @Override
        void close();
    }

    /** Waits until no other thread holds that of a key. */
    Held lock(K id) throws InterruptedException {
        Entry entry = entries.compute(id, (key, present) -> {
            Entry used = present == null ? new Entry() : present;
            used.users++;
            return used;
        });
        boolean held = false;
        try {
            entry.lock.lockInterruptibly();
            held = true;
        } finally {
            if (!held) {
                leave(id);
            }
        }
        return () -> {
            entry.lock.unlock();
            leave(id);
        };
    }

    private void leave(K id) {
        entries.computeIfPresent(id, (key, used) -> {
            used.users--;
            return used.users == 0 ? null : used;
        });
    }
}
