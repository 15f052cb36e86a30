package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.spi.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the key of a service account is. Thread-safe. */
sealed interface KeySource {

    /** Grows when the key has changed, as far as that can be told without reading. */
    long version();

    /** The key now, or null when it cannot be read. May block. */
    byte @Nullable [] read();

    /** A file, read whenever it is asked for. */
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
