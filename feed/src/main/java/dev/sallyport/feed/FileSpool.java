package dev.sallyport.feed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spool in a folder, which one process uses at a time: {@link Segment}s, of which each is deleted when all of it was
 * delivered; the last one stays, because its head and its events say how far the numbers are.
 *
 * <p>What {@link #flush} has written survives the death of the process, and a power cut once it is forced to the disk:
 * {@link #next} does that before it hands out an event, so that a number that somebody else has seen is never given again.
 */
final class FileSpool implements EventSpool {

    /** The size of a batch, unless one event is larger. */
    static final int BATCH_BYTES = 512 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(FileSpool.class);

    private static final String PREFIX = "events.";
    private static final String LOCK = "lock";
    private static final long LEAST_SEGMENT = 64 << 10;
    private static final long LARGEST_SEGMENT = 16 << 20;
    private static final int SEGMENTS = 16;
    private static final int BUFFER = 64 << 10;

    private final Path folder;
    private final byte[] identity;
    private final long capacity;
    private final long segmentBytes;
    private final FileChannel lock;
    private final DeliveredMark mark;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private ByteBuffer added = ByteBuffer.allocate(BUFFER);
    private int addedEvents;
    private long ordinal;

    /** Where the first event is that waits, in the first segment. */
    private long offset = Segment.start();

    private long number;
    private long batchEnd;
    private boolean unmarked;

    private FileSpool(
            Path folder, byte[] identity, long capacity, long segmentBytes, FileChannel lock, DeliveredMark mark) {
        this.folder = folder;
        this.identity = identity;
        this.capacity = capacity;
        this.segmentBytes = segmentBytes;
        this.lock = lock;
        this.mark = mark;
    }

    /**
     * Opens a folder, which is made with mode 0700.
     *
     * @param identity of the proxy at its control plane, 32 bytes
     * @param capacity in bytes
     * @throws IOException when it cannot be used, another process uses it, or events of another proxy wait in it
     */
    static FileSpool open(Path folder, byte[] identity, long capacity) throws IOException {
        return open(folder, identity, capacity, Math.clamp(capacity / SEGMENTS, LEAST_SEGMENT, LARGEST_SEGMENT));
    }

    /** As above; of what was delivered, up to a segment stays on disk. */
    static FileSpool open(Path folder, byte[] identity, long capacity, long segmentBytes) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        FileChannel lock = lock(folder);
        FileSpool spool = null;
        try {
            spool = new FileSpool(folder, identity, capacity, segmentBytes, lock, DeliveredMark.open(folder));
            spool.load();
            return spool;
        } catch (IOException | RuntimeException e) {
            if (spool == null) {
                lock.close();
            } else {
                spool.close();
            }
            throw e;
        }
    }

    private static FileChannel lock(Path folder) throws IOException {
        FileChannel lock = FileChannel.open(
                folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (lock.tryLock() != null) {
                return lock;
            }
        } catch (OverlappingFileLockException e) {
            LOG.debug("{} is used by this process", folder);
        }
        lock.close();
        throw new IOException(folder + " is used by another process");
    }

    private void load() throws IOException {
        for (Path file : files()) {
            Segment segment = Segment.open(file);
            if (segment == null) {
                LOG.warn("{} was not begun, and is removed", file);
                Files.delete(file);
                continue;
            }
            tellOfLoss(segment);
            segments.add(segment);
            ordinal = ordinal(file);
        }
        passDelivered();
        if (!segments.isEmpty() && !segments.getLast().isOf(identity)) {
            leaveOther();
        }
        if (segments.isEmpty() || segments.getLast().isDamaged()) {
            begin(Epochs.fresh(), 0); // what was cut off may have been delivered, with numbers that must not come again
        }
        number = Math.max(number, segments.getFirst().first());
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*")) {
            found.forEach(files::add);
        }
        files.sort(null);
        return files;
    }

    private static long ordinal(Path file) throws IOException {
        try {
            return Long.parseLong(file.getFileName().toString().substring(PREFIX.length()));
        } catch (NumberFormatException e) {
            throw new IOException(file + " is not named as files of events are", e);
        }
    }

    private void tellOfLoss(Segment next) {
        Segment before = segments.peekLast();
        if (before != null && Arrays.equals(before.epoch(), next.epoch()) && before.end() < next.first()) {
            LOG.error("{}: {} events are damaged, and lost", before, next.first() - before.end());
        }
    }

    /** Passes what had been delivered when the last process noted it; what is delivered again does no harm. */
    private void passDelivered() throws IOException {
        DeliveredMark.Place place = mark.read();
        if (place == null) {
            return;
        }
        Segment at = null;
        for (Segment segment : segments) {
            if (Arrays.equals(segment.epoch(), place.epoch()) && segment.first() <= place.end()) {
                at = segment;
            }
        }
        if (at == null) {
            return;
        }
        while (segments.getFirst() != at) {
            discard(segments.remove());
        }
        number = at.first();
        while (number < place.end() && offset < at.length()) {
            Segment.Entry entry = at.entry(offset, at.length());
            if (entry == null) {
                throw new IOException(at + " changes while it is read");
            }
            offset = entry.end();
            number++;
        }
        if (at == segments.getLast() && at.end() < place.end()) {
            LOG.warn("{}: events that were delivered are damaged; the numbers begin anew", at);
            begin(Epochs.fresh(), 0);
        }
    }

    /** The folder was that of another proxy: nothing of it may be delivered as if it were of this one. */
    private void leaveOther() throws IOException {
        if (segments.size() > 1 || offset < segments.getFirst().length()) {
            throw new IOException("events of another proxy, or for another control plane, wait in " + folder);
        }
        segments.remove().delete();
        offset = Segment.start();
        number = 0;
    }

    private void begin(byte[] epoch, long first) throws IOException {
        long next = ordinal + 1;
        segments.add(Segment.create(folder.resolve(String.format("%s%012d", PREFIX, next)), epoch, first, identity));
        ordinal = next;
    }

    /** A file that cannot be deleted is passed again at the next start. */
    private static void discard(Segment segment) {
        try {
            segment.delete();
        } catch (IOException e) {
            LOG.error("{}: its events are done with, and it cannot be deleted: {}", segment, e.toString());
        }
    }

    @Override
    public synchronized void append(long millis, byte[] event) throws IOException {
        int size = Segment.OVERHEAD + event.length;
        if (event.length > Segment.LONGEST || size > capacity) {
            throw new IllegalArgumentException("an event of " + event.length + " bytes");
        }
        if (bytes() + size > capacity) {
            throw new SpoolFullException(capacity);
        }
        if (added.remaining() < size) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(2 * added.capacity(), added.position() + size));
            added = larger.put(added.flip());
        }
        Segment.encode(added, millis, event);
        addedEvents++;
    }

    @Override
    public synchronized void flush() throws IOException {
        if (addedEvents == 0) {
            return;
        }
        Segment last = segments.getLast();
        if (last.length() >= segmentBytes) {
            begin(last.epoch(), last.end());
        }
        segments.getLast().append(added.duplicate().flip(), addedEvents);
        addedEvents = 0;
        added = added.capacity() > 16 * BUFFER ? ByteBuffer.allocate(BUFFER) : added.clear();
    }

    @Override
    public @Nullable Batch next(int most) throws IOException {
        Segment from = readable();
        if (from == null) {
            return null;
        }
        long end;
        long endNumber;
        synchronized (this) {
            end = from.length();
            endNumber = from.end();
        }
        from.force(end);
        Batch batch = read(from, end, most);
        if (batch == null) {
            LOG.error("{}: {} events are damaged, and lost", from, endNumber - number);
            pass(end, endNumber);
        }
        return batch;
    }

    /** Null when there is no whole event, although there should be. */
    private @Nullable Batch read(Segment from, long end, int most) throws IOException {
        List<byte[]> texts = new ArrayList<>();
        long at = offset;
        long oldest = 0;
        while (texts.size() < most && at - offset < BATCH_BYTES) {
            Segment.Entry entry = from.entry(at, end);
            if (entry == null) {
                break;
            }
            oldest = texts.isEmpty() ? entry.millis() : oldest;
            texts.add(entry.text());
            at = entry.end();
        }
        if (texts.isEmpty()) {
            return null;
        }
        batchEnd = at;
        return new Batch(Epochs.text(from.epoch()), number, texts, oldest);
    }

    private synchronized void pass(long newOffset, long newNumber) {
        offset = newOffset;
        number = newNumber;
    }

    /** The segment in which the next event is; null when none waits. Removes those before it. */
    private synchronized @Nullable Segment readable() throws IOException {
        while (offset >= segments.getFirst().length()) {
            if (segments.size() == 1) {
                return null;
            }
            Segment passed = segments.remove();
            offset = Segment.start();
            number = segments.getFirst().first();
            discard(passed);
        }
        return segments.getFirst();
    }

    @Override
    public synchronized void delivered(Batch batch) {
        offset = batchEnd;
        number = batch.last() + 1;
        note();
    }

    /** Notes how far deliveries are. Without that they begin further back after a start, which does no harm. */
    private void note() {
        try {
            mark.write(segments.getFirst().epoch(), number);
            unmarked = false;
        } catch (IOException e) {
            if (!unmarked) {
                LOG.warn("{}: how far events are delivered cannot be noted: {}", folder, e.toString());
            }
            unmarked = true;
        }
    }

    @Override
    public synchronized void beginEpoch() throws IOException {
        flush();
        begin(Epochs.fresh(), 0);
    }

    @Override
    public synchronized String epoch() {
        return Epochs.text(segments.getLast().epoch());
    }

    @Override
    public synchronized long end(String epoch) {
        if (epoch.equals(epoch())) {
            return segments.getLast().end() + addedEvents;
        }
        long end = Long.MAX_VALUE;
        for (Segment segment : segments) {
            if (Epochs.text(segment.epoch()).equals(epoch)) {
                end = segment.end();
            }
        }
        return end;
    }

    @Override
    public synchronized long bytes() {
        long all = added.position() - offset;
        for (Segment segment : segments) {
            all += segment.length();
        }
        return Math.max(0, all - (segments.size() - 1) * Segment.start());
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public synchronized void clear() {
        added.clear();
        addedEvents = 0;
        while (segments.size() > 1) {
            discard(segments.remove());
        }
        offset = segments.getFirst().length();
        number = segments.getFirst().end();
        note();
    }

    @Override
    public synchronized void close() throws IOException {
        for (Segment segment : segments) {
            segment.close();
        }
        mark.close();
        lock.close();
    }
}
