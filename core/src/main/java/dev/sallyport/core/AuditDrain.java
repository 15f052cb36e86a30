package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives permits to the records that wait for one, of idle tunnels, of WebSockets and of connections beyond the limit,
 * before their loops are gone. As the writer progresses, permits become free.
 */
final class AuditDrain {

    private static final long PAUSE_NANOS = 1_000_000;

    private AuditDrain() {}

    /**
     * Blocks until nothing waits any more; returns false when the time was not enough. Must not be called on an event
     * loop.
     */
    static boolean await(AuditGate gate, List<EventLoop> loops, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        int quiet = 0;
        while (System.nanoTime() - end < 0) {
            // Woken waiters run first; those that then find no permit wait again.
            for (EventLoop loop : loops) {
                long left = Math.max(0, end - System.nanoTime());
                loop.submit(() -> {}).awaitUninterruptibly(left, TimeUnit.NANOSECONDS);
            }
            quiet = gate.hasUnwritten() ? 0 : quiet + 1;
            if (quiet > 1) {
                return true;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return false;
    }

    /** Blocks until no record has a slot any more; returns false when the time was not enough. */
    static boolean awaitWritten(AuditGate gate, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (gate.records() > 0) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }
}
