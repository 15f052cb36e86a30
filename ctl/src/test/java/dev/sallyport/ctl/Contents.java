package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** What is in the file of contexts. */
final class Contents {

    private Contents() {}

    static String key(Path file, String server) {
        try {
            return new ObjectMapper()
                    .readTree(file.toFile())
                    .path("contexts")
                    .path(server)
                    .path("key")
                    .asText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
