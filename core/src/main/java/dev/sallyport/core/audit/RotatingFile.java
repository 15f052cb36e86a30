package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.core.audit.chain.OwnerOnly;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file that lines are appended to, and its predecessors {@code NAME.000001} and up. Used by the writer's thread. */
final class RotatingFile implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(RotatingFile.class);
    private static final String TIME = "{\"time\":\"";
    private static final int TIME_LENGTH = "2026-03-04T05:06:07.089Z".length();

    private final Path file;
    private final Clock clock;
    private FileChannel channel;
    private long size;
    private Instant since;
    private volatile Rotation rotation;
    private List<Path> surplus = List.of();

    /** Not before the first batch: what an earlier process has left belongs together with what is said of it. */
    private boolean begun;

    private RotatingFile(Path file, FileChannel channel, Rotation rotation, Clock clock, Instant since)
            throws IOException {
        this.file = file;
        this.channel = channel;
        this.rotation = rotation;
        this.clock = clock;
        this.size = channel.size();
        this.since = since;
    }

    /** @param channel appends to the file, which has records */
    static RotatingFile of(Path file, FileChannel channel, Rotation rotation, Clock clock) throws IOException {
        return new RotatingFile(file, channel, rotation, clock, firstTime(file, clock));
    }

    /**
     * A file that may be rotated with its first batch.
     *
     * @param channel appends to the file
     * @param since when its first line was written
     */
    static RotatingFile begun(Path file, FileChannel channel, Rotation rotation, Clock clock, Instant since)
            throws IOException {
        RotatingFile rotating = new RotatingFile(file, channel, rotation, clock, since);
        rotating.begun = true;
        return rotating;
    }

    /** When the first record was written, as far as the file says; otherwise now. */
    private static Instant firstTime(Path file, Clock clock) throws IOException {
        ByteBuffer begin = ByteBuffer.allocate(TIME.length() + TIME_LENGTH);
        try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ)) {
            reader.read(begin, 0);
        }
        String text = new String(begin.array(), StandardCharsets.US_ASCII);
        try {
            return text.startsWith(TIME) ? Instant.parse(text.substring(TIME.length())) : clock.instant();
        } catch (DateTimeParseException e) {
            return clock.instant(); // A line that was not finished, or is somebody else's.
        }
    }

    void rotation(Rotation next) {
        rotation = next;
    }

    FileChannel channel() {
        return channel;
    }

    /** Its bytes. */
    long size() {
        return size;
    }

    /**
     * A batch of lines comes next: begins another file when this one is full or old enough.
     *
     * @return whether it has
     */
    boolean batch(int bytes) throws IOException {
        size = channel.size();
        Rotation now = rotation;
        boolean due = begun && size > 0 && (size + bytes > now.bytes() || isOld(now.age()));
        if (due) {
            rotate();
        } else if (size == 0) {
            since = clock.instant();
        }
        begun = true;
        return due;
    }

    private boolean isOld(Duration age) {
        return !age.isZero() && !clock.instant().isBefore(since.plus(age));
    }

    /** Begins another file. Each step may fail and is then tried again: what has been renamed is not there any more. */
    void rotate() throws IOException {
        if (Files.exists(file)) {
            Files.move(file, AuditNames.next(file));
        }
        FileChannel next = OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        FileChannel last = channel;
        channel = next;
        size = next.size();
        since = clock.instant();
        try {
            last.close();
        } catch (IOException e) {
            LOG.warn("audit: the file that was rotated could not be closed: {}", e.toString());
        }
        surplus = findSurplus();
    }

    private List<Path> findSurplus() {
        try {
            List<Path> rotated = AuditNames.rotated(file);
            return List.copyOf(rotated.subList(0, Math.max(0, rotated.size() - rotation.keep())));
        } catch (IOException e) {
            LOG.warn("audit: rotated files could not be looked at, more than wanted are kept: {}", e.toString());
            return List.of();
        }
    }

    /** The rotated files that are too many, the oldest first. */
    List<Path> surplus() {
        return surplus;
    }

    /** One that cannot be deleted is told of in the log, and is tried again after the next rotation. */
    void delete(List<Path> told) {
        for (Path old : told) {
            try {
                Files.deleteIfExists(old);
            } catch (IOException e) {
                LOG.warn("audit: {} could not be deleted: {}", old, AuditFile.reason(e));
            }
        }
        surplus = surplus.stream().filter(old -> !told.contains(old)).toList();
    }

    void write(ByteBuffer lines) throws IOException {
        size += channel.write(lines);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
