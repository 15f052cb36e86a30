package dev.sallyport.core.net.http2;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Bytes queued for one stream, and the client's window for them. On the connection's loop. */
final class StreamSendQueue {

    private static final HeaderBlock NONE = new HeaderBlock(1);
    private static final int HIGH = 64 * 1024;
    private static final int LOW = 32 * 1024;

    private @Nullable Queue<ByteBuf> queue;
    private int size;
    private int window;
    private boolean ended;
    private HeaderBlock trailers = NONE;
    private long moved;

    /** Whether it stands in line to write. */
    private boolean lined;

    void window(int initial) {
        window = initial;
    }

    int window() {
        return window;
    }

    /** Changes the window; false when it would leave the range of the protocol (RFC 9113, 6.9.1 and 6.9.2). */
    boolean grow(int by) {
        long next = (long) window + by;
        if (next > Integer.MAX_VALUE) {
            return false;
        }
        window = (int) next;
        return true;
    }

    void add(ByteBuf data) {
        Queue<ByteBuf> present = queue;
        if (present == null) {
            present = new ArrayDeque<>(2);
            queue = present;
        }
        present.add(data);
        size += data.readableBytes();
    }

    void end(HeaderBlock last) {
        ended = true;
        trailers = last;
    }

    /** The next part of at most this many bytes, which the caller owns; there is one as long as {@link #size} says so. */
    ByteBuf take(int most) {
        ByteBuf first = queue == null ? null : queue.peek();
        if (queue == null || first == null) {
            throw new IllegalStateException("nothing is queued");
        }
        ByteBuf part = first.readableBytes() <= most ? queue.remove() : first.readRetainedSlice(most);
        int bytes = part.readableBytes();
        size -= bytes;
        window -= bytes;
        moved += bytes;
        return part;
    }

    int size() {
        return size;
    }

    /** Whether nothing follows what is queued. */
    boolean isEnded() {
        return ended;
    }

    HeaderBlock trailers() {
        return trailers;
    }

    /** Whether something is to be sent. */
    boolean isHolding() {
        return size > 0 || ended;
    }

    /** Whether something could be sent, as far as this stream is concerned. */
    boolean isSendable() {
        return size > 0 ? window > 0 : ended;
    }

    boolean isFull() {
        return size >= HIGH;
    }

    boolean isLow() {
        return size <= LOW;
    }

    long moved() {
        return moved;
    }

    /** Joins the send queue; false if already queued. */
    boolean line() {
        boolean first = !lined;
        lined = true;
        return first;
    }

    void leaveLine() {
        lined = false;
    }

    /** Nothing more will be sent. */
    void discard() {
        Queue<ByteBuf> present = queue;
        queue = null;
        size = 0;
        ended = false;
        if (present != null) {
            present.forEach(ByteBuf::release);
        }
    }
}
