package dev.sallyport.core.audit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pauses between attempts to write the same records, which grow from ten milliseconds to a second, and what the log tells
 * of them. Confined to the writer's thread.
 */
final class AuditRetry {

    private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The interval at which the log repeats that writing fails. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private long pause = FIRST_PAUSE_NANOS;
    private boolean failing;
    private long told;

    /** Something was written, and there is more. */
    void progressed() {
        pause = FIRST_PAUSE_NANOS;
    }

    /** All is written. */
    void succeeded() {
        if (failing) {
            LOG.info("audit: records are written again");
        }
    }

    /** Waits before the next attempt; ends early when the thread is unparked. */
    void failed(Throwable why) {
        if (!failing || System.nanoTime() - told >= REMINDER_NANOS) {
            LOG.error("audit: records cannot be written, trying again: {}", why.toString());
            told = System.nanoTime();
        }
        failing = true;
        LockSupport.parkNanos(this, pause);
        pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
    }
}
