package dev.sallyport.feed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events (WHATWG HTML, 9.2.6), whose data is one line or several. For one thread. */
final class EventReader {

    /** The longest event, in characters. */
    static final int LONGEST = 64 << 20;

    private final BufferedReader lines;

    EventReader(InputStream in) {
        lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** An event. */
    record Event(String name, String data) {}

    /**
     * The next event; null at the end of the stream. Blocks.
     *
     * @throws IOException when the connection fails, or an event is too long
     */
    @Nullable Event next() throws IOException {
        String name = "message";
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    return new Event(name, data.toString());
                }
                name = "message";
            } else if (line.startsWith("event:")) {
                name = line.substring("event:".length()).strip();
            } else if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n")
                        .append(line.substring("data:".length()).strip());
                if (data.length() > LONGEST) {
                    throw new IOException("an event of more than " + LONGEST + " characters");
                }
            }
        }
        return null;
    }
}
