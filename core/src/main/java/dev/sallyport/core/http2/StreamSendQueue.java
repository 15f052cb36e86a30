package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Data and trailers queued for one stream, and the window that the peer grants for them (RFC 9113, 5.2). Owns its
 * buffers until they are taken. Confined to the connection's loop.
 */
public final class StreamSendQueue {

    private static final HeaderBlock NONE = new HeaderBlock(1);
    private static final int HIGH = 64 * 1024;
    private static final int LOW = 32 * 1024;

    private @Nullable Queue<ByteBuf> queue;
    private int size;
    private int window;
    private boolean ended;
    private HeaderBlock trailers = NONE;
    private long moved;

    /** Whether the stream is scheduled to write. */
    private boolean lined;

    public void window(int initial) {
        window = initial;
    }

    public int window() {
        return window;
    }

    /** Changes the window; false when it would leave the range of the protocol (RFC 9113, 6.9.1 and 6.9.2). */
    public boolean grow(int by) {
        long next = (long) window + by;
        if (next > Integer.MAX_VALUE) {
            return false;
        }
        window = (int) next;
        return true;
    }

    public void add(ByteBuf data) {
        Queue<ByteBuf> present = queue;
        if (present == null) {
            present = new ArrayDeque<>(2);
            queue = present;
        }
        present.add(data);
        size += data.readableBytes();
    }

    public void end(HeaderBlock last) {
        ended = true;
        trailers = last;
    }

    /**
     * The next part of at most this many bytes, which the caller owns; there is one as long as {@link #size} says so.
     */
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

    /** Whether the end has been sent. */
    void finish() {
        ended = false;
        trailers = NONE;
    }

    public int size() {
        return size;
    }

    /** Whether nothing follows what is queued. */
    public boolean isEnded() {
        return ended;
    }

    HeaderBlock trailers() {
        return trailers;
    }

    /** Whether something is to be sent. */
    public boolean isHolding() {
        return size > 0 || ended;
    }

    /** Whether something could be sent, as far as this stream is concerned. */
    boolean isSendable() {
        return size > 0 ? window > 0 : ended;
    }

    /** Whether the peer accepts more than what is queued. */
    public boolean hasCredit() {
        return window > size;
    }

    /** Whether enough is queued to keep the connection busy. */
    public boolean isFull() {
        return size >= HIGH;
    }

    public boolean isLow() {
        return size <= LOW;
    }

    public long moved() {
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
    public void discard() {
        Queue<ByteBuf> present = queue;
        queue = null;
        size = 0;
        ended = false;
        if (present != null) {
            present.forEach(ByteBuf::release);
        }
    }
}
