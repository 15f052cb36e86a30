package dev.sallyport.core.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit file of a proxy: appends lines, and leaves what is there unchanged. A last line that a killed process has
 * not finished is ended, so that the next one stands by itself. Beside it, as {@code NAME.inflight}, lies the table of
 * exchanges in progress ({@link InFlightTable}); {@link #leftOver} is what an earlier process has left in it.
 */
public final class AuditFile implements AuditSink {

    private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final FileChannel channel;
    private final @Nullable InFlightTable inFlight;
    private final List<AuditRecord> leftOver;

    /** Whether the next write begins a batch. */
    private boolean between = true;

    private AuditFile(FileChannel channel, @Nullable InFlightTable inFlight, List<AuditRecord> leftOver) {
        this.channel = channel;
        this.inFlight = inFlight;
        this.leftOver = List.copyOf(leftOver);
    }

    /**
     * Opens a file and its table, creating them with mode 0600 if they do not exist. One proxy at a time can have them
     * open. If there can be no table, a log message says why.
     *
     * @param slots how many records can be in progress at once, not counting those that last
     */
    public static AuditFile open(Path file, int slots) throws IOException {
        FileChannel channel = create(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        InFlightTable table = null;
        try {
            table = table(InFlightFile.beside(file.toRealPath()), slots);
            boolean complete = endsInLine(file);
            List<AuditRecord> leftOver = table == null ? List.of() : UnfinishedRecords.find(table, file, complete);
            if (!complete) {
                endLastLine(file, channel);
            }
            return new AuditFile(channel, table, leftOver);
        } catch (IOException | RuntimeException e) {
            if (table != null) {
                table.close();
            }
            channel.close();
            throw e;
        }
    }

    private static @Nullable InFlightTable table(Path file, int slots) throws InFlightFile.InUse {
        try {
            return InFlightFile.open(file, slots);
        } catch (InFlightFile.InUse e) {
            throw e;
        } catch (IOException | RuntimeException | InternalError e) {
            LOG.warn(
                    "audit: {} cannot be used, so the next start will not tell what was under way when this process ends, "
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
            return "its folder is not there";
        }
        return Files.isWritable(folder) ? "" : "its folder cannot be written";
    }

    /** The reason for a failure, without repeating the file's name. */
    public static String reason(IOException failure) {
        return failure instanceof FileSystemException named && named.getReason() != null
                ? named.getReason()
                : failure.toString();
    }

    /** Creates a file that only its owner can read, on file systems that have owners. */
    static FileChannel create(Path file, OpenOption... options) throws IOException {
        try {
            return FileChannel.open(file, Set.of(options), OWNER_ONLY);
        } catch (UnsupportedOperationException e) {
            return FileChannel.open(file, options);
        }
    }

    private static void endLastLine(Path file, FileChannel channel) throws IOException {
        LOG.warn("audit: the last line of {} is not complete; it stays as it is", file);
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
        if (between && inFlight != null) {
            inFlight.mark(channel.size());
            between = false;
        }
        channel.write(lines);
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
        } finally {
            channel.close();
        }
    }
}
