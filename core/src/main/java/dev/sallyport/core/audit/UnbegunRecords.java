package dev.sallyport.core.audit;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The slots for records of what ended before it began. Clients make as many of these as they like, by leaving: so they wait
 * neither for what their client has under way nor for the end of a hold, but each client has only some of them at once, beside
 * its share. Thread-safe.
 */
final class UnbegunRecords {

    /** A client has one slot in so many, and at least one. */
    private static final int PART = 64;

    private final AuditGate gate;
    private final int most;

    /** How many wait, of all clients. */
    private final AtomicInteger waiting = new AtomicInteger();

    /** Those of one client that wait, because it has all that it may have, or there are no slots at all. */
    static final class Waiting {

        private final Waiters waiters = new Waiters();
        private final Executor executor;

        /** Whether it waits for any slot, in behalf of all. */
        private final AtomicBoolean asks = new AtomicBoolean();

        Waiting(Executor executor) {
            this.executor = executor;
        }
    }

    UnbegunRecords(AuditGate gate) {
        this.gate = gate;
        this.most = Math.max(1, gate.capacity() / PART);
    }

    int waiting() {
        return waiting.get();
    }

    boolean admits(ClientShare share) {
        return share.unbegun() < most;
    }

    void await(ClientShare share, Executor executor, Runnable task) {
        Waiting its = share.unbegunWaiting(executor);
        waiting.incrementAndGet();
        its.waiters.add(new Waiters.Waiter(executor, task, () -> true));
        serve(share, its); // a slot may have come back meanwhile
    }

    /** A slot of these has come back. */
    void returned(ClientShare share) {
        Waiting its = share.unbegunWaiting();
        if (its != null) {
            serve(share, its);
        }
    }

    /** Wakes as many as there may be; each asks, and may have to wait again. */
    private void serve(ClientShare share, Waiting its) {
        int room = Math.min(gate.available(), most - share.unbegun());
        for (int i = 0; i < room; i++) {
            Waiters.Waiter next = its.waiters.poll();
            if (next == null) {
                return;
            }
            waiting.decrementAndGet();
            gate.run(next);
        }
        if (gate.available() <= 0 && !its.waiters.isEmpty() && its.asks.compareAndSet(false, true)) {
            gate.whenAvailable(null, its.executor, () -> {
                its.asks.set(false);
                serve(share, its);
            });
        }
    }
}
