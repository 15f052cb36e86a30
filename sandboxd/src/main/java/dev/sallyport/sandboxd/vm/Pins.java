package dev.sallyport.sandboxd.vm;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The layers that somebody works with, who has read their names in one file and has not written them into another one yet.
 * They are not removed meanwhile, however long that takes, and nobody waits for it. Safe for use by many threads.
 */
final class Pins {

    private final Map<String, Integer> users = new HashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** As long as it is open, layers stay. */
    interface Pin extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * A time in which nobody pins anything.
     *
     * @param pinned what is pinned when it begins; some of it may not be any more when it ends
     */
    record Quiet(Set<String> pinned, ReentrantLock lock) implements AutoCloseable {

        @Override
        public void close() {
            lock.unlock();
        }
    }

    /**
     * Pins layers. What names them is to be looked at again afterwards: they may have been removed before.
     *
     * @param digests those of the layers
     */
    Pin pin(Collection<String> digests) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return pinOn(digests);
        } finally {
            lock.unlock();
        }
    }

    /** Pins layers that the caller has pinned already, for longer; waits for nobody. */
    Pin pinOn(Collection<String> digests) {
        List<String> all = List.copyOf(digests);
        all.forEach(digest -> count(digest, 1));
        return () -> release(all);
    }

    /** Whoever pins something waits until it is closed, by the thread that called this: it has to be short. */
    Quiet quiet() throws InterruptedException {
        lock.lockInterruptibly();
        synchronized (users) {
            return new Quiet(Set.copyOf(users.keySet()), lock);
        }
    }

    /** Waits for nobody. */
    private void release(List<String> digests) {
        digests.forEach(digest -> count(digest, -1));
    }

    private void count(String digest, int change) {
        synchronized (users) {
            users.merge(digest, change, (before, more) -> before + more == 0 ? null : before + more);
        }
    }
}
