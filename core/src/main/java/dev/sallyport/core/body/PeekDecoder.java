package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Decoder;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Decodes a bounded copy of the queue, which stays unchanged. */
final class PeekDecoder {

    private static final int SLICE = 8192;

    private final Decoder decoder;
    private final int position;
    private final int max;
    private final BodyAccount account;
    private byte[] copy = {};
    private int length;
    private boolean overflow;
    private long fed;
    private boolean closed;

    PeekDecoder(Decoder decoder, int position, int max, BodyAccount account) {
        this.decoder = decoder;
        this.position = position;
        this.max = max;
        this.account = account;
    }

    /** Decodes what has arrived since the last call, up to the limit. */
    void feed(ByteQueue queue, boolean ended) {
        try {
            queue.peek(fed, (buffer, index, bytes) -> {
                for (int at = 0; at < bytes && !overflow; at += SLICE) {
                    int part = Math.min(SLICE, bytes - at);
                    decoder.write(buffer.nioBuffer(index + at, part), this::collect);
                    fed += part;
                }
                return !overflow;
            });
            if (ended && !overflow) {
                decoder.end(this::collect);
            }
        } catch (CodingException e) {
            throw BodyException.coding(position, e);
        }
    }

    private void collect(ByteBuffer bytes) {
        int more = bytes.remaining();
        if (more > max - length) {
            overflow = true;
            more = max - length;
        }
        if (more > copy.length - length) {
            grow(length + more);
        }
        bytes.get(copy, length, more);
        length += more;
    }

    private void grow(int needed) {
        int capacity = (int) Math.min(max, Math.max(needed, Math.max(1024, copy.length * 2L)));
        account.take(capacity - copy.length);
        copy = Arrays.copyOf(copy, capacity);
    }

    /** Whether there is more than was requested. */
    boolean overflow() {
        return overflow;
    }

    byte[] bytes() {
        return copy;
    }

    int length() {
        return length;
    }

    /** Frees the decoder. */
    void close() {
        if (!closed) {
            closed = true;
            decoder.close();
        }
    }

    /** Gives back what the copy was counted for. */
    void forget() {
        account.give(copy.length);
        copy = new byte[0];
    }
}
