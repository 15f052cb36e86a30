package dev.sallyport.core.exchange;

import dev.sallyport.core.body.Credit;
import dev.sallyport.core.websocket.MessageFault;
import dev.sallyport.core.websocket.Transit;
import dev.sallyport.core.websocket.Watch;
import io.netty.buffer.ByteBuf;

/**
 * One direction of a {@link Relay}: what its transit lets through goes on, and credit goes back once the receiver keeps up.
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
    private Transit transit = new Watch();
    private int owed;
    private boolean ended;
    private boolean closed;

    Lane(Receiver receiver, Credit credit) {
        this.receiver = receiver;
        this.credit = credit;
    }

    Transit transit() {
        return transit;
    }

    /** Has the bytes go through something else from the beginning. */
    void through(Transit other) {
        transit = other;
    }

    /** Puts a frame of the proxy's own between those of the sender, if there is room between them. */
    void say(ByteBuf frame) {
        if (ended || closed || transit.sawClose() || !transit.betweenFrames()) {
            frame.release();
        } else {
            receiver.data(frame);
        }
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
        transit.pass(data, receiver::data);
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
        transit.close();
    }
}
