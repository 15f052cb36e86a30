package dev.sallyport.core.audit;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Those that wait for slots, in their order. Those that want none any more, such as requests whose connections have closed,
 * are left out whenever as many have come as stayed the last time: so there are at most twice as many as still want one, or
 * {@value #FEW}. Thread-safe.
 */
final class Waiters {

    private static final int FEW = 16;

    private final Queue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /** About how many there are. */
    private final AtomicInteger size = new AtomicInteger();

    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile int most = FEW;

    /**
     * Waits for a slot.
     *
     * @param wanted whether it still does
     */
    record Waiter(Executor executor, Runnable task, BooleanSupplier wanted) {}

    void add(Waiter waiter) {
        queue.add(waiter);
        if (size.incrementAndGet() > most) {
            forgetUnwanted();
        }
    }

    /** Leaves out those that want none any more. */
    void forgetUnwanted() {
        if (looking.compareAndSet(false, true)) {
            queue.removeIf(one -> !one.wanted.getAsBoolean());
            int left = queue.size();
            size.set(left);
            most = Math.max(FEW, 2 * left);
            looking.set(false);
        }
    }

    @Nullable Waiter poll() {
        Waiter first = queue.poll();
        if (first != null) {
            size.decrementAndGet();
        }
        return first;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Counts them. */
    int size() {
        return queue.size();
    }
}
