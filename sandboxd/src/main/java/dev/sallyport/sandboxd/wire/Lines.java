package dev.sallyport.sandboxd.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** JSON objects as lines of bounded length. */
public final class Lines {

    /** The version of the protocol. */
    public static final int VERSION = 1;

    /** The longest of those requests of which there may be many at a time, in bytes. */
    public static final int LONGEST_SHORT_REQUEST = 256 * 1024;

    /**
     * The longest request, in bytes. A VM may have 1 MiB of variables, of which JSON makes six times as much when all are
     * control characters, and the placeholders of 1,000 secrets.
     */
    public static final int LONGEST_REQUEST = 8 * 1024 * 1024;

    /** The longest answer, in bytes: tens of thousands of VMs. */
    public static final int LONGEST_ANSWER = 16 * 1024 * 1024;

    private static final int DEEPEST = 16;

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxStringLength(LONGEST_REQUEST)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Lets a line become longer, as far as there is room. */
    public interface Room {

        /** Waits until there is room; called once at most, before more than the short part of a line is kept. */
        void take() throws InterruptedException;
    }

    private static final String NO_END = "the line does not end (expected: a JSON object and a line feed)";

    private Lines() {}

    /** An empty object. */
    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** An object with the version in it. */
    public static ObjectNode message() {
        return object().put("version", VERSION);
    }

    /**
     * Reads one line, and its object. Blocks.
     *
     * @param longest how many bytes it may have
     * @throws WireException when the line is longer, does not end, or is no JSON object
     */
    public static JsonNode read(ReadableByteChannel channel, int longest) throws IOException, WireException {
        JsonNode read;
        try {
            read = read(channel, longest, longest, () -> {});
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing was waited for", e);
        }
        if (read == null) {
            throw new WireException(NO_END);
        }
        return read;
    }

    /**
     * Reads a request, and its object. Blocks.
     *
     * @param room asked before more than {@link #LONGEST_SHORT_REQUEST} is kept
     * @return null from a client that says nothing, such as one that only looks whether somebody listens
     * @throws WireException when the line is longer than {@link #LONGEST_REQUEST}, does not end, or is no JSON object
     */
    public static @Nullable JsonNode readRequest(ReadableByteChannel channel, Room room)
            throws IOException, WireException, InterruptedException {
        return read(channel, LONGEST_SHORT_REQUEST, LONGEST_REQUEST, room);
    }

    private static @Nullable JsonNode read(ReadableByteChannel channel, int most, int longest, Room room)
            throws IOException, WireException, InterruptedException {
        int known = most;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(8192);
        while (true) {
            if (channel.read(buffer) < 0) {
                if (line.size() == 0) {
                    return null;
                }
                throw new WireException(NO_END);
            }
            int end = indexOfLineFeed(buffer);
            int added = end < 0 ? buffer.position() : end;
            int size = line.size() + added;
            if (size > longest) {
                throw new WireException("the line has more than " + longest + " bytes");
            }
            if (size > known) {
                room.take();
                known = longest;
            }
            line.write(buffer.array(), 0, added);
            if (end >= 0) {
                if (end + 1 < buffer.position()) {
                    throw new WireException("something follows the line (expected: one object for a connection)");
                }
                return parse(line.toString(StandardCharsets.UTF_8));
            }
            buffer.clear();
        }
    }

    /** Reads text that this package wrote, such as a file. */
    public static JsonNode parse(String text) throws WireException {
        try {
            JsonNode node = JSON.readTree(text);
            if (!node.isObject()) {
                throw new WireException("this is no JSON object");
            }
            return node;
        } catch (JsonProcessingException e) {
            throw new WireException("this is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Writes one line. Blocks. */
    public static void write(WritableByteChannel channel, JsonNode object) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(object + "\n");
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static int indexOfLineFeed(ByteBuffer buffer) {
        for (int i = 0; i < buffer.position(); i++) {
            if (buffer.get(i) == '\n') {
                return i;
            }
        }
        return -1;
    }
}
