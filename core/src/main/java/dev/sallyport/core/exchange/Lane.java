package dev.sallyport.core.exchange;

import dev.sallyport.core.body.Credit;
import io.netty.buffer.ByteBuf;

/**
 * One direction of a {@link Relay}: bytes go on as they come, and credit for them goes back once the receiver keeps up.
 * Confined to the exchange's loop.
 */
final class Lane {

    /** The receiving side. */
    interface Receiver {

        /** Takes ownership. */
        void data(ByteBuf data);

        boolean isWritable();

        /** No more comes. */
        void end();
    }

    private final Receiver receiver;
    private final Credit credit;
    private int owed;
    private boolean ended;
    private boolean closed;

    Lane(Receiver receiver, Credit credit) {
        this.receiver = receiver;
        this.credit = credit;
    }

    boolean ended() {
        return ended;
    }

    /** Some bytes; the lane owns the buffer. */
    void data(ByteBuf data) {
        int bytes = data.readableBytes();
        if (ended || closed) {
            data.release();
            credit.consumed(bytes);
            return;
        }
        owed += bytes;
        receiver.data(data);
        settle();
    }

    /** The receiver may have room again. */
    void settle() {
        if (owed > 0 && (closed || receiver.isWritable())) {
            int bytes = owed;
            owed = 0;
            credit.consumed(bytes);
        }
    }

    /** The sender has ended its half. */
    void end() {
        if (!ended) {
            ended = true;
            if (!closed) {
                receiver.end();
            }
        }
    }

    /** Nobody receives any more: what still comes is thrown away, so that the sender's end is reached. */
    void close() {
        closed = true;
        settle();
    }
}
