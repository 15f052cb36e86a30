package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.net.DrainReport;
import dev.sallyport.core.net.Listeners;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How an engine ends: connections first, then the records of what was on them. Knows what would not end, so that nobody
 * else waits long for it. One thread closes; others may ask.
 */
final class ShutdownSequence {

    private static final Logger LOG = LoggerFactory.getLogger(ShutdownSequence.class);
    private static final Duration AUDIT_DRAIN = Duration.ofSeconds(10);

    /** For event loops that should have closed their connections by now, and a sink that should have taken records. */
    private static final Duration LATE = Duration.ofSeconds(1);

    /** For each thing that may wait for an event loop which is blocked, so that all of them together are seconds. */
    private static final Duration BLOCKED = Duration.ofMillis(300);

    private volatile Duration patience = AUDIT_DRAIN;
    private volatile Duration auditPatience = AUDIT_DRAIN;
    private volatile boolean hard;

    /** How long to wait for what should come to its end by itself. */
    Duration patience() {
        return patience;
    }

    /** How long the writer of records may take for the rest. */
    Duration auditPatience() {
        return auditPatience;
    }

    /** Whether something was left behind that would not end. */
    boolean isHard() {
        return hard;
    }

    /** Something would not end, and nobody waits for it any longer. */
    void leaveBehind() {
        hard = true;
    }

    /** Lets exchanges under way end within a limit, and closes every connection. Blocks. */
    void drain(Duration limit, Listeners listeners, LoopWatch watch) {
        CompletableFuture<DrainReport> closed = listeners.shutdown(limit).toCompletableFuture();
        DrainReport report = await(closed, limit.plus(LATE));
        if (report == null && watch.interrupt()) {
            report = await(closed, BLOCKED);
        }
        if (report == null) {
            String blocked = watch.report();
            LOG.error(
                    "shutting down without waiting any longer: {}",
                    blocked.isEmpty() ? "connections that do not close" : blocked);
            hard = true;
            patience = BLOCKED;
        } else if (report.aborted() > 0) {
            LOG.warn("{} connections were cut off after {} s", report.aborted(), limit.toSeconds());
        }
    }

    /** Lets the last records have their permits. Blocks. */
    void await(AuditGate gate, List<EventLoop> loops) {
        if (!AuditDrain.await(gate, loops, patience)) {
            LOG.error("audit records were lost: the sink took none of them within {} ms", patience.toMillis());
            hard = true;
            auditPatience = LATE;
        }
    }

    private static @Nullable DrainReport await(CompletableFuture<DrainReport> closed, Duration limit) {
        try {
            return closed.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (TimeoutException | ExecutionException e) {
            return null;
        }
    }
}
