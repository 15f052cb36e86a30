package dev.sallyport.feed;

import dev.sallyport.core.meter.HeapExhaustion;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the events of a spool, batch after batch, on a thread of its own: each again until the control plane has said
 * that it has it. A batch that it refuses is sent in smaller parts; an event that it refuses alone is lost, and the log has
 * it. What something in between answers is no refusal. Ends nothing but itself; whoever made the spool closes it, later.
 */
final class EventSender implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EventSender.class);

    private static final int MOST = 500;
    /** Batches that are not whole come no faster than this. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final EventSpool spool;
    private final EventSink sink;
    private final ControlPlaneConnection connection;
    private final Backoff backoff = new Backoff(new SecureRandom());
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-feed-events").unstarted(this::run);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private volatile long oldestMillis;
    private volatile boolean closing;
    private volatile boolean over;
    private int most = MOST;
    private boolean failing;

    /** Events that were refused alone, since the last delivery. */
    private int refusedInARow;

    EventSender(EventSpool spool, EventSink sink, ControlPlaneConnection connection) {
        this.spool = spool;
        this.sink = sink;
        this.connection = connection;
    }

    void start() {
        sink.receiver(thread);
        thread.start();
    }

    /** Events that have been delivered. */
    long sent() {
        return sent.get();
    }

    /** Events that the control plane has refused. */
    long lost() {
        return lost.get();
    }

    /** For how long the event that has waited longest has waited, in milliseconds; 0 for none. */
    long lagMillis() {
        long oldest = oldestMillis;
        return oldest == 0 ? 0 : Math.max(1, System.currentTimeMillis() - oldest);
    }

    private void run() {
        while (!over) {
            try {
                turn();
            } catch (InterruptedException e) {
                over = true;
            } catch (IOException | RuntimeException | Error e) {
                unable(e);
            }
        }
    }

    private void turn() throws IOException, InterruptedException {
        long began = System.nanoTime();
        EventSpool.Batch batch = spool.next(most);
        sink.settle();
        oldestMillis = batch == null ? 0 : batch.oldestMillis();
        if (batch != null) {
            Duration wait = deliver(batch);
            if (wait != null) {
                failed(wait);
            } else if (batch.events().size() < most && !closing && !spool.isBehind()) {
                LockSupport.parkNanos(this, PAUSE_NANOS - (System.nanoTime() - began));
            }
        } else if (closing) {
            over = true;
        } else {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    /** Whatever it was, the thread goes on: without it the proxy would be held back for ever. */
    private void unable(Throwable why) {
        HeapExhaustion.note(why);
        try {
            complain(String.valueOf(why));
        } catch (RuntimeException | Error e) {
            HeapExhaustion.note(e); // there was not even memory for that
        }
        failed(Duration.ZERO);
    }

    private void failed(Duration atLeast) {
        if (closing) {
            over = true; // what waits is lost, or on disk
            return;
        }
        Duration jitter = backoff.next();
        long end = System.nanoTime() + Math.max(jitter.toNanos(), atLeast.toNanos());
        while (!closing && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(this, Math.min(LOOK_NANOS, end - System.nanoTime()));
        }
    }

    private void complain(String why) {
        if (!failing) {
            LOG.warn("events cannot be delivered to the control plane; it is tried again: {}", why);
        }
        failing = true;
    }

    /** Null when it has been dealt with; otherwise how long to wait at least. */
    private @Nullable Duration deliver(EventSpool.Batch batch) throws IOException, InterruptedException {
        ControlPlaneConnection.Receipt receipt = connection.deliver(EventText.of(batch));
        return switch (receipt.status()) {
            case 200 -> {
                received(batch, receipt.position());
                yield null;
            }
            case 400, 413, 422 -> isRefusal(receipt) ? divide(batch, receipt) : later(receipt);
            case 401 -> unauthorized(receipt);
            default -> later(receipt);
        };
    }

    /** Whether it is the control plane that judges the events, and not something in between in its own words. */
    private static boolean isRefusal(ControlPlaneConnection.Receipt receipt) {
        return switch (receipt.status()) {
            case 400 -> receipt.code().equals("bad_request");
            case 413 -> receipt.code().equals("payload_too_large");
            default -> receipt.code().equals("validation_error");
        };
    }

    private Duration later(ControlPlaneConnection.Receipt receipt) {
        complain(receipt.status() + " " + receipt.code());
        return receipt.retryAfter() == null ? Duration.ZERO : receipt.retryAfter();
    }

    private @Nullable Duration unauthorized(ControlPlaneConnection.Receipt receipt) {
        if (receipt.code().equals("proxy_revoked")) {
            LOG.error("this proxy was deleted: its events are not kept any more");
            over = true;
            oldestMillis = 0;
            sink.end();
            return null;
        }
        complain("401 " + receipt.code());
        return Duration.ZERO;
    }

    private void received(EventSpool.Batch batch, long position) throws IOException {
        if (position < batch.last()) {
            throw new IOException("the control plane says that it has events up to " + position + " (expected: "
                    + batch.last() + ", the last one that was sent)");
        }
        sent.addAndGet(batch.events().size());
        done(batch);
        refusedInARow = 0;
        long end = spool.end(batch.epoch());
        if (position >= end) {
            LOG.error(
                    "the control plane has events up to {} of epoch {}, which goes up to {} here: the spool is an older copy; what was recorded here as {} to {} is missing there, unless it is the same",
                    position,
                    batch.epoch(),
                    end - 1,
                    batch.first(),
                    end - 1);
            if (spool.epoch().equals(batch.epoch())) {
                spool.beginEpoch();
            }
        }
        backoff.reset();
        most = Math.min(MOST, 2 * most);
        if (failing) {
            LOG.info("events are delivered again");
        }
        failing = false;
    }

    /**
     * No batch is sent for ever: what cannot be delivered is found by halves, and left out. Not all at once if it is one
     * event after the other: a fault of the control plane should not empty the spool.
     */
    private @Nullable Duration divide(EventSpool.Batch batch, ControlPlaneConnection.Receipt receipt) {
        if (batch.events().size() > 1) {
            most = batch.events().size() / 2;
            return null;
        }
        LOG.error(
                "the control plane refuses event {}:{} with {} {}: it is left out",
                batch.epoch(),
                batch.first(),
                receipt.status(),
                receipt.code());
        lost.incrementAndGet();
        done(batch);
        refusedInARow++;
        return refusedInARow > 1 ? Duration.ZERO : null;
    }

    private void done(EventSpool.Batch batch) {
        spool.delivered(batch);
        sink.settle();
    }

    /** Delivers what would be lost, for three seconds at most, and ends. Blocks. */
    @Override
    public void close() {
        closing = true;
        if (spool.isDurable()) {
            over = true;
        }
        LockSupport.unpark(thread);
        try {
            if (thread.getState() != Thread.State.NEW && !thread.join(PATIENCE)) {
                over = true;
                thread.interrupt();
                thread.join(PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!spool.isDurable() && spool.bytes() > 0) {
            LOG.error("events that were not delivered are lost (expected: spool_dir, to keep them)");
        }
    }
}
