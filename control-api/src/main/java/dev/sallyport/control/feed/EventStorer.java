package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.audit.EgressIntake;
import dev.sallyport.core.meter.HeapExhaustion;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the events of {@link EventLanes} on a thread of its own. Those of several organizations share a transaction as long
 * as all goes well. What fails although the database takes other things is tried again by organization, and then by halves,
 * until the event is known that cannot be stored: it is left out. Meanwhile those of others are stored.
 */
final class EventStorer {

    private static final Logger LOG = LoggerFactory.getLogger(EventStorer.class);

    /** The numbering of an organization's events belongs to this and the organization. */
    private static final String PROXY = "embedded:";

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Events that come one by one share a transaction. */
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The log tells of what fails again and again once in this time. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final EventLanes lanes;
    private final EgressIntake intake;
    private final String epoch = UUID.randomUUID().toString();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong transactions = new AtomicLong();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-events").unstarted(this::run);
    private volatile boolean closing;

    // For the thread.
    private List<EventLanes.Part> parts = List.of();
    private long pause = FIRST_PAUSE_NANOS;
    private boolean failing;
    private long toldOfFailure;
    private boolean over;

    EventStorer(EventLanes lanes, EgressIntake intake) {
        this.lanes = lanes;
        this.intake = intake;
    }

    EventStorer start() {
        thread.start();
        return this;
    }

    /** There are events. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** How many events have been stored. */
    long stored() {
        return stored.get();
    }

    /** In how many transactions they were. */
    long transactions() {
        return transactions.get();
    }

    private void run() {
        while (!over) {
            try {
                turn();
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private void turn() {
        parts = lanes.next(System.nanoTime());
        if (!parts.isEmpty()) {
            intake.add(parts.stream().map(this::batch).toList());
            transactions.incrementAndGet();
            parts.forEach(part -> stored.addAndGet(part.events().size()));
            lanes.stored(parts);
            parts = List.of();
            pause = FIRST_PAUSE_NANOS;
            failing = false;
            return;
        }
        long wait = lanes.waitNanos(System.nanoTime());
        if (wait < Long.MAX_VALUE) {
            LockSupport.parkNanos(this, wait);
        } else if (closing) {
            over = true;
            return;
        } else {
            LockSupport.park(this);
        }
        over = Thread.currentThread().isInterrupted();
        if (!closing && !over) {
            LockSupport.parkNanos(this, GATHER_NANOS);
        }
    }

    private EgressBatch batch(EventLanes.Part part) {
        return new EgressBatch(PROXY + part.lane().organization(), epoch, part.events());
    }

    /**
     * What failed may have been stored all the same: it has the same numbers when it comes again. Whatever it was, the thread
     * goes on: without it the proxy would be held back for ever.
     */
    private void failed(Throwable why) {
        HeapExhaustion.note(why);
        over = Thread.currentThread().isInterrupted();
        if (over) {
            return;
        }
        try {
            tell(why);
            if (isWritable()) {
                blame(why);
                return;
            }
        } catch (RuntimeException | Error e) {
            HeapExhaustion.note(e); // there was not even memory for that
        }
        sleep(pause);
        pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
    }

    private void tell(Throwable why) {
        long now = System.nanoTime();
        if (!failing || now - toldOfFailure >= REMINDER_NANOS) {
            LOG.warn("events are not stored; it is tried again", why);
            toldOfFailure = now;
        }
        failing = true;
    }

    /** Whether the database takes anything else: if it does not, the events are not to blame. */
    private boolean isWritable() {
        try {
            intake.probe();
            return true;
        } catch (RuntimeException e) {
            LOG.debug("nothing can be written", e);
            return false;
        }
    }

    private void blame(Throwable why) {
        if (parts.size() > 1) {
            lanes.suspect(parts, System.nanoTime());
        } else if (parts.size() == 1) {
            EgressBatch.Numbered bad = lanes.failed(parts.getFirst(), System.nanoTime());
            if (bad != null) {
                LOG.error(
                        "event {}:{} of {}, about {}, cannot be stored, and is lost",
                        epoch,
                        bad.position(),
                        bad.organization(),
                        bad.facts().target().host(),
                        why);
            }
        } else {
            sleep(pause); // it was not about events
        }
    }

    /** Whoever has events wakes the thread meanwhile: it sleeps on. */
    private void sleep(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !over; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            over = Thread.currentThread().isInterrupted();
        }
    }

    /** Stores what waits, for five seconds at most. Blocks. */
    void end() {
        closing = true;
        wake();
        try {
            if (!thread.join(PATIENCE)) {
                thread.interrupt();
                thread.join(PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int left = lanes.waiting();
        if (left > 0) {
            LOG.error("{} events were not stored in time, and are lost", left);
        }
    }
}
