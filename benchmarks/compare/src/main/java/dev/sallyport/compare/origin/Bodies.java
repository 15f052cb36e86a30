package dev.sallyport.compare.origin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** What is sent as bodies: the same letters for all sizes, and ready responses for the small ones. */
final class Bodies implements AutoCloseable {

    /** Up to this size a response is one buffer. */
    static final int SMALL = 64 * 1024;

    private static final int PIECE = 64 * 1024;

    private final Map<Integer, ByteBuf> responses = new HashMap<>();
    private final ByteBuf letters;

    Bodies() {
        letters = Unpooled.directBuffer(PIECE);
        for (int i = 0; i < PIECE; i++) {
            letters.writeByte(i % 64 == 63 ? '\n' : 'a' + i % 26);
        }
    }

    static String head(long bytes) {
        return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + bytes + "\r\n\r\n";
    }

    /** A whole response. Called on the loop of the origin only. */
    ByteBuf response(int bytes) {
        ByteBuf response = responses.computeIfAbsent(bytes, size -> {
            byte[] head = head(size).getBytes(StandardCharsets.US_ASCII);
            ByteBuf whole = Unpooled.directBuffer(head.length + size).writeBytes(head);
            return whole.writeBytes(letters, 0, size);
        });
        return response.retainedDuplicate();
    }

    /** At most that many bytes of a body. */
    ByteBuf piece(long most) {
        return letters.retainedSlice(0, (int) Math.min(most, PIECE));
    }

    /** When nothing is sent any more. */
    @Override
    public void close() {
        responses.values().forEach(ByteBuf::release);
        letters.release();
    }
}
