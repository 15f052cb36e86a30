package dev.sallyport.core.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Writes a file atomically, with its final permissions from the start. */
final class AtomicFiles {

    private AtomicFiles() {}

    static void write(Path file, String text, String permissions) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path name = file.getFileName();
        if (folder == null || name == null) {
            throw new IOException(file + ": not a file name");
        }
        Set<PosixFilePermission> wanted = PosixFilePermissions.fromString(permissions);
        boolean posix = Files.getFileStore(folder).supportsFileAttributeView("posix");
        // Made for the owner alone: nobody else can open it before the permissions are final.
        Path draft = Files.createTempFile(folder, "." + name, ".tmp", ownerOnly(posix));
        try {
            try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            if (posix) {
                Files.setPosixFilePermissions(draft, wanted);
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static FileAttribute<?>[] ownerOnly(boolean posix) {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
