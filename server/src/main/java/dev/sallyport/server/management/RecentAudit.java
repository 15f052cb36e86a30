package dev.sallyport.server.management;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import jakarta.inject.Inject;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * The newest audit records, at most a thousand and 4 MiB, for who asks for them over the API. Keeps nothing before
 * {@link #begin}. Thread-safe; takes from the writer of the audit log no more than the time of a copy.
 */
public final class RecentAudit implements AuditListener {

    private static final int MAX_RECORDS = 1000;
    private static final long MAX_BYTES = 4 << 20;
    private static final String EVENT = "record";

    private final List<Follower> followers = new CopyOnWriteArrayList<>();
    private volatile boolean begun;

    // Guarded by this.
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private long bytes;

    /**
     * A record.
     *
     * @param line its JSON, as in the log
     */
    record Entry(String host, String action, String workload, byte[] line) {}

    private record Follower(Predicate<Entry> filter, EventSource.EventSink sink) {

        void offer(Entry entry) {
            if (filter.test(entry)) {
                sink.event(EVENT, entry.line());
            }
        }
    }

    @Inject
    public RecentAudit() {}

    /** From now on records are kept. */
    public void begin() {
        begun = true;
    }

    @Override
    public void written(AuditRecord record, ByteBuffer line) {
        if (!begun) {
            return;
        }
        byte[] copy = new byte[line.remaining()];
        line.get(copy);
        Entry entry = new Entry(record.host(), record.action().text(), record.workload(), copy);
        synchronized (this) {
            keep(entry);
            followers.forEach(follower -> follower.offer(entry));
        }
    }

    private void keep(Entry entry) {
        entries.addLast(entry);
        bytes += entry.line().length;
        while (entries.size() > MAX_RECORDS || (bytes > MAX_BYTES && entries.size() > 1)) {
            bytes -= entries.removeFirst().line().length;
        }
    }

    /** The newest records that pass the filter, newest first. */
    synchronized List<Entry> newest(Predicate<Entry> filter, int limit) {
        List<Entry> found = new ArrayList<>();
        Iterator<Entry> all = entries.descendingIterator();
        while (all.hasNext() && found.size() < limit) {
            Entry entry = all.next();
            if (filter.test(entry)) {
                found.add(entry);
            }
        }
        return found;
    }

    /**
     * Sends records that pass the filter as they are written.
     *
     * @param past how many of those that were written before come first, oldest first
     */
    synchronized EventSource.Subscription follow(Predicate<Entry> filter, int past, EventSource.EventSink sink) {
        newest(filter, past).reversed().forEach(entry -> sink.event(EVENT, entry.line()));
        Follower follower = new Follower(filter, sink);
        followers.add(follower);
        return () -> followers.remove(follower);
    }
}
