package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only their owner can read, on file systems that have owners. */
public final class OwnerOnly {

    private static final FileAttribute<?> MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private OwnerOnly() {}

    /** Opens a file; one that is created gets mode 0600. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        try {
            return FileChannel.open(file, Set.of(options), MODE);
        } catch (UnsupportedOperationException e) {
            return FileChannel.open(file, options);
        }
    }

    /** Creates or replaces a file at once: whoever reads it sees all of the old or all of the new text. */
    static void write(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel =
                open(next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
