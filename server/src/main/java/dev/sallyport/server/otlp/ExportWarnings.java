package dev.sallyport.server.otlp;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Log messages about one signal, each kind at most once a minute. Confined to one thread. */
final class ExportWarnings {

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final Target target;
    private final ExportMeters meters;
    private final String limits;

    /** Somebody has been told of a failure, and not yet that it is over. */
    private boolean failing;

    private boolean failureTold;
    private long failureToldAt;
    private long refusalToldAt;
    private long dropsToldAt;
    private boolean refusalTold;
    private boolean dropsTold;
    private long toldDrops;

    /** @param limits the bounds of the queue, for messages */
    ExportWarnings(Logger log, Target target, ExportMeters meters, String limits) {
        this.log = log;
        this.target = target;
        this.meters = meters;
        this.limits = limits;
    }

    void failed(String why) {
        if (!failureTold || due(failureToldAt)) {
            log.warn("otlp: {} cannot be exported, trying again: {}", target, why);
            failureToldAt = System.nanoTime();
            failureTold = true;
            failing = true;
        }
    }

    void taken() {
        if (failing) {
            failing = false;
            log.info("otlp: {} are exported again", target);
        }
    }

    void refused(long items, String why) {
        if (!refusalTold || due(refusalToldAt)) {
            log.warn(
                    "otlp: {} {} are lost, the collector does not take them: {}: {}",
                    items,
                    target.signal().items(),
                    target,
                    why);
            refusalToldAt = System.nanoTime();
            refusalTold = true;
        }
    }

    /** Says how many items have found the queue full since the last time. */
    void drops() {
        long drops = meters.crowdedOut();
        if (drops > toldDrops && (!dropsTold || due(dropsToldAt))) {
            log.warn(
                    "otlp: {} {} were dropped, because the queue to the collector is full ({}): {}",
                    drops - toldDrops,
                    target.signal().items(),
                    limits,
                    target);
            toldDrops = drops;
            dropsToldAt = System.nanoTime();
            dropsTold = true;
        }
    }

    void left(long items) {
        log.warn(
                "otlp: {} {} are lost, the collector has not taken them before the end: {}",
                items,
                target.signal().items(),
                target);
    }

    private static boolean due(long toldAt) {
        return System.nanoTime() - toldAt >= INTERVAL_NANOS;
    }
}
