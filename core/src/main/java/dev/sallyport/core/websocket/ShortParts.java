package dev.sallyport.core.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies short parts together on their way to a receiver, in order: each part of its own costs everybody behind it far
 * more than its bytes. Longer ones pass as they are. Not thread-safe.
 */
final class ShortParts implements Consumer<ByteBuf> {

    private static final int SHORT = 256;
    private static final int CAPACITY = 4096;

    private final ByteBufAllocator allocator;
    private Consumer<ByteBuf> receiver = ByteBuf::release;
    private @Nullable ByteBuf open;

    ShortParts(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** The receiver of what comes until {@link #finish}. */
    ShortParts to(Consumer<ByteBuf> next) {
        receiver = next;
        return this;
    }

    /** Takes a part, and its ownership. */
    @Override
    public void accept(ByteBuf part) {
        if (part.readableBytes() > SHORT) {
            finish();
            receiver.accept(part);
            return;
        }
        ByteBuf first = open;
        if (first == null) {
            open = part;
            return;
        }
        ByteBuf together = first;
        if (first.capacity() < CAPACITY) {
            together = allocator.buffer(CAPACITY).writeBytes(first);
            first.release();
            open = together;
        }
        together.writeBytes(part);
        part.release();
        if (together.readableBytes() > CAPACITY - SHORT) {
            finish();
        }
    }

    /** Whether something is kept for more to come. */
    boolean isOpen() {
        return open != null;
    }

    /** Passes on what is kept. */
    void finish() {
        ByteBuf together = open;
        if (together != null) {
            open = null;
            receiver.accept(together);
        }
    }
}
