package dev.sallyport.core.audit.chain;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Goes over the lines of a file once, and hashes each. Holds the beginning and the end of the line at hand only, however
 * long it is. Not thread-safe.
 */
final class LineScanner implements Closeable {

    /** As much of the beginning as a record of the chain about itself can have. */
    private static final int KEPT = 4096;

    private static final int BUFFER = 64 * 1024;

    private final Path file;
    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];
    private final byte[] head = new byte[KEPT];
    private final byte[] tail = new byte[ChainedLine.TAIL_BYTES];
    private final MessageDigest sha = Sha256.digest();
    private int from;
    private int to;
    private int headLength;
    private int tailLength;
    private long offset;
    private long length;
    private long number;
    private boolean ended;
    private byte[] hash = {};

    LineScanner(Path file) throws IOException {
        this.file = file;
        this.in = Files.newInputStream(file);
    }

    /** Goes to the next line; false when there is none. */
    boolean next() throws IOException {
        offset += length;
        length = 0;
        headLength = 0;
        tailLength = 0;
        ended = false;
        while (!ended && fill()) {
            int end = from;
            while (end < to && buffer[end] != '\n') {
                end++;
            }
            ended = end < to;
            take(ended ? end + 1 : end);
        }
        if (length == 0) {
            return false;
        }
        number++;
        hash = sha.digest();
        return true;
    }

    private boolean fill() throws IOException {
        if (from == to) {
            from = 0;
            to = Math.max(0, in.read(buffer));
        }
        return from < to;
    }

    private void take(int end) {
        int count = end - from;
        sha.update(buffer, from, count);
        int more = Math.min(count, KEPT - headLength);
        System.arraycopy(buffer, from, head, headLength, more);
        headLength += more;
        int last = Math.min(count, tail.length);
        int keep = Math.min(tailLength, tail.length - last);
        System.arraycopy(tail, tailLength - keep, tail, 0, keep);
        System.arraycopy(buffer, end - last, tail, keep, last);
        tailLength = keep + last;
        length += count;
        from = end;
    }

    /** What the chain needs of it; null when it is no record of one. */
    @Nullable ChainedLine chained() {
        return ChainedLine.parse(head, Math.min(headLength, ChainedLine.HEAD_BYTES), tail, tailLength);
    }

    Path file() {
        return file;
    }

    /** The number of the line, from 1. */
    long number() {
        return number;
    }

    /** Where it begins in the file. */
    long offset() {
        return offset;
    }

    /** Its bytes, the line feed included. */
    long length() {
        return length;
    }

    /** Whether it has a line feed. */
    boolean ended() {
        return ended;
    }

    /** The SHA-256 of its bytes, the line feed included. */
    byte[] hash() {
        return hash;
    }

    /** All of it, unless it is too long for a record of the chain about itself; then its beginning. */
    String text() {
        return new String(head, 0, headLength, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
