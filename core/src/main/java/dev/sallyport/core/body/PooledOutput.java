package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Copies a stage's output into pooled buffers of a reasonable size. */
final class PooledOutput implements Output {

    private static final int CAPACITY = 4096;

    private final ByteBufAllocator allocator;
    private final Consumer<ByteBuf> receiver;
    private final IntConsumer meter;
    private @Nullable ByteBuf open;

    /** @param receiver takes full buffers and their ownership */
    PooledOutput(ByteBufAllocator allocator, Consumer<ByteBuf> receiver) {
        this(allocator, receiver, bytes -> {});
    }

    /** @param meter told of each buffer's size before it is made; may throw */
    PooledOutput(ByteBufAllocator allocator, Consumer<ByteBuf> receiver, IntConsumer meter) {
        this.allocator = allocator;
        this.meter = meter;
        this.receiver = receiver;
    }

    @Override
    public void write(ByteBuffer bytes) {
        int length = bytes.remaining();
        if (length > 0) {
            room(length).writeBytes(bytes);
        }
    }

    /** Copies some bytes of a buffer. */
    void copy(ByteBuf from, int index, int length) {
        room(length).writeBytes(from, index, length);
    }

    private ByteBuf room(int length) {
        ByteBuf buffer = open;
        if (buffer != null && buffer.writableBytes() < length) {
            finish();
            buffer = null;
        }
        if (buffer == null) {
            int capacity = Math.max(CAPACITY, length);
            meter.accept(capacity);
            buffer = allocator.buffer(capacity);
            open = buffer;
        }
        return buffer;
    }

    /** Passes on the collected output. */
    void finish() {
        ByteBuf buffer = open;
        if (buffer != null) {
            open = null;
            receiver.accept(buffer);
        }
    }

    void close() {
        ByteBuf buffer = open;
        if (buffer != null) {
            open = null;
            buffer.release();
        }
    }
}
