package dev.sallyport.core.net.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http2.ReceiveWindow;
import dev.sallyport.core.net.request.DecodedRequest;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a stream: its window, its declared length, and bytes that arrived before the exchange began. On
 * the connection's loop.
 */
final class StreamReceiver {

    /** Smaller parts are copied, so that they do not pin a large buffer. */
    private static final int COPIED = 512;

    private final ReceiveWindow window;
    private long expected;
    private long received;
    private @Nullable Queue<ByteBuf> held;
    private boolean ended;
    private @Nullable HeaderBlock trailers;

    StreamReceiver(DecodedRequest request, int window) {
        this.window = new ReceiveWindow(window);
        this.expected = request.head() == null || request.upgrade() != null
                ? -1
                : request.head().length();
        if (request.bodyless()) {
            end(new HeaderBlock(1));
        }
    }

    /** Takes this much of the window; returns false when less is left. */
    boolean takeCredit(int bytes) {
        return window.take(bytes);
    }

    /** Returns credit; the result is the increment to grant the client now, which may be 0. */
    int giveBack(int bytes) {
        return ended ? 0 : window.giveBack(bytes);
    }

    /** Counts bytes of the body; returns false when there are more than declared. */
    boolean count(int bytes) {
        received += bytes;
        return expected < 0 || received <= expected;
    }

    /** Whether the declared length has arrived. */
    boolean isWhole() {
        return expected < 0 || received == expected;
    }

    /** Queues data that cannot be passed on yet; the window bounds it. */
    void hold(ByteBuf data) {
        Queue<ByteBuf> queue = held;
        if (queue == null) {
            queue = new ArrayDeque<>(2);
            held = queue;
        }
        queue.add(data);
    }

    /** Takes ownership; copies a small part into its own buffer. */
    static ByteBuf compact(ByteBuf data) {
        if (data.readableBytes() >= COPIED) {
            return data;
        }
        ByteBuf copy = data.copy();
        data.release();
        return copy;
    }

    /** Bytes that have arrived and whose credit has not been returned. */
    int backlog() {
        return window.backlog();
    }

    /** The first queued data, or null. */
    @Nullable ByteBuf poll() {
        return held == null ? null : held.poll();
    }

    void end(HeaderBlock last) {
        ended = true;
        trailers = last;
    }

    /** The message will not be completed. */
    void breakOff() {
        expected = -1;
        discard();
    }

    /** The trailers, once the message has ended. */
    @Nullable HeaderBlock trailers() {
        return trailers;
    }

    boolean isEnded() {
        return ended;
    }

    /** Whether the client could send more. */
    boolean isAwaited() {
        return !ended && window.isOpen();
    }

    /** A value that changes whenever data arrives. */
    long moved() {
        return received;
    }

    void discard() {
        for (ByteBuf data = poll(); data != null; data = poll()) {
            data.release();
        }
    }
}
