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
 * Ends an engine: connections first, then their records. Knows what did not end in time, so that nothing else waits
 * long for it. One thread closes; others may ask.
 */
final class ShutdownSequence {

    private static final Logger LOG = LoggerFactory.getLogger(ShutdownSequence.class);
    private static final Duration AUDIT_DRAIN = Duration.ofSeconds(10);

    /**
     * The limit for event loops that should have closed their connections by now, and for a sink that should take
     * records.
     */
    private static final Duration LATE = Duration.ofSeconds(1);

    /** The limit for each wait on a blocked event loop, so that all of them together take seconds. */
    private static final Duration BLOCKED = Duration.ofMillis(300);

    private volatile Duration patience = AUDIT_DRAIN;
    private volatile Duration auditPatience = AUDIT_DRAIN;
    private volatile boolean hard;

    /** How long to wait for what should end by itself. */
    Duration patience() {
        return patience;
    }

    /** How long the writer may take for the remaining records. */
    Duration auditPatience() {
        return auditPatience;
    }

    /** Whether anything that did not end was abandoned. */
    boolean isHard() {
        return hard;
    }

    /** Something does not end, and is no longer waited for. */
    void leaveBehind() {
        hard = true;
    }

    /** Lets exchanges in progress end within a limit, and closes every connection. Blocks. */
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

    /**
     * Waits until the last records have their permits and have been written, while the companions that take them are still
     * there. Blocks.
     */
    void await(AuditGate gate, List<EventLoop> loops) {
        gate.end();
        if (!AuditDrain.await(gate, loops, patience)) {
            LOG.error("audit records were lost: the sink took none of them within {} ms", patience.toMillis());
            hard = true;
            auditPatience = LATE;
        } else if (!AuditDrain.awaitWritten(gate, hard ? BLOCKED : auditPatience) && !hard) {
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
