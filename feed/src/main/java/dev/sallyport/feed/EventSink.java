package dev.sallyport.feed;

import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.ObservedEgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an event of each record and puts it into the spool. When that is full but for a twentieth, no exchange begins any
 * more: the rest is for the refusals and ends of what is under way. When the rest is full, too, the writer of records waits,
 * as for a full disk.
 *
 * <p>Records come from the thread that writes them; {@link #settle} is called by the one that delivers, too.
 */
final class EventSink implements AuditSink {

    private static final Logger LOG = LoggerFactory.getLogger(EventSink.class);

    /** Of what may wait, in percent: at the first no exchange begins any more, below the second they do again. */
    private static final long FULL = 95;

    private static final long ROOM = 90;
    private static final long ALL = 100;

    /** The log tells of one event that cannot be kept in this time; a counter has all. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final AuditTaps taps;
    private final EventAccounts accounts;
    private volatile @Nullable EventSpool spool;
    private volatile @Nullable Thread receiver;
    private volatile boolean ended;
    private @Nullable Runnable hold;
    private volatile boolean full;
    private volatile long holds;
    private final AtomicLong lost = new AtomicLong();
    private long toldOfLoss;
    private int taken;

    EventSink(AuditTaps taps, EventAccounts accounts) {
        this.taps = taps;
        this.accounts = accounts;
    }

    /** Events go there from now on. */
    void begin(EventSpool newSpool) {
        spool = newSpool;
        settle();
    }

    /** Whoever is to be woken when there are events. */
    void receiver(Thread thread) {
        receiver = thread;
    }

    /** Nobody wants events any more: those that wait are forgotten, and no others kept. */
    void end() {
        ended = true;
        settle();
        EventSpool present = spool;
        if (present != null) {
            present.clear();
        }
    }

    /** No line is needed. */
    @Override
    public void write(ByteBuffer lines) {
        lines.position(lines.limit());
    }

    @Override
    public void take(List<AuditRecord> records) throws IOException {
        EventSpool into = spool;
        while (into != null && !ended && taken < records.size()) {
            add(into, records.get(taken));
            taken++;
        }
        taken = 0;
    }

    /** A record of which no event can be made must not hold up all others for ever. */
    private void add(EventSpool into, AuditRecord record) throws IOException {
        try {
            String account = accounts.of(record);
            ObservedEgress seen = account == null ? null : ObservedEgress.of(record);
            if (account != null && seen != null) {
                append(into, seen, account);
            }
        } catch (RuntimeException e) {
            long now = System.nanoTime();
            if (lost.getAndIncrement() == 0 || now - toldOfLoss >= REMINDER_NANOS) {
                LOG.error("the event of exchange {} cannot be kept, and is lost", record.exchangeId(), e);
                toldOfLoss = now;
            }
        }
    }

    private void append(EventSpool into, ObservedEgress seen, String account) throws IOException {
        try {
            into.append(account, seen.millis(), EventText.of(seen, account));
        } catch (SpoolFullException e) {
            into.flush(); // what there was room for can be delivered meanwhile
            settle();
            LockSupport.unpark(receiver);
            throw e;
        }
    }

    @Override
    public void flush() throws IOException {
        EventSpool into = spool;
        if (into != null && !ended) {
            into.flush();
            settle();
            LockSupport.unpark(receiver);
        }
    }

    /** Lets exchanges begin or not, by the room that there is. */
    synchronized void settle() {
        EventSpool present = spool;
        if (present == null) {
            return;
        }
        long used = present.bytes();
        if (hold == null && !ended && used >= present.capacity() / ALL * FULL) {
            LOG.error(
                    "the events that wait for the control plane take {} of {} bytes: no request is taken until there is room",
                    used,
                    present.capacity());
            full = true;
            holds++;
            hold = taps.hold();
        } else if (hold != null && (ended || used < present.capacity() / ALL * ROOM)) {
            LOG.info(ended ? "requests are taken again" : "there is room for events again: requests are taken");
            Runnable release = hold;
            hold = null;
            full = false;
            release.run();
        }
    }

    /** Whether no exchange may begin. */
    boolean isFull() {
        return full;
    }

    /** How often no exchange could begin. */
    long holds() {
        return holds;
    }

    /** Events that could not be made or kept. */
    long lost() {
        return lost.get();
    }

    @Override
    public void close() throws IOException {
        EventSpool present = spool;
        if (present != null) {
            present.flush();
            present.close();
        }
    }
}
