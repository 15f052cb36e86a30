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
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit file of a proxy: appends lines, and leaves what is there as it is. A last line that a killed process has not
 * finished is ended, so that the next one stands by itself.
 */
public final class AuditFile implements AuditSink {

    private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final FileChannel channel;

    private AuditFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Opens a file, which is made with mode 0600 when it is not there. */
    public static AuditFile open(Path file) throws IOException {
        FileChannel channel = create(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        try {
            endLastLine(file, channel);
            return new AuditFile(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** What would keep {@link #open} from working, as far as that can be said without making anything; else empty. */
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

    /** What went wrong, in words that do not repeat the file's name. */
    public static String reason(IOException failure) {
        return failure instanceof FileSystemException named && named.getReason() != null
                ? named.getReason()
                : failure.toString();
    }

    /** Only its owner can read what is made, where the file system knows of owners. */
    static FileChannel create(Path file, OpenOption... options) throws IOException {
        try {
            return FileChannel.open(file, Set.of(options), OWNER_ONLY);
        } catch (UnsupportedOperationException e) {
            return FileChannel.open(file, options);
        }
    }

    private static void endLastLine(Path file, FileChannel channel) throws IOException {
        if (endsInLine(file)) {
            return;
        }
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
        channel.write(lines);
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
