package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Decoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** Decodes a bounded copy of the queue, which stays unchanged. */
final class PeekDecoder {

    private static final int SLICE = 256;

    private final Decoder decoder;
    private final int position;
    private final int max;
    private final BodyAccount account;
    private byte[] copy = {};
    private int length;
    private boolean overflow;
    private long fed;
    private boolean closed;
    private boolean interrupted;
    private boolean finished;

    PeekDecoder(Decoder decoder, int position, int max, BodyAccount account) {
        this.decoder = decoder;
        this.position = position;
        this.max = max;
        this.account = account;
    }

    /**
     * Decodes what has arrived since the last call, up to the limit.
     *
     * @param over whether the turn is over
     * @return false when some of it is left for another turn
     */
    boolean feed(ByteQueue queue, boolean ended, BooleanSupplier over) {
        if (finished) {
            return true;
        }
        interrupted = false;
        try {
            queue.peek(fed, (buffer, index, bytes) -> {
                for (int at = 0; at < bytes && goesOn(); at += SLICE) {
                    int part = Math.min(SLICE, bytes - at);
                    decoder.write(buffer.nioBuffer(index + at, part), this::collect);
                    fed += part;
                    interrupted = over.getAsBoolean();
                }
                return goesOn();
            });
            if (ended && goesOn()) {
                finished = true;
                decoder.end(this::collect);
            }
        } catch (CodingException e) {
            throw BodyException.coding(position, e);
        }
        return overflow || !interrupted;
    }

    private boolean goesOn() {
        return !overflow && !interrupted;
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
