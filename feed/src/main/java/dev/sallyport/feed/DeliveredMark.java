package dev.sallyport.feed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How far events have been delivered, in a file. It saves deliveries after a start, and is not relied upon: one that is
 * damaged, or older than what was delivered, counts for nothing, because the other side knows what it has.
 */
final class DeliveredMark implements Closeable {

    private static final int SIZE = Epochs.BYTES + Long.BYTES + Integer.BYTES;

    private final FileChannel file;

    private DeliveredMark(FileChannel file) {
        this.file = file;
    }

    /**
     * A place in the numbers.
     *
     * @param end the number after that of the last event that was delivered
     */
    record Place(byte[] epoch, long end) {}

    static DeliveredMark open(Path folder) throws IOException {
        return new DeliveredMark(FileChannel.open(
                folder.resolve("delivered"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
    }

    /** Null when there is none. */
    @Nullable Place read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SIZE);
        while (bytes.hasRemaining() && file.read(bytes, bytes.position()) >= 0) {
            // until it is whole
        }
        if (bytes.hasRemaining() || bytes.getInt(SIZE - Integer.BYTES) != crc(bytes)) {
            return null;
        }
        byte[] epoch = new byte[Epochs.BYTES];
        bytes.flip().get(epoch);
        return new Place(epoch, bytes.getLong());
    }

    void write(byte[] epoch, long end) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SIZE).put(epoch).putLong(end);
        bytes.putInt(crc(bytes)).flip();
        while (bytes.hasRemaining()) {
            file.write(bytes, bytes.position());
        }
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().flip().limit(SIZE - Integer.BYTES));
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
