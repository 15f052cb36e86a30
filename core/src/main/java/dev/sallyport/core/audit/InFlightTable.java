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
 * The records in progress, in a file that survives the process: one place of fixed size for each record that has begun
 * and is not written yet. The file is mapped into memory and filled in advance, so that updates need no system call and
 * no disk space. {@link InFlightFile} opens it.
 *
 * <p>One store of eight bytes, with length and checksum of the bytes written before, publishes a place; storing 0
 * clears it. The entries of a killed process are therefore complete, or known to be incomplete.
 *
 * <p>A holder of a slot of the gate always finds a place: there are twice as many places as slots, and records that
 * {@linkplain #lasts last} without a slot get at most half of them. Thread-safe.
 */
final class InFlightTable {

    /** Value of {@link AuditRecord#entry} for a record without a place. */
    static final int NONE = -1;

    /** Two places for each slot: one for its holder and one for a record that lasts without a slot. */
    static final int PLACES_A_SLOT = 2;

    static final long MAGIC = 0x0001_5450_4C59_4C53L; // "SLYLPT", version 1
    static final int HEADER_BYTES = 4096;
    static final int PLACE_BYTES = 512;
    static final int MAGIC_AT = 0;
    static final int CAPACITY_AT = 8;
    static final int REACHED_AT = 12;

    private static final Logger LOG = LoggerFactory.getLogger(InFlightTable.class);

    /** The record found no place and is only counted. */
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

    /** Guards the counts below; never held for long. */
    private final Object counts = new Object();

    /** The number of records without a place. */
    private int unlisted;

    /** Places from here on have never been used. */
    private volatile int reached;

    private final AtomicBoolean faulty = new AtomicBoolean();
    private volatile boolean closed;

    /** Of {@link #listen}. */
    private volatile int turns = 1;

    /**
     * The content left by an earlier process.
     *
     * @param records the records in progress when it ended, which keep their places until they are written
     * @param torn the number of incomplete entries
     * @param unlisted the number of further records in progress that had no place
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
        new InFlightEntry().sum(0); // Loads the classes in advance, so that the first exchange does not wait for them.
    }

    // While the table can be written.

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

    /** A record continues without a slot. To be called before the slot is returned. */
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

    /** A record has ended and waits to be written. */
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

    /** A record has been written, or never will be. */
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

    /** Lines before this position of the audit file belong to no record with a place. */
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

    /** Keeps the content and releases the lock. */
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

    /** Deletes the file, so that a clean shutdown leaves only the audit file. */
    private void empty(int place) {
        map.putLong(at(place), 0);
        VarHandle.storeStoreFence();
        map.put(at(place) + ENTRY_AT, NOTHING);
    }

    /** Records the number of used places, so that the next start skips the others. */
    private void reach(int count) {
        synchronized (counts) {
            if (reached < count) {
                reached = count;
                map.putInt(REACHED_AT, count);
            }
        }
    }

    /**
     * Java reports a fault in mapped memory at the next safepoint, which may be in other code. An uncounted loop has
     * one at the end of each iteration, so this one reports it here.
     */
    private void listen() {
        int turn = 0;
        while (turn < turns) {
            turn++;
        }
    }

    /** Java throws this when the mapped memory lost its file: it was truncated, or the disk failed. */
    private void fault(InternalError why) {
        closed = true;
        if (faulty.compareAndSet(false, true)) {
            LOG.error(
                    "audit: {} can no longer be written; records are written as before, but the next start cannot "
                            + "report what was in progress: {}",
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

    // The content left by an earlier process.

    /** The last value of {@link #mark}. */
    long marked() {
        return map.getLong(MARK_AT);
    }

    /** Reads the content. To be called once, before anything begins. */
    LeftOver leftOver() {
        List<AuditRecord> records = new ArrayList<>();
        int torn = 0;
        int last = 0;
        int end = Math.clamp(map.getInt(REACHED_AT), 0, capacity);
        for (int place = 0; place < end; place++) {
            long state = map.getLong(at(place));
            MutableAuditRecord record = state == 0 ? null : read(place, state);
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

    private @Nullable MutableAuditRecord read(int place, long state) {
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
        MutableAuditRecord record = InFlightEntry.record(entry);
        return record == null ? null : told(record, map.getLong(at(place) + OUTCOME_AT), InFlightEntry.isCut(entry));
    }

    /** The errors in the reported records, which state only what is known. */
    private static MutableAuditRecord told(MutableAuditRecord record, long outcome, boolean cut) {
        int code = (int) (outcome >>> 32);
        AuditRecord.Action action = code == ~(int) outcome ? action(code >>> 16) : null;
        String error = action != null
                ? "process_ended: the process ended before the record of this was written; what else it held is lost"
                : "process_ended: the process ended while this was under way";
        if (action != null) {
            record.action(action).statusCode(code & 0xFFFF).warn();
        }
        return record.error(cut ? error + " (texts are truncated)" : error);
    }

    /** The stored number of an action, which must never change. */
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
