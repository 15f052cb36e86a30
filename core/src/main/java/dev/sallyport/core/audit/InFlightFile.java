package dev.sallyport.core.audit;

import java.io.IOException;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of an {@link InFlightTable}. While it is open it is locked: nobody else writes the same audit file. It keeps
 * its inode, which is what the lock is on, and so what it holds unknown is copied and not moved.
 */
final class InFlightFile {

    private static final Logger LOG = LoggerFactory.getLogger(InFlightFile.class);

    private static final String TABLE = ".inflight";
    private static final String ASIDE = ".unknown";

    /** As many as one mapping can hold. */
    private static final int MOST_PLACES = (Integer.MAX_VALUE - InFlightTable.HEADER_BYTES) / InFlightTable.PLACE_BYTES;

    private static final int FILL_BYTES = 64 * 1024;

    private InFlightFile() {}

    /** Another proxy has the table open. */
    static final class InUse extends FileSystemException {

        @Serial
        private static final long serialVersionUID = 1;

        InUse(Path file, @Nullable Exception cause) {
            super(file.toString(), null, "another proxy that is running writes it");
            initCause(cause);
        }
    }

    /** The table's file beside an audit file. */
    static Path beside(Path audit) {
        return audit.resolveSibling(audit.getFileName() + TABLE);
    }

    /** Opens a table, which is made when it is not there. */
    static InFlightTable open(Path file, int slots) throws IOException {
        FileChannel channel = AuditFile.create(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        try {
            lock(file, channel);
            return open(file, channel, slots);
        } catch (IOException | RuntimeException | InternalError e) {
            channel.close();
            throw e;
        }
    }

    private static InFlightTable open(Path file, FileChannel channel, int slots) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(InFlightTable.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        channel.read(header, 0);
        int known = capacity(header, channel.size());
        if (known == 0) {
            if (header.position() > 0 && header.getLong(InFlightTable.MAGIC_AT) != 0) {
                keepAside(file, channel);
            }
            channel.truncate(0);
        }
        // What an earlier process had more of is kept only as far as it may hold something.
        int reached = Math.min(header.getInt(InFlightTable.REACHED_AT), known);
        int capacity = Math.max(InFlightTable.PLACES_A_SLOT * slots, reached);
        fill(channel, known == 0 ? 0 : size(known), size(capacity));
        MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, size(capacity));
        InFlightTable table = new InFlightTable(file, channel, map, capacity, slots);
        channel.truncate(size(capacity));
        return table;
    }

    /** How many places a file of this version has; 0 for another file. */
    private static int capacity(ByteBuffer header, long size) {
        int places = header.getInt(InFlightTable.CAPACITY_AT);
        return header.getLong(InFlightTable.MAGIC_AT) == InFlightTable.MAGIC
                        && places > 0
                        && places <= MOST_PLACES
                        && size >= size(places)
                ? places
                : 0;
    }

    private static void lock(Path file, FileChannel channel) throws IOException {
        try {
            if (channel.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            throw new InUse(file, e);
        }
        throw new InUse(file, null);
    }

    private static void keepAside(Path file, FileChannel channel) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ASIDE);
        try (FileChannel copy = AuditFile.create(
                aside,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING,
                LinkOption.NOFOLLOW_LINKS)) {
            long at = 0;
            long size = channel.size();
            while (at < size) {
                at += channel.transferTo(at, size - at, copy);
            }
        }
        LOG.warn("audit: {} is no table that this version can read; it is kept as {}", file, aside.getFileName());
    }

    private static long size(int places) {
        return InFlightTable.HEADER_BYTES + (long) InFlightTable.PLACE_BYTES * places;
    }

    /** Written and not left out: the disk has room for what has been written. If it has not, it gets it back. */
    private static void fill(FileChannel channel, long from, long to) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(FILL_BYTES);
        long at = from;
        try {
            while (at < to) {
                zeros.clear().limit((int) Math.min(FILL_BYTES, to - at));
                at += channel.write(zeros, at);
            }
        } catch (IOException e) {
            channel.truncate(from); // The audit file needs it more.
            throw e;
        }
    }
}
