package dev.sallyport.core.audit.chain;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Goes over the lines of a file from the last to the first. Holds a block of it, however long a line is. */
public final class BackwardLines implements Closeable {

    private static final int BLOCK = 64 * 1024;

    private final FileChannel channel;
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
    private long blockAt;
    private int blockLength;
    private long start;
    private long end;

    /** Opens a file, at its end. */
    public BackwardLines(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.READ);
        start = channel.size();
    }

    /** Goes to the line before; false when there is none. The first call goes to the last line. */
    public boolean previous() throws IOException {
        if (start == 0) {
            return false;
        }
        end = start;
        long at = end - 1; // The line feed there is the line's own.
        while (at > 0 && byteAt(at - 1) != '\n') {
            at--;
        }
        start = at;
        return true;
    }

    private byte byteAt(long at) throws IOException {
        if (at < blockAt || at >= blockAt + blockLength) {
            blockAt = Math.max(0, at + 1 - BLOCK);
            block.clear().limit((int) (at + 1 - blockAt));
            while (block.hasRemaining() && channel.read(block, blockAt + block.position()) >= 0) {
                // until the block is full
            }
            blockLength = block.position();
            if (at >= blockAt + blockLength) {
                throw new IOException("the file is becoming shorter");
            }
        }
        return block.get((int) (at - blockAt));
    }

    /** Where the line begins. */
    public long start() {
        return start;
    }

    /** Where the next one begins, or the file ends. */
    public long end() {
        return end;
    }

    /** Its bytes from a position in the file on, so many at most. */
    byte[] bytes(long from, int most) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(most, end - from));
        while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
            // until it is full
        }
        return bytes.array();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
