package dev.sallyport.server.otlp;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A queue for one thread, bounded by number and by bytes. Offering never waits. What has been taken counts until it is
 * released, so that the bounds hold for what is under way, too.
 */
final class BoundedQueue<T extends Sized> {

    private final Batching bounds;
    private final Queue<T> items = new ConcurrentLinkedQueue<>();

    /** Waiting and under way. */
    private final AtomicLong held = new AtomicLong();

    private final AtomicLong bytes = new AtomicLong();

    /** Waiting only. */
    private final AtomicInteger waiting = new AtomicInteger();

    private volatile @Nullable Thread taker;
    private volatile boolean closed;

    BoundedQueue(Batching bounds) {
        this.bounds = bounds;
    }

    /** From any thread; returns false, and takes nothing, when the queue is full or closed. */
    boolean offer(T item) {
        int size = item.bytes();
        boolean fits = held.incrementAndGet() <= bounds.maxItems();
        fits &= bytes.addAndGet(size) <= bounds.maxBytes();
        if (!fits || closed) {
            held.decrementAndGet();
            bytes.addAndGet(-size);
            return false;
        }
        items.add(item);
        int now = waiting.incrementAndGet();
        if (now == 1 || now == bounds.batchItems()) {
            LockSupport.unpark(taker);
        }
        return true;
    }

    /** Names the thread that takes, before the first {@link #take}. */
    void takenBy(Thread thread) {
        taker = thread;
    }

    /**
     * Waits until there is a batch, or something has waited for as long as a batch waits, or the queue is closed; then
     * takes at most one batch.
     */
    void take(List<T> into) {
        while (waiting.get() == 0 && !closed) {
            LockSupport.park(this);
        }
        long end = System.nanoTime() + bounds.delay().toNanos();
        long left = bounds.delay().toNanos();
        while (waiting.get() < bounds.batchItems() && !closed && left > 0) {
            LockSupport.parkNanos(this, left);
            left = end - System.nanoTime();
        }
        long size = 0;
        while (into.size() < bounds.batchItems() && size < Batching.BATCH_BYTES) {
            T item = items.poll();
            if (item == null) {
                return;
            }
            waiting.decrementAndGet();
            size += item.bytes();
            into.add(item);
        }
    }

    /** What has been taken has been delivered or dropped. */
    void release(List<T> taken) {
        long size = 0;
        for (T item : taken) {
            size += item.bytes();
        }
        held.addAndGet(-taken.size());
        bytes.addAndGet(-size);
    }

    /** Waiting and under way. */
    long size() {
        return held.get();
    }

    /** Takes nothing more. What is there can still be taken. */
    void close() {
        closed = true;
        LockSupport.unpark(taker);
    }

    boolean isClosed() {
        return closed;
    }

    /** The bounds, for messages. */
    String limits() {
        return bounds.maxItems() + " items, " + (bounds.maxBytes() >> 20) + " MiB";
    }
}
