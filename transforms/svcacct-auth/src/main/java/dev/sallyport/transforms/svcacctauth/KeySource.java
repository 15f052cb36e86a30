package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.spi.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The location of a service account's key. Thread-safe. */
sealed interface KeySource {

    /** Increases when the key has changed, as far as that is known without reading. */
    long version();

    /** The current key, or null when it cannot be read. May block. */
    byte @Nullable [] read();

    /** A file, read on every call. */
    record InFile(Path path) implements KeySource {

        @Override
        public long version() {
            return 1;
        }

        @Override
        public byte @Nullable [] read() {
            try {
                return Files.readAllBytes(path);
            } catch (IOException e) {
                return null;
            }
        }
    }

    /** A secret, which the engine keeps fresh. */
    record InSecret(Secret secret) implements KeySource {

        @Override
        public long version() {
            return secret.version();
        }

        @Override
        public byte @Nullable [] read() {
            return secret.available() ? secret.value().bytes() : null;
        }
    }
}
