package dev.sallyport.core.upstream;

import dev.sallyport.core.loop.Deadline;
import io.netty.channel.EventLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The streams of a connection that have a deadline, in order of their deadlines, with one timer for all of them.
 * Setting and clearing allocates nothing. Confined to its loop.
 */
final class DeadlineQueue {

    /** One stream's place in the order. */
    static final class Entry {

        private final Runnable expired;
        private @Nullable Entry earlier;
        private @Nullable Entry later;
        private long deadline;
        private boolean set;

        Entry(Runnable expired) {
            this.expired = expired;
        }
    }

    private final Deadline timer;
    private @Nullable Entry first;
    private @Nullable Entry last;

    DeadlineQueue(EventLoop loop) {
        this.timer = new Deadline(loop, this::expire);
    }

    void set(Entry entry, Duration limit) {
        clear(entry);
        entry.deadline = System.nanoTime() + limit.toNanos();
        entry.set = true;
        Entry before = last;
        while (before != null && before.deadline - entry.deadline > 0) {
            before = before.earlier; // only where limits differ
        }
        link(before, entry);
        if (before == null) {
            timer.in(limit);
        }
    }

    private void link(@Nullable Entry before, Entry entry) {
        Entry after = before == null ? first : before.later;
        entry.earlier = before;
        entry.later = after;
        if (before == null) {
            first = entry;
        } else {
            before.later = entry;
        }
        if (after == null) {
            last = entry;
        } else {
            after.earlier = entry;
        }
    }

    void clear(Entry entry) {
        if (!entry.set) {
            return;
        }
        entry.set = false;
        Entry before = entry.earlier;
        Entry after = entry.later;
        entry.earlier = null;
        entry.later = null;
        if (before == null) {
            first = after;
        } else {
            before.later = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.earlier = before;
        }
        if (first == null) {
            timer.clear();
        }
    }

    /** Clears all deadlines for good. */
    void cancel() {
        timer.cancel();
    }

    private void expire() {
        long now = System.nanoTime();
        for (Entry due = first; due != null && due.deadline - now <= 0; due = first) {
            clear(due);
            due.expired.run();
        }
        if (first != null) {
            timer.in(Duration.ofNanos(Math.max(1, first.deadline - now)));
        }
    }
}
