package dev.sallyport.sandboxd.system;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A file most of which is holes. */
public final class SparseFile {

    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int BLOCK = 4096;

    private SparseFile() {}

    /** What is at a place in it. */
    public static final class Part {

        private final long offset;
        private final ByteBuffer content;

        private Part(long offset, ByteBuffer content) {
            this.offset = offset;
            this.content = content;
        }

        /** Where it is, in bytes from the beginning of the file. */
        public long offset() {
            return offset;
        }

        /** What is there, from the first byte to the last; each time from the beginning. */
        public ByteBuffer content() {
            return content.duplicate();
        }
    }

    /**
     * All of a file that is not zero.
     *
     * @param most how many bytes the parts without its holes may have
     * @return nothing where it has more
     */
    public static List<Part> read(Path file, long most) throws IOException {
        List<Part> parts = new ArrayList<>();
        long read = 0;
        SystemCalls calls = Calls.open();
        int descriptor = calls.open(file, 0);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (long begin = next(calls, descriptor, file, 0); begin >= 0; ) {
                long end = calls.make("a hole of " + file, Call.LSEEK, descriptor, begin, SEEK_HOLE);
                read += end - begin;
                if (read > most) {
                    return List.of();
                }
                add(parts, channel, begin, (int) (end - begin));
                begin = next(calls, descriptor, file, end);
            }
            return parts;
        } finally {
            calls.close(descriptor);
        }
    }

    /** Where something is that is no hole; -1 where there is nothing more. */
    private static long next(SystemCalls calls, int descriptor, Path file, long from) throws SystemCallException {
        try {
            return calls.make("what is in " + file, Call.LSEEK, descriptor, from, SEEK_DATA);
        } catch (SystemCallException e) {
            if (e.errno() == SystemCallException.ENXIO) {
                return -1;
            }
            throw e;
        }
    }

    private static void add(List<Part> parts, FileChannel channel, long offset, int bytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocateDirect(bytes);
        while (all.hasRemaining()) {
            if (channel.read(all, offset + all.position()) < 0) {
                throw new EOFException("a file has become shorter");
            }
        }
        int begin = 0;
        while (begin < bytes) {
            int end = begin;
            while (end < bytes && isZero(all, end) == isZero(all, begin)) {
                end = Math.min(bytes, end + BLOCK);
            }
            if (!isZero(all, begin)) {
                parts.add(new Part(
                        offset + begin,
                        ByteBuffer.allocateDirect(end - begin)
                                .put(all.slice(begin, end - begin))
                                .flip()));
            }
            begin = end;
        }
    }

    private static boolean isZero(ByteBuffer all, int at) {
        for (int i = at; i < Math.min(all.capacity(), at + BLOCK); i++) {
            if (all.get(i) != 0) {
                return false;
            }
        }
        return true;
    }
}
