package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * How pipelines travel: small ones as they are; of a large one what differs from the pipeline that the proxy has, where
 * that is little, else the whole of it, compressed. Each form is made once for all proxies of a scope. Thread-safe.
 */
final class PipelineForms {

    /** Up to here a pipeline travels as it is, in characters. */
    private static final int SMALL = 8 << 10;

    /** The part of a large pipeline that may differ; more is compressed. */
    private static final int PART = 8;

    /** How long the text of an event is used: it says until when the snapshot holds. */
    private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<Compiled, Made> made = Collections.synchronizedMap(new WeakHashMap<>());

    /** The text of an event that several proxies get. */
    private record Event(Key key, String text, long madeAt) {

        /**
         * @param hash of the snapshot: proxies that cannot be given secrets have another one
         * @param base what the proxies have; empty when that is not known
         */
        record Key(long revision, String hash, String base) {}
    }

    /** The forms of one pipeline. */
    private static final class Made {
        private @Nullable String packed;
        private @Nullable String base;
        private @Nullable Splice splice;
        private @Nullable Event event;

        synchronized String event(Event.Key key, Supplier<String> text) {
            Event known = event;
            long now = System.nanoTime();
            if (known == null || !known.key().equals(key) || now - known.madeAt() > SHARED_NANOS) {
                known = new Event(key, text.get(), now);
                event = known;
            }
            return known.text();
        }

        synchronized String packed(String json) {
            String known = packed;
            if (known == null) {
                known = Base64.getEncoder().encodeToString(gzip(json));
                packed = known;
            }
            return known;
        }

        synchronized Splice splice(Compiled from, String json) {
            Splice known = splice;
            if (known == null || !from.hash().equals(base)) {
                known = Splice.of(from.json(), json);
                splice = known;
                base = from.hash();
            }
            return known;
        }
    }

    /**
     * The text of an event with a snapshot; that of a large one is made once for all proxies that get it within a second.
     *
     * @param held what the proxy has; null when that is not known
     * @param heldHash the hash of the pipeline that the proxy has; empty when that is not known
     * @param position makes what the event says besides
     */
    String event(@Nullable Compiled held, String heldHash, Snapshot snapshot, Supplier<ObjectNode> position) {
        Compiled next = snapshot.pipeline();
        if (heldHash.equals(next.hash())) {
            return position.get().put("pipeline_hash", heldHash).toString(); // secrets alone have changed
        }
        if (next.json().length() <= SMALL) {
            return put(position.get(), held, next).toString();
        }
        return made.computeIfAbsent(next, any -> new Made())
                .event(
                        new Event.Key(snapshot.revision(), snapshot.hash(), held == null ? "" : held.hash()),
                        () -> put(position.get(), held, next).toString());
    }

    /**
     * Adds a pipeline to an event.
     *
     * @param held what the proxy has; null when that is not known
     */
    ObjectNode put(ObjectNode event, @Nullable Compiled held, Compiled next) {
        if (held != null && held.hash().equals(next.hash())) {
            return event.put("pipeline_hash", held.hash());
        }
        String json = next.json();
        if (json.length() <= SMALL) {
            return event.put("pipeline", json);
        }
        Made forms = made.computeIfAbsent(next, any -> new Made());
        Splice splice = held == null ? null : forms.splice(held, json);
        if (held != null && splice != null && splice.middle().length() <= json.length() / PART) {
            event.putObject("splice")
                    .put("base", held.hash())
                    .put("front", splice.front())
                    .put("back", splice.back())
                    .put("middle", splice.middle());
        } else {
            event.put("pipeline_gzip", forms.packed(json));
        }
        return event;
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written anywhere
        }
        return bytes.toByteArray();
    }
}
