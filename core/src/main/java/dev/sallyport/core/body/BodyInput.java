package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The sender's side of a body, and its clockwork: input waits in the inbox and is processed in rounds, which never
 * nest, even under re-entrant calls.
 */
abstract sealed class BodyInput permits MessageBody {

    private final CreditLedger credit;
    private @Nullable ArrayDeque<ByteBuf> inbox;
    private @Nullable HeaderBlock endInbox;
    private boolean aborting;

    /** Whether a call is under way; input that arrives during it requests another round. */
    private boolean busy;

    private boolean again;

    /** Whether the call under way is a reader's, while no stage of the chain is at work. */
    private boolean callingBack;

    /** Set once no more calls will follow: delivered, failed or given up. */
    private boolean over;

    private @Nullable BodyFailure failure;

    BodyInput(Credit credit) {
        this.credit = new CreditLedger(credit);
    }

    // The sender's side.

    /** Accepts some of the body and its ownership. */
    public final void data(ByteBuf in) {
        int length = in.readableBytes();
        if (length == 0) {
            in.release();
        } else if (isDead()) {
            in.release();
            credit.owe(length);
            credit.settle();
        } else {
            credit.owe(length);
            if (inbox == null) {
                inbox = new ArrayDeque<>(2);
            }
            inbox.add(in);
            drive();
        }
    }

    /** The body is complete; takes ownership of the trailer fields, which may be empty. */
    public final void end(HeaderBlock trailerFields) {
        if (!isDead()) {
            endInbox = trailerFields;
            drive();
        }
    }

    /**
     * The sender aborted the body. Fails the waiting reader and tells observers that the end is incomplete. Idempotent.
     */
    public final void abort() {
        if (!isDead()) {
            aborting = true;
            drive();
        }
    }

    /** The body is no longer needed. Tells only observers, and drops further input. Idempotent. */
    public final void discard() {
        over = true;
        if (!busy || callingBack) {
            cleanUp();
        }
    }

    /** Whether the body is finished: delivered, failed or given up. */
    public final boolean done() {
        return over;
    }

    // The clockwork.

    /** Something has changed: runs a round, or another one after the current round. */
    final void drive() {
        if (busy) {
            again = true;
            return;
        }
        busy = true;
        try {
            do {
                again = false;
                round();
            } while (again && !over);
        } finally {
            busy = false;
            if (over) {
                cleanUp();
            }
        }
    }

    private void round() {
        BodyFailure known = failure;
        if (known != null) {
            deliver(known);
            return;
        }
        try {
            if (aborting) {
                throw new BodyException(BodyFailure.aborted(), null);
            }
            takeInput();
            proceed();
        } catch (BodyException e) {
            fail(e.failure());
        }
    }

    private void takeInput() {
        ArrayDeque<ByteBuf> in = inbox;
        while (in != null && !in.isEmpty() && !over) {
            take(in.remove());
        }
        HeaderBlock end = endInbox;
        if (end != null && !over) {
            endInbox = null;
            takeEnd(end);
        }
    }

    /** The body has failed. */
    final void fail(BodyFailure reason) {
        failure = reason;
        freeBuffers();
        if (busy) {
            deliver(reason);
        }
    }

    /** Calls a reader, which may call back in any way. */
    final void callBack(Runnable reader) {
        callingBack = true;
        try {
            reader.run();
        } finally {
            callingBack = false;
        }
    }

    /** Frees everything, and discards what the sender still sends. */
    private void freeBuffers() {
        freeStages();
        if (inbox != null) {
            inbox.forEach(ByteBuf::release);
            inbox.clear();
        }
        credit.settle();
    }

    private void cleanUp() {
        stopWaiting();
        freeBuffers();
    }

    /** Another round is due. */
    final void again() {
        again = true;
    }

    /** No more calls follow. */
    final void finish() {
        over = true;
    }

    /** Whether the body is finished or has failed. */
    final boolean isDead() {
        return over || failure != null;
    }

    /** Whether the call under way has become pointless. */
    final boolean isGivenUp() {
        return over || aborting;
    }

    /** Gives the sender more credit. */
    final void settleCredit() {
        credit.settle();
    }

    /** Accepts some of the body; owns the buffer. */
    abstract void take(ByteBuf in);

    /** Accepts the end. */
    abstract void takeEnd(HeaderBlock trailerFields);

    /** Does all work that has become possible. */
    abstract void proceed();

    /** Fails the waiting reader, and remembers the failure for later ones. */
    abstract void deliver(BodyFailure reason);

    /** Frees everything behind the inbox. */
    abstract void freeStages();

    /** No reader waits any longer. */
    abstract void stopWaiting();
}
