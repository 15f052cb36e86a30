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

    /** Whether a call is under way; what comes meanwhile asks for another round. */
    private boolean busy;

    private boolean again;

    /** Whether the call under way is a reader's, with nothing of the chain in the middle of its work. */
    private boolean callingBack;

    /** Set once nothing more will be called: delivered, failed or given up. */
    private boolean over;

    private @Nullable BodyFailure failure;

    BodyInput(Credit credit) {
        this.credit = new CreditLedger(credit);
    }

    // The sender's side.

    /** Some of the body; takes ownership. */
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

    /** The sender broke off. Who waits is told; observers hear that there is no complete end. Idempotent. */
    public final void abort() {
        if (!isDead()) {
            aborting = true;
            drive();
        }
    }

    /** Nobody wants the body any longer. Only observers are told; what still comes is dropped. Idempotent. */
    public final void discard() {
        over = true;
        if (!busy || callingBack) {
            cleanUp();
        }
    }

    /** Whether it is over: delivered, failed or given up. */
    public final boolean done() {
        return over;
    }

    // The clockwork.

    /** Something has changed: makes a round, or has the one under way followed by another. */
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

    /** The body cannot go on. */
    final void fail(BodyFailure reason) {
        failure = reason;
        freeBuffers();
        if (busy) {
            deliver(reason);
        }
    }

    /** Calls a reader, who may do what he likes. */
    final void callBack(Runnable reader) {
        callingBack = true;
        try {
            reader.run();
        } finally {
            callingBack = false;
        }
    }

    /** Frees everything, and lets the sender send on into the void. */
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

    /** Nothing more will be called. */
    final void finish() {
        over = true;
    }

    /** Whether it is over or has failed. */
    final boolean isDead() {
        return over || failure != null;
    }

    /** Whether what is under way has lost its purpose. */
    final boolean isGivenUp() {
        return over || aborting;
    }

    /** Lets the sender send on. */
    final void settleCredit() {
        credit.settle();
    }

    /** Takes some of the body; owns the buffer. */
    abstract void take(ByteBuf in);

    /** Takes the end. */
    abstract void takeEnd(HeaderBlock trailerFields);

    /** Does what has become possible. */
    abstract void proceed();

    /** Tells a failure to whoever waits for the body; it is remembered for who will. */
    abstract void deliver(BodyFailure reason);

    /** Frees what is held behind the inbox. */
    abstract void freeStages();

    /** Nobody waits any longer. */
    abstract void stopWaiting();
}
