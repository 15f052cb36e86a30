package dev.sallyport.core.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Buffers in order, counted against the budget. Tiny buffers are copied together, so that none pins a large one. */
final class ByteQueue {

    private static final int TINY = 256;
    private static final int TAIL_CAPACITY = 2048;

    private final ByteBufAllocator allocator;
    private final BodyAccount account;
    private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>();
    private long bytes;

    /** The last buffer, if it collects copies of tiny ones. */
    private @Nullable ByteBuf tail;

    /** The array behind the first buffer, when {@link #head} made it. */
    private byte @Nullable [] shared;

    ByteQueue(ByteBufAllocator allocator, BodyAccount account) {
        this.allocator = allocator;
        this.account = account;
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return bytes == 0;
    }

    /** Appends; takes ownership. */
    void add(ByteBuf in) {
        int length = in.readableBytes();
        if (length == 0) {
            in.release();
            return;
        }
        account.take(length);
        bytes += length;
        if (length > TINY) {
            tail = null;
            buffers.add(in);
            return;
        }
        ByteBuf last = tail;
        if (last == null || last.writableBytes() < length) {
            last = allocator.buffer(TAIL_CAPACITY, TAIL_CAPACITY);
            tail = last;
            buffers.add(last);
        }
        last.writeBytes(in);
        in.release();
    }

    /** Removes the first buffer and hands it over. */
    ByteBuf poll() {
        ByteBuf first = buffers.remove();
        shared = null;
        if (buffers.isEmpty()) {
            tail = null;
        }
        bytes -= first.readableBytes();
        account.give(first.readableBytes());
        return first;
    }

    /** Removes the first bytes, at most this many, and hands them over. */
    ByteBuf poll(int most) {
        ByteBuf first = buffers.element();
        if (first.readableBytes() <= most) {
            return poll();
        }
        shared = null;
        bytes -= most;
        account.give(most);
        return first.readRetainedSlice(most);
    }

    void clear() {
        while (!buffers.isEmpty()) {
            poll().release();
        }
    }

    /** Moves everything to the end of another queue. */
    void moveTo(ByteQueue target) {
        while (!buffers.isEmpty()) {
            target.add(poll());
        }
    }

    /**
     * The first {@code length} bytes in one array, which the queue then uses itself, so that they exist only once. The
     * array may be longer; it must not be written to.
     */
    byte[] head(int length) {
        byte[] known = shared;
        if (known != null && known.length >= length) {
            return known;
        }
        byte[] array = new byte[length];
        int filled = 0;
        while (filled < length) {
            ByteBuf first = buffers.element();
            int part = Math.min(first.readableBytes(), length - filled);
            first.readBytes(array, filled, part);
            filled += part;
            if (!first.isReadable()) {
                buffers.remove().release();
            }
        }
        if (buffers.isEmpty()) {
            tail = null;
        }
        if (length > 0) {
            buffers.addFirst(Unpooled.wrappedBuffer(array));
            shared = array;
        }
        return array;
    }

    /** Shows the bytes after the first {@code skip} ones, until the receiver stops. */
    void peek(long skip, Peek receiver) {
        long before = 0;
        for (ByteBuf buffer : buffers) {
            int length = buffer.readableBytes();
            int from = (int) Math.min(length, Math.max(0, skip - before));
            before += length;
            if (from < length && !receiver.see(buffer, buffer.readerIndex() + from, length - from)) {
                return;
            }
        }
    }

    /** See {@link #peek}. */
    @FunctionalInterface
    interface Peek {
        boolean see(ByteBuf buffer, int index, int length);
    }

    /** Shows the readable bytes as one or more read-only views. */
    static void views(ByteBuf in, Consumer<ByteBuffer> receiver) {
        if (in.nioBufferCount() == 1) {
            receiver.accept(view(in.nioBuffer()));
            return;
        }
        for (ByteBuffer part : in.nioBuffers()) {
            if (part.hasRemaining()) {
                receiver.accept(view(part));
            }
        }
    }

    private static ByteBuffer view(ByteBuffer buffer) {
        return (buffer.position() == 0 ? buffer : buffer.slice()).asReadOnlyBuffer();
    }
}
