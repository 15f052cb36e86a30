package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A proxy elsewhere as the control plane sees it: it follows its stream, and acknowledges when a test says so. */
final class FeedStream implements AutoCloseable {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Event END = new Event("end", Api.tree("{}"), "");
    private static final long PATIENCE_SECONDS = 3L * Patience.SECONDS;

    private final URI address;
    private final String token;
    private final InputStream body;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private String text = ""; // of the thread that reads
    private volatile String name = "";

    private FeedStream(URI address, String token, InputStream body) {
        this.address = address;
        this.token = token;
        this.body = body;
        Thread.ofVirtual().start(this::read);
    }

    /**
     * An event; {@code end} after the last one.
     *
     * @param text the pipeline of a snapshot; empty for other events
     */
    record Event(String name, JsonNode data, String text) {

        long revision() {
            return data.path("revision").asLong();
        }

        /** The pipeline of a snapshot. */
        JsonNode pipeline() {
            return Api.tree(text);
        }
    }

    /** The answer to a proxy: a stream, unless it is refused. */
    record Opening(
            int status,
            String retryAfter,
            String text,
            @Nullable FeedStream stream) {}

    /** Connects with a token, and with what is said to be there already. */
    static Opening connect(URI address, String token, String... headers) throws IOException, InterruptedException {
        return connect(address, token, request -> {
            if (headers.length > 0) {
                request.headers(headers);
            }
        });
    }

    /** Connects as a proxy that accounts share, with what it has of them; it must be let in. */
    static FeedStream resume(URI address, String token, String key, String held)
            throws IOException, InterruptedException {
        Opening opening = connect(
                address,
                token,
                request -> request.header("Sallyport-Key", key).POST(HttpRequest.BodyPublishers.ofString(held)));
        if (opening.stream() == null) {
            throw new AssertionError(opening.status() + " " + opening.text());
        }
        return opening.stream();
    }

    private static Opening connect(URI address, String token, Consumer<HttpRequest.Builder> rest)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address + "/v1/feed")).header("Authorization", "Bearer " + token);
        request.header("Accept", "*/*"); // as most clients say
        rest.accept(request);
        HttpResponse<InputStream> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        String retryAfter = response.headers().firstValue("Retry-After").orElse("");
        if (response.statusCode() == 200) {
            String type = response.headers().firstValue("Content-Type").orElse("");
            if (!type.equals("text/event-stream")) {
                throw new AssertionError("Content-Type " + type);
            }
            return new Opening(200, retryAfter, "", new FeedStream(address, token, response.body()));
        }
        try (InputStream refusal = response.body()) {
            String text = new String(refusal.readAllBytes(), StandardCharsets.UTF_8);
            return new Opening(response.statusCode(), retryAfter, text, null);
        }
    }

    /** Connects; it must be let in. */
    static FeedStream open(URI address, String token, String... headers) throws IOException, InterruptedException {
        Opening opening = connect(address, token, headers);
        if (opening.stream() == null) {
            throw new AssertionError(opening.status() + " " + opening.text());
        }
        return opening.stream();
    }

    private void read() {
        String name = "";
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("event:")) {
                    name = line.substring("event:".length()).strip();
                } else if (line.startsWith("data:")) {
                    events.add(event(name, Api.tree(line.substring("data:".length()))));
                }
            }
        } catch (IOException e) {
            events.add(END); // closed at either side
            return;
        }
        events.add(END);
    }

    private Event event(String name, JsonNode data) throws IOException {
        if (name.equals("hello")) {
            this.name = data.path("stream").asText();
        }
        if (name.equals("snapshot")) {
            text = text(data);
        }
        return new Event(name, data, name.equals("snapshot") ? text : "");
    }

    /** The pipeline of a snapshot, in whichever form it comes. */
    private String text(JsonNode data) throws IOException {
        JsonNode splice = data.path("splice");
        if (splice.isObject()) {
            return text.substring(0, splice.path("front").asInt())
                    + splice.path("middle").asText()
                    + text.substring(text.length() - splice.path("back").asInt());
        }
        if (data.has("pipeline_hash")) {
            return text; // it is there already
        }
        if (!data.has("pipeline_gzip")) {
            return data.path("pipeline").asText();
        }
        byte[] packed = Base64.getDecoder().decode(data.path("pipeline_gzip").asText());
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The next event of any kind. */
    Event next() throws InterruptedException {
        Event event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (event == null) {
            throw new AssertionError("no event came");
        }
        return event;
    }

    /** The next event of this name; others than heartbeats may not come before. */
    Event next(String name) throws InterruptedException {
        Event event = next();
        while (!event.name().equals(name)) {
            if (!event.name().matches("hello|heartbeat|busy|current")) {
                throw new AssertionError("expected " + name + ", but came " + event.name());
            }
            event = next();
        }
        return event;
    }

    /** Says that a snapshot is in force. */
    void acknowledge(Event snapshot) throws InterruptedException {
        acknowledgeAt(address, snapshot);
    }

    /** As {@link #acknowledge}, at another replica. */
    void acknowledgeAt(URI other, Event snapshot) throws InterruptedException {
        acknowledge(other, snapshot.data().path("epoch").asText(), snapshot.revision());
    }

    /** Says that something is in force, whether it was sent or not. */
    void acknowledge(String epoch, long revision) throws InterruptedException {
        acknowledge(address, epoch, revision);
    }

    private void acknowledge(URI to, String epoch, long revision) throws InterruptedException {
        acknowledge(to, epoch, revision, "\"problems\": []");
    }

    /**
     * Says of an event of accounts that it is in force, at any replica.
     *
     * @param rest members of the body: problems, and failed
     */
    void acknowledgeAccounts(URI to, Event accounts, String rest) throws InterruptedException {
        acknowledge(
                to,
                accounts.data().path("epoch").asText(),
                accounts.data().path("number").asLong(),
                rest);
    }

    /** As a proxy does: told to come later, it does. */
    private void acknowledge(URI to, String epoch, long revision, String rest) throws InterruptedException {
        String json = "{\"epoch\": \"" + epoch + "\", \"stream\": \"" + name + "\", \"revision\": " + revision + ", "
                + rest + "}";
        HttpRequest request = HttpRequest.newBuilder(URI.create(to + "/v1/feed/acknowledgements"))
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        try {
            HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            while (response.statusCode() == 503 && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(200);
                response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            }
            if (response.statusCode() != 204) {
                throw new AssertionError(response.statusCode() + " " + response.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a snapshot, and says that it is in force. */
    Event take() throws InterruptedException {
        Event snapshot = next("snapshot");
        acknowledge(snapshot);
        return snapshot;
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
