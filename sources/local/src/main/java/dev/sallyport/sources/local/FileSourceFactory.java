package dev.sallyport.sources.local;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** The source {@code file}: the exact bytes of a file, read once or at an interval. */
public final class FileSourceFactory implements SecretSourceFactory<FileSource> {

    /** The longest value, in bytes. */
    static final int MAX_BYTES = 1024 * 1024;

    /** For {@link java.util.ServiceLoader}. */
    public FileSourceFactory() {}

    @Override
    public Descriptor<FileSource> descriptor() {
        return Descriptor.of("file", FileSource.class, "Reads a file, once or at an interval.");
    }

    @Override
    public boolean local(FileSource config) {
        return true;
    }

    @Override
    public SecretSource create(FileSource config, SourceContext context) {
        return new Contents(config.path(), config.path().toString(), config.trim());
    }

    /** A file that may be replaced at any time: each read opens it anew. */
    private record Contents(Path path, String name, boolean trim) implements SecretSource {

        @Override
        public SecretValue read() throws SecretException {
            byte[] bytes = bytes();
            byte[] value = trim ? trimmed(bytes) : bytes;
            try {
                if (value.length == 0) {
                    throw new SecretException("file " + name + " is empty");
                }
                return SecretValue.of(value);
            } finally {
                Arrays.fill(bytes, (byte) 0);
                Arrays.fill(value, (byte) 0);
            }
        }

        private byte[] bytes() throws SecretException {
            if (Files.exists(path) && !Files.isRegularFile(path)) {
                // Opening a pipe without a writer would block for ever.
                throw new SecretException("file " + name + " is not a regular file");
            }
            try (InputStream in = Files.newInputStream(path)) {
                byte[] bytes = in.readNBytes(MAX_BYTES + 1);
                if (bytes.length > MAX_BYTES) {
                    Arrays.fill(bytes, (byte) 0);
                    throw new SecretException("file " + name + " is longer than " + MAX_BYTES + " bytes");
                }
                return bytes;
            } catch (NoSuchFileException e) {
                throw new SecretException("file " + name + " does not exist");
            } catch (AccessDeniedException e) {
                throw new SecretException("file " + name + " cannot be read by the proxy's user");
            } catch (IOException e) {
                throw new SecretException("file " + name + " cannot be read: " + e.getMessage());
            }
        }

        private static byte[] trimmed(byte[] bytes) {
            int start = 0;
            int end = bytes.length;
            while (start < end && isSpace(bytes[start])) {
                start++;
            }
            while (end > start && isSpace(bytes[end - 1])) {
                end--;
            }
            return Arrays.copyOfRange(bytes, start, end);
        }

        private static boolean isSpace(byte b) {
            return b == ' ' || b == '\t' || b == '\r' || b == '\n';
        }
    }
}
