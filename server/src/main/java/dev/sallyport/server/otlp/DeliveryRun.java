package dev.sallyport.server.otlp;

import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Repeats an export until it has succeeded, or never will: with pauses that double from a quarter of a second to five
 * seconds, each shortened or lengthened by a fifth at random, so that many proxies do not come back to a collector at
 * once. Confined to one thread at a time.
 */
final class DeliveryRun {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double JITTER = 0.2;

    /** How often an attempt under way looks whether it was abandoned. */
    private static final long GLANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How much longer than its limit an attempt may take, before it is given up. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final Duration timeout;
    private final ExportMeters meters;
    private final ExportWarnings warnings;
    private final BooleanSupplier abandoned;
    private final BooleanSupplier hurried;

    /** How the current attempt has ended. Each has its own: an earlier one may end when nobody waits for it any more. */
    private AtomicReference<Delivery> outcome = new AtomicReference<>(Delivery.NOT_SENT);

    /**
     * @param abandoned whether to give up now
     * @param hurried whether not to pause for long, since the end is near
     */
    DeliveryRun(
            Duration timeout,
            ExportMeters meters,
            ExportWarnings warnings,
            BooleanSupplier abandoned,
            BooleanSupplier hurried) {
        this.timeout = timeout;
        this.meters = meters;
        this.warnings = warnings;
        this.abandoned = abandoned;
        this.hurried = hurried;
    }

    /** For senders, on the thread of the attempt: what to tell, from any thread, how it has ended. */
    Consumer<Delivery> attempt() {
        return outcome::set;
    }

    /**
     * Exports until there is an end.
     *
     * @return {@link Delivery.Failed} when it was abandoned
     */
    Delivery deliver(Supplier<CompletableResultCode> export) {
        long pause = FIRST_PAUSE_NANOS;
        while (true) {
            Delivery delivery = attempt(export);
            if (delivery instanceof Delivery.Taken) {
                return delivery;
            }
            meters.failed();
            if (!(delivery instanceof Delivery.Failed failed)) {
                return delivery;
            }
            warnings.failed(failed.why());
            warnings.drops();
            if (!pause(Math.max(jittered(pause), failed.pause().toNanos()))) {
                return failed;
            }
            pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
        }
    }

    private Delivery attempt(Supplier<CompletableResultCode> export) {
        AtomicReference<Delivery> mine = new AtomicReference<>(Delivery.NOT_SENT);
        outcome = mine;
        Thread thread = Thread.currentThread();
        CompletableResultCode result;
        try {
            result = export.get().whenComplete(() -> LockSupport.unpark(thread));
        } catch (RuntimeException e) {
            return new Delivery.Refused("it could not be encoded: " + e);
        }
        long end = System.nanoTime() + timeout.plus(GRACE).toNanos();
        while (!result.isDone() && !abandoned.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return new Delivery.Failed("the attempt did not end", Duration.ZERO);
            }
            LockSupport.parkNanos(this, Math.min(left, GLANCE_NANOS));
        }
        return result.isDone() ? mine.get() : new Delivery.Failed("given up before there was an answer", Duration.ZERO);
    }

    private static long jittered(long nanos) {
        return (long)
                (nanos * (1 - JITTER + 2 * JITTER * ThreadLocalRandom.current().nextDouble()));
    }

    /** Returns false when there is nothing to wait for any more. */
    private boolean pause(long wait) {
        long began = System.nanoTime();
        while (!abandoned.getAsBoolean()) {
            long allowed = hurried.getAsBoolean() ? Math.min(wait, FIRST_PAUSE_NANOS) : wait;
            long left = began + allowed - System.nanoTime();
            if (left <= 0) {
                return true;
            }
            LockSupport.parkNanos(this, left);
        }
        return false;
    }
}
