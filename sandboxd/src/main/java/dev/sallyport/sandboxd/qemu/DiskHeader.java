package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.wire.WireException;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a disk of the form qcow2 says of itself. QEMU may write it, and so may a guest that has taken it over; the next QEMU
 * reads it as root. So it is compared with what it was when the disk was made.
 *
 * @param size how large the disk is for its guest, in bytes
 * @param below the file that it lies on, as a path from where it is itself
 */
record DiskHeader(long size, String below) {

    private static final int MAGIC = 0x514649FB;
    private static final int VERSION = 3;
    private static final int LONGEST_NAME = 1023;
    private static final long FEATURES_AT = 72;

    /** That it was not closed, or is damaged, which changes nothing of how it is read. */
    private static final long HARMLESS_FEATURES = 3;

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}) (\\S+)\n");

    /**
     * That of a file.
     *
     * @throws WireException for one of another form, or that has features which lead to other files
     */
    static DiskHeader read(Path disk) throws IOException, WireException {
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "r")) {
            if (file.readInt() != MAGIC || file.readInt() != VERSION) {
                throw new WireException("the disk is no qcow2 of version " + VERSION);
            }
            long nameAt = file.readLong();
            int nameLength = file.readInt();
            file.readInt(); // the size of a cluster
            long size = file.readLong();
            file.seek(FEATURES_AT);
            if ((file.readLong() & ~HARMLESS_FEATURES) != 0) {
                throw new WireException("the disk has features that none has");
            }
            if (nameLength < 0 || nameLength > LONGEST_NAME) {
                throw new WireException("the disk lies on a file with too long a name");
            }
            byte[] name = new byte[nameLength];
            file.seek(Math.max(0, nameAt));
            file.readFully(name);
            return new DiskHeader(size, new String(name, StandardCharsets.UTF_8));
        } catch (EOFException e) {
            throw new WireException("the disk is cut off", e);
        }
    }

    /** To be kept, and read by {@link #parse}. */
    String toText() {
        return size + " " + below + "\n";
    }

    static DiskHeader parse(String text) throws WireException {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new WireException("it is not known what the disk was made as");
        }
        return new DiskHeader(Long.parseLong(parts.group(1)), parts.group(2));
    }

    /** Returns when a disk still says the same of itself. */
    void require(Path disk) throws IOException, WireException {
        if (!read(disk).equals(this)) {
            throw new WireException("the disk is not what it was made as");
        }
    }
}
