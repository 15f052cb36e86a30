package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.OwnerOnly;
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
 * The file of an {@link InFlightTable}. It is locked while open, so that no other process writes the same audit file.
 * The lock is on the inode, which must stay, so unknown content is copied and not moved.
 */
final class InFlightFile {

    private static final Logger LOG = LoggerFactory.getLogger(InFlightFile.class);

    private static final String TABLE = ".inflight";
    private static final String ASIDE = ".unknown";

    /** The most places that fit into one mapping. */
    private static final int MOST_PLACES = (Integer.MAX_VALUE - InFlightTable.HEADER_BYTES) / InFlightTable.PLACE_BYTES;

    private static final int FILL_BYTES = 64 * 1024;

    private InFlightFile() {}

    /** Another proxy has the table open. */
    static final class InUse extends FileSystemException {

        @Serial
        private static final long serialVersionUID = 1;

        InUse(Path file, @Nullable Exception cause) {
            super(file.toString(), null, "another running proxy writes it");
            initCause(cause);
        }
    }

    /** The table's file beside an audit file. */
    static Path beside(Path audit) {
        return audit.resolveSibling(audit.getFileName() + TABLE);
    }

    /** Opens a table, and creates it if necessary. */
    static InFlightTable open(Path file, int slots) throws IOException {
        FileChannel channel = OwnerOnly.open(
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
        // Further places of an earlier process are kept only if they may be in use.
        int reached = Math.min(header.getInt(InFlightTable.REACHED_AT), known);
        int capacity = Math.max(InFlightTable.PLACES_A_SLOT * slots, reached);
        fill(channel, known == 0 ? 0 : size(known), size(capacity));
        MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, size(capacity));
        InFlightTable table = new InFlightTable(file, channel, map, capacity, slots);
        channel.truncate(size(capacity));
        return table;
    }

    /** The number of places in a file of this version; 0 for another file. */
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
        try (FileChannel copy = OwnerOnly.open(
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
        LOG.warn("audit: this version cannot read the table {}; it is kept as {}", file, aside.getFileName());
    }

    private static long size(int places) {
        return InFlightTable.HEADER_BYTES + (long) InFlightTable.PLACE_BYTES * places;
    }

    /**
     * Writes zeros and leaves no holes, so that the disk space is reserved. If there is not enough, the file is
     * truncated again.
     */
    private static void fill(FileChannel channel, long from, long to) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(FILL_BYTES);
        long at = from;
        try {
            while (at < to) {
                zeros.clear().limit((int) Math.min(FILL_BYTES, to - at));
                at += channel.write(zeros, at);
            }
        } catch (IOException e) {
            channel.truncate(from); // The audit file needs the space more.
            throw e;
        }
    }
}
