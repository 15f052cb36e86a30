package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Direct buffers that codecs fill during one call and return before it ends. A thread keeps as many as its deepest
 * chain needed, so bodies in flight hold none.
 */
final class CodecBuffers {

    static final int SIZE = 16 * 1024;

    /** No bytes; direct. */
    static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private static final int KEPT = 2 * Codings.MAX_CODINGS;
    private static final ThreadLocal<ArrayDeque<ByteBuffer>> FREE = ThreadLocal.withInitial(ArrayDeque::new);

    private CodecBuffers() {}

    static ByteBuffer take() {
        ByteBuffer buffer = FREE.get().pollFirst();
        return buffer == null ? ByteBuffer.allocateDirect(SIZE) : buffer.clear();
    }

    static void give(ByteBuffer buffer) {
        ArrayDeque<ByteBuffer> free = FREE.get();
        if (free.size() < KEPT) {
            free.addFirst(buffer);
        }
    }

    /** Moves as many bytes as fit, and flips the target for reading. */
    static void fill(ByteBuffer target, ByteBuffer source) {
        target.clear();
        int length = Math.min(target.remaining(), source.remaining());
        target.put(0, source, source.position(), length);
        target.limit(length);
        source.position(source.position() + length);
    }
}
