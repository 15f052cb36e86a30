package dev.sallyport.core.exchange;

import dev.sallyport.core.body.Credit;
import dev.sallyport.core.websocket.MessageFault;
import dev.sallyport.core.websocket.Passage;
import io.netty.buffer.ByteBuf;

/**
 * One direction of a {@link Relay}: what its passage lets through goes on, and credit goes back once the receiver keeps up.
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
    private final Passage passage;
    private int owed;
    private boolean ended;
    private boolean closed;

    Lane(Passage passage, Receiver receiver, Credit credit) {
        this.passage = passage;
        this.receiver = receiver;
        this.credit = credit;
    }

    Passage passage() {
        return passage;
    }

    boolean ended() {
        return ended;
    }

    /** Some bytes; the lane owns the buffer. */
    void data(ByteBuf data) throws MessageFault {
        int bytes = data.readableBytes();
        if (ended || closed) {
            data.release();
            credit.consumed(bytes);
            return;
        }
        owed += bytes;
        passage.pass(data, receiver::data);
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

    /** Releases what is held. Idempotent. */
    void discard() {
        passage.close();
    }
}
