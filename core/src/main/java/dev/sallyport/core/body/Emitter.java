package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Copies what a stage writes into pooled buffers of a decent size. */
final class Emitter implements Output {

    private static final int CAPACITY = 4096;

    private final ByteBufAllocator allocator;
    private final Consumer<ByteBuf> receiver;
    private @Nullable ByteBuf open;

    /** @param receiver takes full buffers and their ownership */
    Emitter(ByteBufAllocator allocator, Consumer<ByteBuf> receiver) {
        this.allocator = allocator;
        this.receiver = receiver;
    }

    @Override
    public void write(ByteBuffer bytes) {
        int length = bytes.remaining();
        if (length == 0) {
            return;
        }
        ByteBuf buffer = open;
        if (buffer != null && buffer.writableBytes() < length) {
            finish();
            buffer = null;
        }
        if (buffer == null) {
            buffer = allocator.buffer(Math.max(CAPACITY, length));
            open = buffer;
        }
        buffer.writeBytes(bytes);
    }

    /** Hands on what has been collected. */
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
