package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.audit.EgressIntake;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.ObservedEgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the events of the proxy in the same process to the database, on a thread of its own. A database that is slow or away
 * holds back first the organizations with many events, and then all; when there is no room at all, the writer of records
 * waits: see {@link EventLanes}. An event that the database does not take, although it takes others, is left out: it must
 * not hold up all that follow.
 *
 * <p>Threads: records come from the one that writes them; its own one stores them.
 */
public final class EmbeddedEvents implements AuditSink {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEvents.class);

    /** The log tells of what fails again and again once in this time. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final EventCounts counts = new EventCounts();
    private final EventLanes lanes;
    private volatile Function<String, @Nullable EventOwner> owners = workload -> null;
    private volatile @Nullable EventStorer storer;

    // For the thread that writes records.
    private int taken;
    private long toldOfLoss;

    /** Registers itself; nothing is kept before {@link #start}. */
    public EmbeddedEvents(AuditTaps taps) {
        this(taps, EventRoom::of);
    }

    /** @param rooms by the number of exchanges that may be under way */
    EmbeddedEvents(AuditTaps taps, IntFunction<EventRoom> rooms) {
        this.lanes = new EventLanes(taps, rooms, counts);
        taps.sink(this);
    }

    /**
     * Stores events from now on.
     *
     * @param newOwners whose workload it was; null where no account has judged it, so that it is nobody's event. Must not
     *     block
     */
    public void start(EgressIntake intake, Function<String, @Nullable EventOwner> newOwners) {
        storer = new EventStorer(lanes, intake).start();
        owners = newOwners;
    }

    /** No line is needed. */
    @Override
    public void write(ByteBuffer lines) {
        lines.position(lines.limit());
    }

    @Override
    public void take(List<AuditRecord> records) throws IOException {
        while (taken < records.size()) {
            add(records.get(taken));
            taken++;
        }
        taken = 0;
    }

    /** A record of which no event can be made must not hold up all others for ever. */
    private void add(AuditRecord record) throws IOException {
        EventOwner owner = null;
        try {
            owner = record.isUntold() ? null : owners.apply(record.workload());
            ObservedEgress seen = owner == null ? null : ObservedEgress.of(record);
            if (owner != null && seen != null) {
                add(owner, facts(owner, seen));
            }
        } catch (RuntimeException e) {
            long now = System.nanoTime();
            if (counts.lost(owner == null ? EventCounts.OTHER : owner.organization()) == 1
                    || now - toldOfLoss >= REMINDER_NANOS) {
                LOG.error("the event of exchange {} cannot be kept, and is lost", record.exchangeId(), e);
                toldOfLoss = now;
            }
        }
    }

    private void add(EventOwner owner, EgressFacts facts) throws IOException {
        if (!lanes.add(owner.organization(), facts)) {
            flush();
            throw new IOException("the database does not take events (expected: room in "
                    + lanes.room().capacity() + " bytes)");
        }
    }

    private static EgressFacts facts(EventOwner owner, ObservedEgress seen) {
        return new EgressFacts(
                Instant.ofEpochMilli(seen.millis()),
                owner.vmId(),
                new EgressFacts.Target(seen.host(), seen.range(), protocol(seen.protocol())),
                new EgressFacts.Outcome(
                        seen.denied() ? EgressEvent.Verdict.DENIED : EgressEvent.Verdict.ALLOWED,
                        seen.allowed(),
                        seen.warns() ? EgressMode.WARN : EgressMode.ENFORCE,
                        dial(seen.dial())),
                seen.replacements().stream()
                        .map(replaced -> new EgressEvent.Replacement(replaced.secret(), replaced.location()))
                        .toList());
    }

    private static EgressEvent.Protocol protocol(ObservedEgress.Protocol protocol) {
        return switch (protocol) {
            case HTTP -> EgressEvent.Protocol.HTTP;
            case TLS -> EgressEvent.Protocol.TLS;
            case TCP -> EgressEvent.Protocol.TCP;
        };
    }

    private static EgressEvent.@Nullable Dial dial(ObservedEgress.@Nullable Dial dial) {
        return switch (dial) {
            case null -> null;
            case CONNECTED -> EgressEvent.Dial.CONNECTED;
            case FAILED -> EgressEvent.Dial.FAILED;
        };
    }

    @Override
    public void flush() {
        EventStorer running = storer;
        if (running != null) {
            running.wake();
        }
    }

    /** Whether there is room for events of all together; single organizations may be held back all the same. */
    public boolean ready() {
        return lanes.hasRoom();
    }

    /** How many events wait. */
    int waiting() {
        return lanes.waiting();
    }

    /** When the event began that waits longest, in milliseconds since 1970; 0 for none. */
    long oldestMillis() {
        return lanes.oldestMillis();
    }

    /** How many events have been stored. */
    long stored() {
        EventStorer running = storer;
        return running == null ? 0 : running.stored();
    }

    /** How many events could not be made or stored. */
    long lost() {
        return EventCounts.sum(counts.lost());
    }

    /** How many events have only some of their replacements. */
    long cut() {
        return EventCounts.sum(counts.cut());
    }

    /** How often no exchange could begin, of one organization or of all. */
    long holds() {
        return EventCounts.sum(counts.holds());
    }

    /** In how many transactions they were. */
    long transactions() {
        EventStorer running = storer;
        return running == null ? 0 : running.transactions();
    }

    /** What has happened to events, by organization. */
    EventCounts counts() {
        return counts;
    }

    /** Stores what waits, for five seconds at most. Blocks. To be called before the database is closed. */
    public void end() {
        EventStorer running = storer;
        if (running != null) {
            running.end();
        }
    }

    /** The end is {@link #end}, while there is still a database. */
    @Override
    public void close() {}
}
