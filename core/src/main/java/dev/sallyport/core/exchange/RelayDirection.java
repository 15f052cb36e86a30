package dev.sallyport.core.exchange;

import dev.sallyport.core.body.Credit;
import dev.sallyport.core.websocket.CloseFrameTracker;
import dev.sallyport.core.websocket.FrameFilter;
import dev.sallyport.core.websocket.MessageException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/**
 * One direction of an {@link UpgradeRelay}: forwards what its filter lets through, and returns credit as the receiver
 * keeps up. Confined to the exchange's loop.
 */
final class RelayDirection {

    /** The receiving side. */
    interface Receiver {

        /** Takes ownership. */
        void data(ByteBuf data);

        boolean isWritable();

        /** The sender has ended. */
        void end();
    }

    private final Receiver receiver;
    private final Credit credit;
    private FrameFilter transit = new CloseFrameTracker();

    /** The bytes for which the receiver has no room, in parts: when messages grow, a few bytes may become many. */
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(1);

    private int owed;
    private boolean passing;
    private boolean ending;
    private boolean ended;
    private boolean closed;

    RelayDirection(Receiver receiver, Credit credit) {
        this.receiver = receiver;
        this.credit = credit;
    }

    FrameFilter transit() {
        return transit;
    }

    /** Replaces the filter before the first byte. */
    void through(FrameFilter other) {
        transit = other;
    }

    /** Inserts a frame of the proxy's own between two frames of the sender, if possible. */
    void say(ByteBuf frame) {
        if (ending || closed || transit.sawClose() || !transit.betweenFrames()) {
            frame.release();
        } else {
            receiver.data(frame);
        }
    }

    /** Whether the sender has ended its half; some of it may still wait. */
    boolean ending() {
        return ending;
    }

    /** Whether the receiver has been told of the end. */
    boolean ended() {
        return ended;
    }

    /** Accepts some bytes and owns the buffer. */
    void data(ByteBuf data) throws MessageException {
        int bytes = data.readableBytes();
        if (ending || closed) {
            data.release();
            credit.consumed(bytes);
            return;
        }
        owed += bytes;
        waiting.add(data);
        pass(true);
        settle();
    }

    /** Forwards waiting bytes while there is room, but at least a first part. */
    private void pass(boolean first) throws MessageException {
        if (passing) {
            return;
        }
        passing = true;
        try {
            boolean go = (first && waiting.size() == 1) || receiver.isWritable();
            while (go && !waiting.isEmpty()) {
                ByteBuf rest = transit.pass(waiting.remove(), receiver::data);
                if (rest != null && closed) {
                    rest.release();
                } else if (rest != null) {
                    waiting.addFirst(rest);
                }
                go = receiver.isWritable();
                if (go) {
                    transit.taken();
                }
            }
        } finally {
            passing = false;
        }
    }

    /** The receiver may have room again. */
    void settle() throws MessageException {
        if (passing) {
            return;
        }
        boolean room = closed || receiver.isWritable();
        if (room) {
            transit.taken();
        }
        if (room && !waiting.isEmpty()) {
            pass(false);
            room = receiver.isWritable();
        }
        if (waiting.isEmpty()) {
            repay(room);
            finish();
        }
    }

    private void repay(boolean room) {
        if (owed > 0 && room) {
            int bytes = owed;
            owed = 0;
            credit.consumed(bytes);
        }
    }

    /** What comes from within a call of the receiver, or with the credit, may have left something that waits. */
    private void finish() throws MessageException {
        boolean passed = waiting.isEmpty() && !passing;
        if (ending && !ended && (passed || closed)) {
            ended = true;
            if (!closed) {
                transit.flush(receiver::data);
                receiver.end();
            }
        }
    }

    /** The sender has ended its half. */
    void end() throws MessageException {
        ending = true;
        finish();
    }

    /** The receiver is gone: discards further input, so that the sender's end is reached. */
    void close() {
        closed = true;
        release();
        repay(true);
        ended |= ending;
    }

    /** Releases what is held. Idempotent. */
    void discard() {
        release();
        transit.close();
    }

    private void release() {
        for (ByteBuf data = waiting.poll(); data != null; data = waiting.poll()) {
            data.release();
        }
    }
}
