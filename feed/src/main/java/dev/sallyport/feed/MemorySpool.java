package dev.sallyport.feed;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A spool without a folder: what waits when the process ends is lost. Its numbering begins with the process. */
final class MemorySpool implements EventSpool {

    /** What an event takes beside its text. */
    private static final long OVERHEAD = 64;

    private final long capacity;
    private final Deque<Event> events = new ArrayDeque<>();
    private String epoch = Epochs.text(Epochs.fresh());
    private long first;
    private long bytes;

    private record Event(long millis, byte[] text) {

        long size() {
            return OVERHEAD + text.length;
        }
    }

    MemorySpool(long capacity) {
        this.capacity = capacity;
    }

    @Override
    public synchronized void append(long millis, byte[] event) throws SpoolFullException {
        Event added = new Event(millis, event);
        if (added.size() > capacity) {
            throw new IllegalArgumentException("an event of " + event.length + " bytes");
        }
        if (bytes + added.size() > capacity) {
            throw new SpoolFullException(capacity);
        }
        events.add(added);
        bytes += added.size();
    }

    @Override
    public void flush() {
        // Nothing is buffered.
    }

    @Override
    public synchronized @Nullable Batch next(int most) {
        if (events.isEmpty()) {
            return null;
        }
        List<byte[]> texts = new ArrayList<>();
        long size = 0;
        for (Event event : events) {
            if (texts.size() == most || (size > 0 && size + event.size() > FileSpool.BATCH_BYTES)) {
                break;
            }
            texts.add(event.text);
            size += event.size();
        }
        return new Batch(epoch, first, texts, events.getFirst().millis);
    }

    @Override
    public synchronized void delivered(Batch batch) {
        for (int i = 0; i < batch.events().size(); i++) {
            bytes -= events.remove().size();
            first++;
        }
    }

    /** Nobody else has used the epoch of a process; what waits is numbered anew. */
    @Override
    public synchronized void beginEpoch() {
        epoch = Epochs.text(Epochs.fresh());
        first = 0;
    }

    @Override
    public synchronized String epoch() {
        return epoch;
    }

    @Override
    public synchronized long end(String of) {
        return of.equals(epoch) ? first + events.size() : Long.MAX_VALUE;
    }

    @Override
    public synchronized long bytes() {
        return bytes;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public boolean isDurable() {
        return false;
    }

    @Override
    public synchronized void clear() {
        first += events.size();
        events.clear();
        bytes = 0;
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
