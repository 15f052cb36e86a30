package dev.sallyport.feed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of events: a head with the epoch, the number of its first event and the identity of the proxy, then the events.
 * Each has its length, a CRC-32C, its time and its text, so that one that a killed process has not finished is found. What
 * is beyond {@link #length} does not count. {@link FileSpool} guards what changes.
 */
final class Segment implements Closeable {

    /** What an event takes beside its text. */
    static final int OVERHEAD = Integer.BYTES + Integer.BYTES + Long.BYTES;

    /** The longest event. */
    static final int LONGEST = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

    private static final byte[] MAGIC = "SALLYEV1".getBytes(StandardCharsets.US_ASCII);
    private static final int IDENTITY = 32;
    private static final int HEAD = MAGIC.length + Epochs.BYTES + Long.BYTES + IDENTITY + Integer.BYTES;
    private static final Set<StandardOpenOption> NEW = Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);

    private final Path file;
    private final FileChannel channel;
    private final byte[] epoch;
    private final byte[] identity;
    private final long first;
    private long count;
    private long length;
    private long forced;
    private boolean damaged;

    private Segment(Path file, FileChannel channel, byte[] epoch, long first, byte[] identity) {
        this.file = file;
        this.channel = channel;
        this.epoch = epoch;
        this.first = first;
        this.identity = identity;
        this.length = HEAD;
    }

    /** An event in a file. */
    record Entry(long millis, byte[] text, long end) {}

    /** Makes a file with mode 0600 in place of one that may be there; its head is on disk when this returns. */
    static Segment create(Path file, byte[] epoch, long first, byte[] identity) throws IOException {
        FileChannel channel = FileChannel.open(
                file, NEW, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            ByteBuffer head = ByteBuffer.allocate(HEAD)
                    .put(MAGIC)
                    .put(epoch)
                    .putLong(first)
                    .put(identity);
            head.putInt(crc(head.array(), 0, HEAD - Integer.BYTES)).flip();
            write(channel, head, 0);
            channel.force(true);
            forceFolder(file);
        } catch (IOException | RuntimeException e) {
            try {
                channel.close();
                Files.deleteIfExists(file);
            } catch (IOException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        return new Segment(file, channel, epoch, first, identity);
    }

    /** A name in a folder is on disk when the folder is. */
    private static void forceFolder(Path file) throws IOException {
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    /**
     * Opens a file, and cuts off what was not finished; null when not even its head was, and so it has no event.
     *
     * @throws IOException when it cannot be read, or is no such file
     */
    static @Nullable Segment open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            ByteBuffer head = ByteBuffer.allocate(HEAD);
            read(channel, head, 0);
            byte[] bytes = head.array();
            if (head.hasRemaining() || head.getInt(HEAD - Integer.BYTES) != crc(bytes, 0, HEAD - Integer.BYTES)) {
                if (channel.size() > HEAD) {
                    throw new IOException(file + " is damaged at its beginning, or no file of events");
                }
                channel.close();
                return null;
            }
            if (!Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
                throw new IOException(file + " is no file of events of this version");
            }
            head.position(MAGIC.length);
            byte[] epoch = new byte[Epochs.BYTES];
            head.get(epoch);
            long first = head.getLong();
            byte[] identity = new byte[IDENTITY];
            head.get(identity);
            Segment segment = new Segment(file, channel, epoch, first, identity);
            segment.scan();
            return segment;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void scan() throws IOException {
        long size = channel.size();
        for (Entry entry = entry(length, size); entry != null; entry = entry(length, size)) {
            length = entry.end();
            count++;
        }
        if (length < size) {
            damaged = !isTorn(size);
            if (damaged) {
                LOG.warn(
                        "{}: the {} bytes behind event {} are damaged, and are cut off with all events in them",
                        file,
                        size - length,
                        end() - 1);
            }
            channel.truncate(length);
        }
    }

    /** Whether what follows the last event is the beginning of another one, as a process leaves it that is killed. */
    private boolean isTorn(long size) throws IOException {
        if (size - length < OVERHEAD) {
            return true;
        }
        ByteBuffer head = ByteBuffer.allocate(OVERHEAD);
        read(channel, head, length);
        int text = head.getInt(0);
        return text >= 0 && text <= LONGEST && length + OVERHEAD + text > size;
    }

    /** Whether more was cut off than an event that was not finished: events that had been kept, perhaps delivered. */
    boolean isDamaged() {
        return damaged;
    }

    /** The event at an offset; null at the end, and where there is no whole one. */
    @Nullable Entry entry(long at, long end) throws IOException {
        if (at + OVERHEAD > end) {
            return null;
        }
        ByteBuffer head = ByteBuffer.allocate(OVERHEAD);
        read(channel, head, at);
        if (head.hasRemaining()) {
            return null;
        }
        int size = head.getInt(0);
        if (size < 0 || size > LONGEST || at + OVERHEAD + size > end) {
            return null;
        }
        ByteBuffer text = ByteBuffer.allocate(size);
        read(channel, text, at + OVERHEAD);
        int crc = head.getInt(Integer.BYTES);
        long millis = head.getLong(2 * Integer.BYTES);
        if (text.hasRemaining() || crc != crc(millis, text.array())) {
            return null;
        }
        return new Entry(millis, text.array(), at + OVERHEAD + size);
    }

    /** An event as it stands in a file. */
    static void encode(ByteBuffer out, long millis, byte[] text) {
        out.putInt(text.length).putInt(crc(millis, text)).putLong(millis).put(text);
    }

    private static int crc(long millis, byte[] text) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(millis)
                .putInt(text.length)
                .flip());
        crc.update(text);
        return (int) crc.getValue();
    }

    private static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    private static void read(FileChannel channel, ByteBuffer into, long at) throws IOException {
        long from = at;
        while (into.hasRemaining()) {
            int read = channel.read(into, from);
            if (read < 0) {
                return;
            }
            from += read;
        }
    }

    private static void write(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
        long to = at;
        while (bytes.hasRemaining()) {
            to += channel.write(bytes, to);
        }
    }

    /** Writes events behind the others; when it throws, none of them counts. */
    void append(ByteBuffer encoded, int events) throws IOException {
        int size = encoded.remaining();
        write(channel, encoded, length);
        length += size;
        count += events;
    }

    /** Puts on disk what was written before, unless it is there. By the thread that reads; others may append. */
    void force(long upTo) throws IOException {
        if (forced < upTo) {
            channel.force(false);
            forced = upTo;
        }
    }

    byte[] epoch() {
        return epoch.clone();
    }

    boolean isOf(byte[] other) {
        return Arrays.equals(identity, other);
    }

    /** The number of its first event. */
    long first() {
        return first;
    }

    /** The number that follows that of its last event. */
    long end() {
        return first + count;
    }

    long length() {
        return length;
    }

    /** Where its first event is. */
    static long start() {
        return HEAD;
    }

    void delete() throws IOException {
        channel.close();
        Files.deleteIfExists(file);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return String.valueOf(file);
    }
}
