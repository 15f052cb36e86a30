package dev.sallyport.ctl.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An answer of server-sent events (WHATWG HTML, 9.2.6), read by a thread of its own, so that a server that says nothing
 * any more is noticed. Events that nobody takes hold the server up. For one thread.
 */
public final class EventStream implements AutoCloseable {

    /** The longest event, in characters. */
    private static final int LONGEST = 1 << 20;

    private static final int WAITING = 64;

    private final InputStream in;
    private final String server;
    private final BlockingQueue<Optional<ServerEvent>> events = new ArrayBlockingQueue<>(WAITING);
    private volatile boolean broken;
    private final Thread reader;

    EventStream(InputStream in, String server) {
        this.in = in;
        this.server = server;
        this.reader = Thread.ofVirtual().name("sallyport-ctl-events").start(this::read);
    }

    /**
     * The next event; null at the end of the answer.
     *
     * @param patience how long the server may say nothing
     * @throws Unreachable when the connection broke, or the server said nothing for so long
     */
    public @Nullable ServerEvent next(Duration patience) throws Unreachable, InterruptedException {
        Optional<ServerEvent> event = events.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (event == null) {
            throw new Unreachable("nothing from " + server + " for " + patience.toSeconds() + " s", true);
        }
        if (event.isEmpty() && broken) {
            throw new Unreachable("the connection to " + server + " broke", true);
        }
        return event.orElse(null);
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            events(lines);
        } catch (IOException e) {
            broken = true;
        } catch (InterruptedException e) {
            return; // closed: nobody waits
        }
        try {
            events.put(Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void events(BufferedReader lines) throws IOException, InterruptedException {
        String id = "";
        String name = "";
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    events.put(Optional.of(new ServerEvent(id, name.isEmpty() ? "message" : name, data.toString())));
                }
                name = "";
                data.setLength(0);
                continue;
            }
            int colon = line.indexOf(':');
            String field = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            switch (field) {
                case "id" -> id = value;
                case "event" -> name = value;
                case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
                default -> {} // comments, and what later versions add
            }
            if (data.length() > LONGEST) {
                throw new IOException("an event of more than " + LONGEST + " characters");
            }
        }
    }

    /** Ends the answer. */
    @Override
    public void close() {
        reader.interrupt();
        try {
            in.close();
        } catch (IOException e) {
            broken = true; // it is over in any case
        }
    }
}
