package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.CheckpointFiles;
import dev.sallyport.core.audit.chain.CheckpointReader;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.core.audit.chain.NoteKey;
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
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signed checkpoints of a chain, in {@code NAME.checkpoints}. That file is rotated when the audit file is, and when it
 * is itself large or old enough, since an idle proxy signs, too; as many rotated ones are kept as of audit files. Every
 * checkpoint stands for all records before it, so that none of them is needed once there is a later one. Confined to the
 * writer's thread once it is open, but for {@link #rotation}.
 *
 * <p>One follows the other after {@code every}, whether or not there were records, and sooner after so many records; but
 * never within the same second, so that signing costs next to nothing.
 */
final class CheckpointLog implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointLog.class);
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LEAST_MILLIS = TimeUnit.SECONDS.toMillis(1);

    /** As long as a checkpoint may be, about. */
    private static final int NOTE_BYTES = 512;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final RotatingFile file;
    private final AuditKey key;
    private final long everyNanos;
    private final int records;
    private final Clock clock;
    private final LongSupplier nanoTime;

    /** When the last one was signed: no other in the second after it. */
    private long signedAt;

    /** When the last one was signed, or this log was opened: the next is due {@code every} after it. */
    private long since;

    private Instant time;
    private long signedSeq;
    private boolean rotateNext;

    /** What is signed and not written yet. */
    private ByteBuffer rest = NOTHING;

    /**
     * What is configured.
     *
     * @param every at least a second
     * @param records how many make one due before that
     */
    record Settings(AuditKey key, Duration every, int records, Rotation rotation) {}

    /** Where time comes from. */
    record Clocks(Clock wall, LongSupplier nanoTime) {}

    private CheckpointLog(RotatingFile file, Settings settings, Clocks clocks, long seq, Instant time) {
        this.file = file;
        this.key = settings.key;
        this.everyNanos = Math.max(LEAST_NANOS, settings.every.toNanos());
        this.records = settings.records;
        this.clock = clocks.wall;
        this.nanoTime = clocks.nanoTime;
        this.signedSeq = seq;
        this.since = nanoTime.getAsLong();
        long sinceLast = Duration.between(time, clock.instant()).toMillis();
        this.signedAt = since - TimeUnit.MILLISECONDS.toNanos(Math.clamp(sinceLast, 0, LEAST_MILLIS));
        this.time = time;
    }

    /**
     * Opens the file of an audit file, cuts off a note in it that a killed process has not finished, and adds the public
     * key to those beside the file.
     *
     * @param seq where the chain has got to
     */
    static CheckpointLog open(Path audit, long seq, Settings settings, Clocks clocks) throws IOException {
        Path file = AuditNames.checkpoints(audit);
        publish(AuditNames.publicKey(audit), settings.key.publicKey());
        FileChannel channel = OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        try {
            CheckpointReader.Last here = CheckpointReader.last(file);
            channel.truncate(here == null ? 0 : here.end());
            CheckpointReader.Last last = CheckpointFiles.last(audit);
            Instant time = last == null ? null : last.checkpoint().time();
            long signed = last == null ? 0 : last.checkpoint().size();
            if (signed > seq) {
                LOG.error(
                        "audit: {} names seq {}, but the last record of {} is seq {}: records have been removed",
                        file,
                        signed,
                        audit,
                        seq);
            }
            RotatingFile rotating =
                    RotatingFile.begun(file, channel, settings.rotation, clocks.wall, since(file, clocks.wall));
            return new CheckpointLog(rotating, settings, clocks, signed, time == null ? Instant.EPOCH : time);
        } catch (NoteException e) {
            channel.close();
            throw new IOException(file.getFileName() + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** When the first checkpoint of a file was signed; now for none. */
    private static Instant since(Path file, Clock clock) throws IOException, NoteException {
        try (CheckpointReader notes = new CheckpointReader(file)) {
            CheckpointReader.Entry first = notes.next();
            Instant time = first == null ? null : first.checkpoint().time();
            return time == null ? clock.instant() : time;
        }
    }

    private static void publish(Path file, NoteKey key) throws IOException {
        try {
            List<NoteKey> known = Files.exists(file) ? NoteKey.read(file) : List.of();
            if (!known.contains(key)) {
                if (!known.isEmpty()) {
                    LOG.warn("audit: another key signs from now on; {} has the earlier ones, too", file);
                }
                Files.writeString(file, key + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        } catch (NoteException e) {
            throw new IOException(file.getFileName() + ": " + e.getMessage(), e);
        }
    }

    /** How long until one is due; 0 when it is. */
    long nanosUntilDue(AuditChain chain) {
        if (rest.hasRemaining()) {
            return 0;
        }
        boolean many = chain.seq() - signedSeq >= records;
        long due = many ? 0 : everyNanos - (nanoTime.getAsLong() - since);
        return Math.max(due, nanosUntilAllowed());
    }

    /** How long until one may be signed; 0 when it may. */
    long nanosUntilAllowed() {
        return Math.max(0, LEAST_NANOS - (nanoTime.getAsLong() - signedAt));
    }

    /** Whether the last one is of this state. */
    boolean covers(AuditChain chain) {
        return !rest.hasRemaining() && signedSeq == chain.seq();
    }

    /** Signs and appends one. When that fails, what is left of it is written with the next call. */
    void append(AuditChain chain) throws IOException {
        if (!rest.hasRemaining()) {
            rotate();
            Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
            time = now.isBefore(time) ? time : now; // The clock may be set back.
            Checkpoint state = new Checkpoint(
                    key.publicKey().name(), chain.seq(), chain.hash().clone(), time);
            rest = ByteBuffer.wrap(state.signed(key).getBytes(StandardCharsets.UTF_8));
            signedSeq = chain.seq();
            signedAt = nanoTime.getAsLong();
            since = signedAt;
        }
        while (rest.hasRemaining()) {
            file.write(rest);
        }
        file.delete(file.surplus()); // only now that a later one stands for them
    }

    /** Between two checkpoints: each is whole in one file. */
    private void rotate() throws IOException {
        if (rotateNext && file.size() > 0) {
            file.rotate();
        } else {
            file.batch(NOTE_BYTES);
        }
        rotateNext = false;
    }

    /** The audit file has been rotated: the next checkpoint begins another file, too. */
    void rotateNext() {
        rotateNext = true;
    }

    /** Changes when the file is rotated, from any thread. */
    void rotation(Rotation rotation) {
        file.rotation(rotation);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
