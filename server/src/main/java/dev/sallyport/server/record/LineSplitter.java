package dev.sallyport.server.record;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Splits a stream into lines of at most so many bytes; of longer ones it keeps nothing. Not thread-safe. */
final class LineSplitter {

    /** A line without its line feed. The bytes are valid until the next one is asked for. */
    record Line(byte[] bytes, int length, boolean tooLong, boolean ended) {}

    private static final int CHUNK = 64 * 1024;

    private final InputStream in;
    private final int maxBytes;
    private final byte[] chunk = new byte[CHUNK];
    private byte[] line = new byte[CHUNK];
    private int from;
    private int to;

    LineSplitter(InputStream in, int maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /** The next line; null at the end of the stream. */
    @Nullable Line next() throws IOException {
        int length = 0;
        boolean tooLong = false;
        boolean any = false;
        while (true) {
            if (from == to) {
                from = 0;
                to = Math.max(0, in.read(chunk, 0, CHUNK));
                if (to == 0) {
                    return any ? new Line(line, length, tooLong, false) : null;
                }
            }
            any = true;
            int feed = from;
            while (feed < to && chunk[feed] != '\n') {
                feed++;
            }
            int more = feed - from;
            tooLong |= more > maxBytes - length;
            if (!tooLong) {
                append(length, more);
                length += more;
            }
            boolean ended = feed < to;
            from = ended ? feed + 1 : to;
            if (ended) {
                return new Line(line, length, tooLong, true);
            }
        }
    }

    private void append(int length, int more) {
        if (line.length < length + more) {
            line = Arrays.copyOf(line, Math.min(maxBytes, Math.max(2 * line.length, length + more)));
        }
        System.arraycopy(chunk, from, line, length, more);
    }
}
