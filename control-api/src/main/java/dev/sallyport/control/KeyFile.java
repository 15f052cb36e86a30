package dev.sallyport.control;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.store.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of the encryption key. It appears whole or not at all, whatever ends the process. */
final class KeyFile {

    private static final Logger LOG = LoggerFactory.getLogger(KeyFile.class);

    private KeyFile() {}

    /** The text of the file, which is made where there is none. */
    static String readOrMake(Path file) throws IOException, GeneralSecurityException {
        try {
            return readAndWarn(file);
        } catch (NoSuchFileException e) {
            make(file.toAbsolutePath());
            return readAndWarn(file);
        }
    }

    /** The text of the file, with a warning when others may read it, too. */
    static String readAndWarn(Path file) throws IOException {
        String text = Files.readString(file);
        if (PrivateFiles.isOpenToOthers(file)) {
            LOG.warn("other users may read the encryption key {} (expected: mode 0600)", file);
        }
        return text;
    }

    /** Makes the file under another name and links it; where another process was faster, its file stays. */
    private static void make(Path file) throws IOException, GeneralSecurityException {
        Path draft = file.resolveSibling(file.getFileName() + "." + Tokens.code());
        try {
            write(draft, Envelope.newKey());
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("another process made the key {}", file);
        } finally {
            Files.deleteIfExists(draft);
        }
        PrivateFiles.forceName(file);
    }

    /**
     * Puts another key in the place of the file: after a failure of power too, one of the two is there. Owner, group and
     * mode stay, and a link leads to it as before; fails where that cannot be had.
     */
    static void replace(Path file, String text) throws IOException {
        Path real = file.toRealPath();
        Path draft = real.resolveSibling(real.getFileName() + "." + Tokens.code());
        try {
            write(draft, text);
            PrivateFiles.copyAccess(real, draft);
            Files.move(draft, real, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
        PrivateFiles.forceName(real);
    }

    private static void write(Path file, String text) throws IOException {
        try (FileChannel out = PrivateFiles.create(file)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
    }
}
