package dev.sallyport.sandboxd.vm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The scripts of this package, which run inside guests. */
final class Scripts {

    private Scripts() {}

    static String named(String name) {
        try (InputStream stream = Scripts.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException(name + " is no part of this program");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
