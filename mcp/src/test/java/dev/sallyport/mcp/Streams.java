package dev.sallyport.mcp;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Trace;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** The filter of streams by itself. */
final class Streams {

    /** Keeps nothing. */
    private static final Trace NO_TRACE = new Trace() {
        @Override
        public void annotate(String key, Object value) {}

        @Override
        public void group(String name, Map<String, ?> fields) {}

        @Override
        public boolean reserve(int bytes) {
            return true;
        }

        @Override
        public void warn() {}
    };

    private static final Meters NO_METERS = new Meters() {
        @Override
        public Family<Counter> counter(String name, String description, String... labels) {
            return values -> amount -> {};
        }

        @Override
        public Family<Timer> timer(String name, String description, String... labels) {
            return values -> took -> {};
        }
    };

    private Streams() {}

    /** A filter that lets tools of these names pass. */
    static SseFilter filter(int maxEvent, String... tools) {
        McpConfig.Server server = new McpConfig.Server(
                "s",
                List.of(Rule.host("*")),
                Arrays.stream(tools)
                        .map(tool -> new McpConfig.Tool(tool, List.of(), null))
                        .toList(),
                false,
                null,
                null,
                true,
                false);
        ServerPolicy policy = new ServerPolicy(server, new PinnedTools(), 1 << 16);
        McpExchange exchange = new McpExchange(
                policy, new Origin("", "s:443"), new AuditTrail("s", new DecisionCounter(NO_METERS), NO_TRACE), false);
        return new SseFilter(exchange, ListNameFinder.of(policy.lists(), false), maxEvent, new byte[0]);
    }

    /** What comes out of a filter when a stream goes in in pieces of these sizes. */
    static String run(SseFilter filter, byte[] stream, IntSupplier sizes) {
        Collected out = new Collected();
        int at = 0;
        while (at < stream.length) {
            int size = Math.min(stream.length - at, sizes.getAsInt());
            // Not at index 0 and not to the end of the array: what is read must be what is between position and limit.
            ByteBuffer piece = ByteBuffer.allocate(size + 7).put(0, new byte[] {'\n'});
            piece.position(3).put(stream, at, size).flip().position(3);
            out.in = piece;
            filter.write(piece.asReadOnlyBuffer(), out);
            at += size;
        }
        out.in = null;
        filter.end(out);
        return out.bytes.toString(StandardCharsets.UTF_8);
    }

    static String run(SseFilter filter, String stream, IntSupplier sizes) {
        return run(filter, stream.getBytes(StandardCharsets.UTF_8), sizes);
    }

    private static final class Collected implements BodyRewriter.Sink {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private ByteBuffer in;

        @Override
        public void write(ByteBuffer more) {
            byte[] copy = new byte[more.remaining()];
            more.get(copy);
            bytes.writeBytes(copy);
        }

        @Override
        public void forward(int index, int length) {
            byte[] copy = new byte[length];
            in.get(index, copy);
            bytes.writeBytes(copy);
        }
    }
}
