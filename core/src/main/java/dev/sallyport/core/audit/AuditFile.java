package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainEnd;
import dev.sallyport.core.audit.chain.OwnerOnly;
import dev.sallyport.core.audit.chain.TrailingLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit file of a proxy: appends lines, and leaves what is there unchanged. A last line that a killed process has
 * not finished is ended, so that the next one stands by itself. A file that is large or old enough is renamed, and
 * another begun ({@link Rotation}).
 *
 * <p>Beside it, as {@code NAME.inflight}, lies the table of exchanges in progress ({@link InFlightTable}); {@link
 * #leftOver} is what an earlier process has left in it. With a chain there are also {@code NAME.checkpoints}, which is
 * rotated with it, {@code NAME.key} and {@code NAME.pub} (docs/audit.md).
 */
public final class AuditFile implements AuditSink {

    private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);

    private final @Nullable InFlightTable inFlight;
    private final List<AuditRecord> leftOver;
    private final RotatingFile file;
    private final @Nullable AuditChain chain;
    private final @Nullable CheckpointLog checkpoints;
    private final @Nullable TrailingLines loose;

    /** Whether the last line of an earlier process still needs its end. */
    private boolean unended;

    /** Whether the next write begins a batch. */
    private boolean between = true;

    /**
     * What is configured.
     *
     * @param slots how many records can be in progress at once, not counting those that last
     * @param chain null for none
     */
    public record Settings(
            int slots, Rotation rotation, @Nullable Chain chain) {}

    /**
     * The chain that the records are to form.
     *
     * @param key signs the checkpoints
     * @param every how often, at least a second
     * @param records how many make a checkpoint due before that
     */
    public record Chain(AuditKey key, Duration every, int records) {}

    private AuditFile(Opened opened, RotatingFile file) {
        this.file = file;
        this.inFlight = opened.table;
        this.leftOver = List.copyOf(opened.leftOver);
        this.chain = opened.chain;
        this.checkpoints = opened.checkpoints;
        this.loose = opened.loose;
        this.unended = opened.unended;
    }

    /** What has been opened so far, to be closed when the rest fails. */
    private static final class Opened {

        private @Nullable FileChannel channel;
        private @Nullable InFlightTable table;
        private List<AuditRecord> leftOver = List.of();
        private @Nullable AuditChain chain;
        private @Nullable CheckpointLog checkpoints;
        private @Nullable TrailingLines loose;
        private boolean unended;

        void close() throws IOException {
            if (checkpoints != null) {
                checkpoints.close();
            }
            if (table != null) {
                table.close();
            }
            if (channel != null) {
                channel.close();
            }
        }
    }

    /**
     * Opens a file and its table, creating them with mode 0600 if they do not exist. One proxy at a time can have them
     * open. If there can be no table, a log message says why.
     */
    public static AuditFile open(Path file, Settings settings) throws IOException {
        return open(file, settings, Clock.systemUTC());
    }

    static AuditFile open(Path file, Settings settings, Clock clock) throws IOException {
        Opened opened = new Opened();
        try {
            FileChannel channel = OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            opened.channel = channel;
            Path real = file.toRealPath();
            opened.table = table(InFlightFile.beside(real), settings.slots);
            boolean ended = endsInLine(real);
            boolean whole = ended || (settings.chain != null && ChainEnd.lacksOnlyItsLineFeed(real));
            if (opened.table != null) {
                opened.leftOver = UnfinishedRecords.find(opened.table, real, whole);
            }
            opened.unended = !ended;
            if (!whole) {
                LOG.warn(
                        "audit: the last line of {} is not complete; it stays as it is{}",
                        file,
                        settings.chain == null ? "" : ", and the first record seals it");
            }
            if (settings.chain != null) {
                if (whole && !ended) {
                    // With its line feed it is a record of the chain, and its hash is known.
                    endLine(channel);
                    opened.unended = false;
                }
                chain(real, settings, settings.chain, clock, opened);
            }
            return new AuditFile(opened, RotatingFile.of(real, channel, settings.rotation, clock));
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static void chain(Path file, Settings settings, Chain chain, Clock clock, Opened opened)
            throws IOException {
        ChainEnd end = ChainEnd.find(file);
        opened.loose = end.loose();
        opened.chain = new AuditChain(end);
        opened.checkpoints = CheckpointLog.open(
                file,
                end.seq(),
                new CheckpointLog.Settings(chain.key, chain.every, chain.records, settings.rotation),
                new CheckpointLog.Clocks(clock, System::nanoTime));
    }

    private static @Nullable InFlightTable table(Path file, int slots) throws InFlightFile.InUse {
        try {
            return InFlightFile.open(file, slots);
        } catch (InFlightFile.InUse e) {
            throw e;
        } catch (IOException | RuntimeException | InternalError e) {
            LOG.warn(
                    "audit: {} cannot be used, so the next start cannot report what was in progress when this process ended, "
                            + "and no other proxy is kept from writing the audit file: {}",
                    file,
                    e instanceof IOException failure ? reason(failure) : e.toString());
            return null;
        }
    }

    /** Null if there can be none. */
    @Nullable InFlightTable inFlight() {
        return inFlight;
    }

    /**
     * What an earlier process has left in progress, oldest first: records that say so, to be written before all others.
     */
    List<AuditRecord> leftOver() {
        return leftOver;
    }

    /** Null where there is none. */
    @Nullable AuditChain chain() {
        return chain;
    }

    /** Null where there is no chain. */
    @Nullable CheckpointLog checkpoints() {
        return checkpoints;
    }

    /** The lines that the first record of the chain seals; null for none. */
    @Nullable TrailingLines loose() {
        return loose;
    }

    /** Changes when the file is rotated, from any thread. */
    void rotation(Rotation rotation) {
        file.rotation(rotation);
        if (checkpoints != null) {
            checkpoints.rotation(rotation);
        }
    }

    /** The rotated files that are too many. With a chain, records say so before they are deleted. */
    List<Path> surplus() {
        return file.surplus();
    }

    /** Deletes rotated files that were too many. */
    void delete(List<Path> told) {
        file.delete(told);
    }

    /**
     * The reason why {@link #open} would fail, as far as it can be known without creating anything; otherwise empty.
     */
    public static String obstacle(Path file) {
        if (Files.isDirectory(file)) {
            return "a folder";
        }
        if (Files.exists(file)) {
            if (!Files.isRegularFile(file)) {
                return "not a regular file";
            }
            return Files.isReadable(file) && Files.isWritable(file) ? "" : "cannot be read and written";
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return "its folder does not exist";
        }
        return Files.isWritable(folder) ? "" : "its folder cannot be written";
    }

    /** The reason for a failure, without repeating the file's name. */
    public static String reason(IOException failure) {
        return failure instanceof FileSystemException named && named.getReason() != null
                ? named.getReason()
                : failure.toString();
    }

    private static void endLine(FileChannel channel) throws IOException {
        ByteBuffer end = ByteBuffer.wrap(new byte[] {'\n'});
        while (end.hasRemaining()) {
            channel.write(end);
        }
    }

    private static boolean endsInLine(Path file) throws IOException {
        try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return reader.size() == 0 || reader.read(last, reader.size() - 1) < 1 || last.get(0) == '\n';
        }
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        if (between) {
            if (unended) {
                endLine(file.channel());
                unended = false;
            }
            if (file.batch(lines.remaining()) && checkpoints != null) {
                checkpoints.rotateNext();
            }
            if (inFlight != null) {
                inFlight.mark(file.size());
            }
            between = false;
        }
        file.write(lines);
    }

    /** Nothing is buffered. */
    @Override
    public void flush() {
        between = true;
    }

    @Override
    public void close() throws IOException {
        try {
            if (inFlight != null) {
                inFlight.close();
            }
            if (checkpoints != null) {
                checkpoints.close();
            }
        } finally {
            file.close();
        }
    }
}
