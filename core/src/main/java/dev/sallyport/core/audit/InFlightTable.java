package dev.sallyport.core.audit;

import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is under way, in a file that outlives the process: one place of fixed size for each record that has begun and is
 * not written yet. The file is mapped into memory and filled in advance, so that keeping it costs no system call, and a
 * full disk does not matter. {@link InFlightFile} opens it.
 *
 * <p>A place is published by one store of eight bytes, which hold length and checksum of what was written before; the
 * same store with 0 takes it back. What a killed process leaves is therefore whole, or known not to be.
 *
 * <p>Who holds a slot of the gate always finds a place: there are twice as many as slots, and records that
 * {@linkplain #lasts last} without a slot get no more than half of them. Thread-safe.
 */
final class InFlightTable {

    /** In {@link AuditRecord#entry}: it has no place. */
    static final int NONE = -1;

    /** For each slot, one for who holds it and one for what lasts without. */
    static final int PLACES_A_SLOT = 2;

    static final long MAGIC = 0x0001_5450_4C59_4C53L; // "SLYLPT", version 1
    static final int HEADER_BYTES = 4096;
    static final int PLACE_BYTES = 512;
    static final int MAGIC_AT = 0;
    static final int CAPACITY_AT = 8;
    static final int REACHED_AT = 12;

    private static final Logger LOG = LoggerFactory.getLogger(InFlightTable.class);

    /** There was no place for it; it is counted. */
    private static final int UNLISTED = -2;

    private static final int UNLISTED_AT = 16;
    private static final int MARK_AT = 24;
    private static final int OUTCOME_AT = 8;
    private static final int ENTRY_AT = 16;
    private static final long BEING_WRITTEN = 1;
    private static final int COMPLETE = 0x5A;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final byte[] NOTHING = new byte[InFlightEntry.BYTES];

    private static final FastThreadLocal<InFlightEntry> ENTRIES = new FastThreadLocal<>() {
        @Override
        protected InFlightEntry initialValue() {
            return new InFlightEntry();
        }
    };

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer map;
    private final int capacity;
    private final int mostLasting;
    private final FreeIndexes free;
    private final AtomicInteger lasting = new AtomicInteger();

    /** Held, and never for long, by who changes what is counted below. */
    private final Object counts = new Object();

    /** How many have no place. */
    private int unlisted;

    /** Places from here on were never used. */
    private volatile int reached;

    private final AtomicBoolean faulty = new AtomicBoolean();
    private volatile boolean closed;

    /** Of {@link #listen}. */
    private volatile int turns = 1;

    /**
     * What a process left behind.
     *
     * @param records under way when it ended, which keep their places until they are written
     * @param torn places that it had not finished
     * @param unlisted how many more were under way that had no place
     */
    record LeftOver(List<AuditRecord> records, int torn, int unlisted) {}

    InFlightTable(Path file, FileChannel channel, ByteBuffer map, int capacity, int slots) {
        this.file = file;
        this.channel = channel;
        this.map = map.order(ByteOrder.LITTLE_ENDIAN);
        this.capacity = capacity;
        this.mostLasting = (PLACES_A_SLOT - 1) * slots;
        this.free = new FreeIndexes(capacity);
        map.putInt(CAPACITY_AT, capacity);
        map.putLong(MAGIC_AT, MAGIC);
        new InFlightEntry().sum(0); // So that the first exchange does not wait for what this needs.
    }

    // While it is kept.

    /** A record has begun. */
    void begin(AuditRecord record) {
        if (!closed) {
            try {
                enter(record);
                listen();
            } catch (InternalError e) {
                fault(e);
            }
        }
    }

    /** It goes on without a slot. To be called before the slot is given back. */
    void lasts(AuditRecord record) {
        if (record.entry < 0 || record.lasts || closed) {
            return;
        }
        if (lasting.incrementAndGet() <= mostLasting) {
            record.lasts = true;
            return;
        }
        lasting.decrementAndGet();
        clear(record);
        try {
            leaveOut(record);
            listen();
        } catch (InternalError e) {
            fault(e);
        }
    }

    /** It has ended, and waits to be written. */
    void ended(AuditRecord record) {
        if (record.entry >= 0 && !closed) {
            int outcome = (number(record.action) << 16) | (record.statusCode & 0xFFFF);
            try {
                map.putLong(at(record.entry) + OUTCOME_AT, ((long) outcome << 32) | (~outcome & LOW));
                listen();
            } catch (InternalError e) {
                fault(e);
            }
        }
    }

    /** It has been written, or never will be. */
    void clear(AuditRecord record) {
        if (record.entry != NONE && !closed) {
            try {
                remove(record);
                listen();
            } catch (InternalError e) {
                fault(e);
            }
        }
    }

    /** Lines that were written before this position of the audit file belong to no record that has a place. */
    void mark(long position) {
        if (!closed) {
            try {
                map.putLong(MARK_AT, position);
                listen();
            } catch (InternalError e) {
                fault(e);
            }
        }
    }

    /** Leaves what is in it, and lets others have it. */
    void close() throws IOException {
        closed = true;
        channel.close();
    }

    private void enter(AuditRecord record) {
        int place = free.take();
        if (place == FreeIndexes.NONE) {
            leaveOut(record);
            return;
        }
        record.entry = place;
        if (place >= reached) {
            reach(place + 1);
        }
        InFlightEntry entry = ENTRIES.get();
        int length = entry.take(record);
        int at = at(place);
        map.putLong(at, BEING_WRITTEN);
        map.putLong(at + OUTCOME_AT, 0);
        VarHandle.storeStoreFence();
        map.put(at + ENTRY_AT, entry.bytes(), 0, length);
        VarHandle.storeStoreFence();
        map.putLong(at, state(length, entry.sum(length)));
    }

    private void leaveOut(AuditRecord record) {
        record.entry = UNLISTED;
        unlisted(1);
    }

    private void unlisted(int more) {
        synchronized (counts) {
            unlisted += more;
            map.putInt(UNLISTED_AT, unlisted);
        }
    }

    private void remove(AuditRecord record) {
        int place = record.entry;
        record.entry = NONE;
        if (place == UNLISTED) {
            unlisted(-1);
            return;
        }
        empty(place);
        free.giveBack(place);
        if (record.lasts) {
            record.lasts = false;
            lasting.decrementAndGet();
        }
    }

    /** Nothing of it stays: who clears audit files away need not think of this one. */
    private void empty(int place) {
        map.putLong(at(place), 0);
        VarHandle.storeStoreFence();
        map.put(at(place) + ENTRY_AT, NOTHING);
    }

    /** So that the next start need not look at places that were never used. */
    private void reach(int count) {
        synchronized (counts) {
            if (reached < count) {
                reached = count;
                map.putInt(REACHED_AT, count);
            }
        }
    }

    /**
     * Java tells of memory without a file at the next safepoint, which may be in somebody else's code. There is one at the
     * end of each turn of a loop of which nobody knows how often it turns.
     */
    private void listen() {
        int turn = 0;
        while (turn < turns) {
            turn++;
        }
    }

    /** What Java throws when the memory has no file any more: somebody cut it off, or the disk fails. */
    private void fault(InternalError why) {
        closed = true;
        if (faulty.compareAndSet(false, true)) {
            LOG.error(
                    "audit: {} cannot be written any more, records are written as before, but the next start will not "
                            + "tell what was under way: {}",
                    file,
                    why.toString());
        }
    }

    private static int at(int place) {
        return HEADER_BYTES + PLACE_BYTES * place;
    }

    private static long state(int length, int sum) {
        return ((long) ((COMPLETE << 24) | length) << 32) | (sum & LOW);
    }

    // What was left behind.

    /** Where {@link #mark} was set last. */
    long marked() {
        return map.getLong(MARK_AT);
    }

    /** Finds what is in it. To be called once, before anything begins. */
    LeftOver leftOver() {
        List<AuditRecord> records = new ArrayList<>();
        int torn = 0;
        int last = 0;
        int end = Math.clamp(map.getInt(REACHED_AT), 0, capacity);
        for (int place = 0; place < end; place++) {
            long state = map.getLong(at(place));
            AuditRecord record = state == 0 ? null : read(place, state);
            if (record != null) {
                record.entry = place;
                records.add(record);
                last = place + 1;
            } else if (state != 0) {
                torn++;
                empty(place);
            }
        }
        int others = map.getInt(UNLISTED_AT);
        map.putInt(UNLISTED_AT, 0);
        map.putInt(REACHED_AT, last);
        reached = last;
        free.begin(last);
        for (int place = last - 1; place >= 0; place--) {
            if (map.getLong(at(place)) == 0) {
                free.giveBack(place);
            }
        }
        return new LeftOver(records, torn, Math.max(0, others));
    }

    private @Nullable AuditRecord read(int place, long state) {
        int head = (int) (state >>> 32);
        int length = head & 0xFF_FFFF;
        if (head >>> 24 != COMPLETE || length == 0 || length > InFlightEntry.BYTES) {
            return null;
        }
        InFlightEntry copy = new InFlightEntry();
        map.get(at(place) + ENTRY_AT, copy.bytes(), 0, length);
        if (copy.sum(length) != (int) state) {
            return null;
        }
        ByteBuffer entry = ByteBuffer.wrap(copy.bytes(), 0, length);
        AuditRecord record = InFlightEntry.record(entry);
        return record == null ? null : told(record, map.getLong(at(place) + OUTCOME_AT), InFlightEntry.isCut(entry));
    }

    /** What is said of it: no more than is known. */
    private static AuditRecord told(AuditRecord record, long outcome, boolean cut) {
        int code = (int) (outcome >>> 32);
        AuditRecord.Action action = code == ~(int) outcome ? action(code >>> 16) : null;
        String error = action != null
                ? "process_ended: the process ended before the record of this was written; what else it held is lost"
                : "process_ended: the process ended while this was under way";
        if (action != null) {
            record.action(action).statusCode(code & 0xFFFF).warn();
        }
        return record.error(cut ? error + " (texts are cut here)" : error);
    }

    /** Never changes, whatever becomes of the names and their order. */
    private static int number(AuditRecord.Action action) {
        return switch (action) {
            case ALLOW -> 1;
            case REJECT -> 2;
            case STUB -> 3;
            case ERROR -> 4;
            case CLIENT_CANCEL -> 5;
        };
    }

    private static AuditRecord.@Nullable Action action(int number) {
        for (AuditRecord.Action action : AuditRecord.Action.values()) {
            if (number(action) == number) {
                return action;
            }
        }
        return null;
    }
}
