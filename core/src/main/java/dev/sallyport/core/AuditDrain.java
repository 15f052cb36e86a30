package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets records that wait for a permit have it, before the loops that they wait on are gone: those of idle tunnels and of
 * WebSockets, and of connections that were one too many. As the writer goes on, permits come back.
 */
final class AuditDrain {

    private static final long PAUSE_NANOS = 1_000_000;

    private AuditDrain() {}

    /** Blocks until nothing waits any more; false when the time is over before. Not to be called on an event loop. */
    static boolean await(AuditGate gate, List<EventLoop> loops, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        int quiet = 0;
        while (System.nanoTime() - end < 0) {
            // What has been woken runs first; who then finds no permit waits again.
            for (EventLoop loop : loops) {
                long left = Math.max(0, end - System.nanoTime());
                loop.submit(() -> {}).awaitUninterruptibly(left, TimeUnit.NANOSECONDS);
            }
            quiet = gate.isWaitedFor() ? 0 : quiet + 1;
            if (quiet > 1) {
                return true;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return false;
    }
}
