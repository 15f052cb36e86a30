package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a chain has got to, as its files say.
 *
 * @param seq of the last record; 0 for none
 * @param hash of the last line, whatever it is; 32 zero bytes where there is none
 * @param loose the lines behind the last record that are no records of the chain; null for none
 */
public record ChainEnd(long seq, byte[] hash, @Nullable TrailingLines loose) {

    private static final int BUFFER = 64 * 1024;

    /** The last record of one file, and where its line ends. */
    record Last(ChainedLine line, byte[] hash, long end) {}

    /** Looks at the end of an audit file, and for the last record where that has none, at what was rotated. */
    public static ChainEnd find(Path audit) throws IOException {
        Last here = last(audit);
        Last last = here;
        // Without checkpoints there never was a chain, and no need to read all that was ever rotated.
        boolean chained = CheckpointFiles.exist(audit);
        List<Path> rotated = here == null && chained ? AuditNames.rotated(audit) : List.of();
        for (int i = rotated.size() - 1; i >= 0 && last == null; i--) {
            last = last(rotated.get(i));
        }
        long seq = last == null ? 0 : last.line.seq();
        byte[] hash = last == null ? new byte[Sha256.BYTES] : last.hash;
        long from = here == null ? 0 : here.end;
        long size = Files.size(audit);
        if (from == size) {
            return new ChainEnd(seq, hash, null);
        }
        TrailingLines loose = TrailingLines.read(audit, from, size, hash);
        return new ChainEnd(seq, loose.last(), loose);
    }

    /** Whether the last line is a whole record but for its line feed, which is then added. */
    public static boolean lacksOnlyItsLineFeed(Path audit) throws IOException {
        try (BackwardLines lines = new BackwardLines(audit)) {
            if (!lines.previous()) {
                return false;
            }
            byte[] head = lines.bytes(lines.start(), ChainedLine.HEAD_BYTES);
            byte[] tail = lines.bytes(tailStart(lines), ChainedLine.TAIL_BYTES);
            byte[] ended = ByteBuffer.allocate(tail.length + 1)
                    .put(tail)
                    .put((byte) '\n')
                    .array();
            return ChainedLine.parse(head, head.length, ended, ended.length) != null;
        }
    }

    static @Nullable Last last(Path file) throws IOException {
        try (BackwardLines lines = new BackwardLines(file)) {
            while (lines.previous()) {
                ChainedLine line = line(lines);
                if (line != null) {
                    return new Last(line, hash(file, lines.start(), lines.end()), lines.end());
                }
            }
            return null;
        }
    }

    private static @Nullable ChainedLine line(BackwardLines lines) throws IOException {
        byte[] tail = lines.bytes(tailStart(lines), ChainedLine.TAIL_BYTES);
        byte[] head = lines.bytes(lines.start(), ChainedLine.HEAD_BYTES);
        return ChainedLine.parse(head, head.length, tail, tail.length);
    }

    private static long tailStart(BackwardLines lines) {
        return Math.max(lines.start(), lines.end() - ChainedLine.TAIL_BYTES);
    }

    private static byte[] hash(Path file, long from, long to) throws IOException {
        MessageDigest sha = Sha256.digest();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.position(from);
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
            long left = to - from;
            while (left > 0 && channel.read(buffer.clear().limit((int) Math.min(BUFFER, left))) > 0) {
                sha.update(buffer.array(), 0, buffer.position());
                left -= buffer.position();
            }
        }
        return sha.digest();
    }
}
