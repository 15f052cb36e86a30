package dev.sallyport.core.audit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Admits as many exchanges as there is room for their records. A slot is taken before an exchange begins and returned
 * when its record has been written. No client takes all of them: each has a {@link ClientShare}. Also limits captured
 * bytes. Thread-safe, never blocks.
 */
public final class AuditGate {

    private final int slots;
    private final AtomicInteger free;
    private final AtomicInteger weight = new AtomicInteger();
    private final AtomicLong freeBytes;
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    /** Shares are kept as long as a connection or an exchange of the client references them. */
    private final Cache<Client, ClientShare> shares =
            Caffeine.newBuilder().executor(Runnable::run).weakValues().build();

    private record Waiter(@Nullable ClientShare share, Executor executor, Runnable task) {}

    /**
     * The clients whose slots are counted together. The holder of one IPv6 address has the 2^64 with the same prefix.
     */
    private record Client(long bits, boolean v6, String workload) {

        static Client of(InetAddress address, String workload) {
            ByteBuffer of = ByteBuffer.wrap(address.getAddress());
            return address instanceof Inet6Address
                    ? new Client(of.getLong(), true, workload)
                    : new Client(of.getInt(), false, workload);
        }

        // Written out, because the first connection would wait while Java generates it.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Client client
                    && client.bits == bits
                    && client.v6 == v6
                    && client.workload.equals(workload);
        }

        @Override
        public int hashCode() {
            return 31 * Long.hashCode(bits) + workload.hashCode();
        }
    }

    /**
     * Makes a gate.
     *
     * @param slots how many records may be unwritten at once
     * @param captureBytes how many captured bytes may be unwritten at once
     */
    public AuditGate(int slots, long captureBytes) {
        if (slots < 1) {
            throw new IllegalArgumentException("slots: " + slots + " (expected: at least 1)");
        }
        if (captureBytes < 0) {
            throw new IllegalArgumentException("captureBytes: " + captureBytes + " (expected: not negative)");
        }
        this.slots = slots;
        this.free = new AtomicInteger(slots);
        this.freeBytes = new AtomicLong(captureBytes);
    }

    /** The share of a client; the same object as long as it is referenced. */
    public ClientShare share(InetAddress address, String workload) {
        return shares.get(Client.of(address, workload), client -> new ClientShare());
    }

    /** Takes a slot outside of all shares, for a record of what has already ended. Null when there is none. */
    public @Nullable AuditSlot tryAcquire() {
        return take() ? new AuditSlot(this, null) : null;
    }

    /** Takes a slot out of a share; null when there is none, or the share is used up. */
    public @Nullable AuditSlot tryAcquire(ClientShare share) {
        if (!share.admits(free.get()) || !take()) {
            return null;
        }
        share.taken(1);
        return new AuditSlot(this, share);
    }

    /**
     * Runs the task once it is worth asking again: when there is a slot that it may have. Others are woken, too: the
     * task asks, and may have to wait again.
     *
     * @param share the share that the slot is taken from; null for a record outside of all shares
     */
    public void whenAvailable(@Nullable ClientShare share, Executor executor, Runnable task) {
        waiters.add(new Waiter(share, executor, task));
        // A slot may have become free between the caller's attempt and the line above.
        wake();
    }

    /** Whether anything waits for a slot. */
    public boolean isWaitedFor() {
        return !waiters.isEmpty();
    }

    /** The number of records that have slots. */
    int records() {
        return slots - free.get() - weight.get();
    }

    /** The number of free slots; negative when long records take more than there are. */
    public int available() {
        return free.get();
    }

    /** The number of slots. */
    public int capacity() {
        return slots;
    }

    /** Takes room for bytes that an exchange has captured; never waits. */
    boolean tryCapture(long captureBytes) {
        long left = freeBytes.get();
        while (left >= captureBytes) {
            long seen = freeBytes.compareAndExchange(left, left - captureBytes);
            if (seen == left) {
                return true;
            }
            left = seen;
        }
        return false;
    }

    /** Returns room for captured bytes. */
    void releaseCapture(long captureBytes) {
        if (captureBytes > 0) {
            freeBytes.addAndGet(captureBytes);
        }
    }

    /** A record that waits to be written is so long that it takes this many slots more, free or not. */
    void weigh(@Nullable ClientShare share, int more) {
        if (share != null) {
            share.taken(more);
        }
        weight.addAndGet(more);
        free.addAndGet(-more);
    }

    /** The record has been written; its own slot follows. */
    void unweigh(@Nullable ClientShare share, int more) {
        if (share != null) {
            share.returned(more);
        }
        free.addAndGet(more);
        weight.addAndGet(-more);
    }

    /** A slot has been returned. */
    void returned(@Nullable ClientShare share) {
        if (share != null) {
            share.returned(1);
        }
        free.incrementAndGet();
        if (!waiters.isEmpty()) {
            wake();
        }
    }

    private boolean take() {
        int now = free.get();
        while (now > 0) {
            int seen = free.compareAndExchange(now, now - 1);
            if (seen == now) {
                return true;
            }
            now = seen;
        }
        return false;
    }

    /** Wakes as many waiters as there are slots, in their order, passing over those whose share is used up. */
    private void wake() {
        int room = free.get();
        if (room <= 0) {
            return;
        }
        Iterator<Waiter> inOrder = waiters.iterator();
        while (inOrder.hasNext()) {
            Waiter waiter = inOrder.next();
            ClientShare share = waiter.share;
            if ((share == null || share.admits(room)) && waiters.remove(waiter)) {
                run(waiter);
                room--;
                if (room <= 0) {
                    return;
                }
            }
        }
    }

    private void run(Waiter waiter) {
        try {
            waiter.executor.execute(() -> {
                waiter.task.run();
                if (!waiters.isEmpty()) {
                    wake(); // one that no longer wants it leaves it to the next
                }
            });
        } catch (RejectedExecutionException e) {
            // Its loop is gone, and so is the waiter.
        }
    }
}
