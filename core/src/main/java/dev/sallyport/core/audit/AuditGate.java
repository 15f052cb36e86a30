package dev.sallyport.core.audit;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets as many exchanges in as there is room for their records. A permit is taken before an exchange begins and comes
 * back when its record has been written; with it comes a share of the memory for captured bytes. Thread-safe, never
 * blocks.
 */
public final class AuditGate {

    private final int permits;
    private final int lowWater;
    private final long bytes;
    private final AtomicInteger freePermits;
    private final AtomicLong freeBytes;
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    private record Waiter(Executor executor, Runnable task) {}

    /**
     * Makes a gate.
     *
     * @param permits how many records may be on their way at once
     * @param captureBytes how many captured bytes they may hold together; one exchange gets at most half of it
     */
    public AuditGate(int permits, long captureBytes) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: at least 1)");
        }
        if (captureBytes < 0) {
            throw new IllegalArgumentException("captureBytes: " + captureBytes + " (expected: not negative)");
        }
        this.permits = permits;
        this.lowWater = Math.max(1, permits / 4);
        this.bytes = captureBytes;
        this.freePermits = new AtomicInteger(permits);
        this.freeBytes = new AtomicLong(captureBytes);
    }

    /** Takes a permit for an exchange that captures nothing. */
    public boolean tryAcquire() {
        return tryAcquire(0);
    }

    /**
     * Takes a permit and, at the same moment, room for captured bytes; both or neither.
     *
     * @param captureBytes how much may be captured; what is over half of the budget counts as half
     */
    public boolean tryAcquire(long captureBytes) {
        if (!takePermit()) {
            return false;
        }
        if (takeBytes(share(captureBytes))) {
            return true;
        }
        release();
        return false;
    }

    /**
     * Takes room for bytes that an exchange under way has captured; it goes back with the permit. Half of the memory is
     * all that goes in this way, so that nobody waits for it.
     */
    boolean tryCapture(long captureBytes) {
        long free = freeBytes.get();
        while (free - captureBytes >= bytes - bytes / 2) {
            long seen = freeBytes.compareAndExchange(free, free - captureBytes);
            if (seen == free) {
                return true;
            }
            free = seen;
        }
        return false;
    }

    /** Gives a permit back that captured nothing. */
    public void release() {
        release(0);
    }

    /** Gives a permit back, with the room that was taken with it. */
    public void release(long captureBytes) {
        long share = share(captureBytes);
        if (share > 0) {
            freeBytes.addAndGet(share);
        }
        int free = freePermits.incrementAndGet();
        if (free > permits) {
            freePermits.decrementAndGet();
            throw new IllegalStateException("a permit was given back twice");
        }
        if (!waiters.isEmpty()) {
            wake();
        }
    }

    /**
     * Runs the task once it is worth asking again: at once when there is room, else at low water, when a quarter of the
     * permits and half of the memory are free. Others are woken too: the task asks, and may have to wait again.
     */
    public void whenAvailable(Executor executor, Runnable task) {
        waiters.add(new Waiter(executor, task));
        // Room may have appeared between the caller's question and the line above.
        wake();
    }

    /** Whether somebody waits. */
    public boolean isWaitedFor() {
        return !waiters.isEmpty();
    }

    /** How many permits are free. */
    public int available() {
        return freePermits.get();
    }

    /** How many permits there are. */
    public int capacity() {
        return permits;
    }

    private boolean takePermit() {
        int free = freePermits.get();
        while (free > 0) {
            int seen = freePermits.compareAndExchange(free, free - 1);
            if (seen == free) {
                return true;
            }
            free = seen;
        }
        return false;
    }

    private boolean takeBytes(long share) {
        if (share == 0) {
            return true;
        }
        long free = freeBytes.get();
        while (free >= share) {
            long seen = freeBytes.compareAndExchange(free, free - share);
            if (seen == free) {
                return true;
            }
            free = seen;
        }
        return false;
    }

    /** Half at most: at low water every share that can be asked for is there. */
    private long share(long captureBytes) {
        return Math.min(captureBytes, bytes / 2);
    }

    private void wake() {
        while (freePermits.get() >= lowWater && freeBytes.get() >= bytes / 2) {
            Waiter waiter = waiters.poll();
            if (waiter == null) {
                return;
            }
            try {
                waiter.executor.execute(waiter.task);
            } catch (RejectedExecutionException e) {
                // Its loop is gone, and so is whoever waited.
            }
        }
    }
}
