package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sender's side of a body: input is queued and processed in rounds, which never
 * nest, even under re-entrant calls.
 */
abstract sealed class BodyInput permits MessageBody {

    /** Coded input is taken in such pieces, each of which may decode to a few hundred times as much. */
    private static final int CODED_PIECE = 2048;

    /** Decoding yields to the loop's other channels after this time. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /** The call that is under way. */
    private enum Work {
        NONE,
        ROUND,
        /** A reader is called, while no stage of the chain is at work. */
        CALLBACK
    }

    /** How far the sender's side has come. */
    private enum Progress {
        OPEN,
        /** The sender has aborted the body, which the next round reports. */
        ABORTED,
        /** Delivered, failed or given up: no more calls follow. */
        OVER
    }

    private final Credit credit;

    /** The input for which credit has not been returned, in bytes. */
    private long owed;

    private @Nullable ArrayDeque<ByteBuf> input;
    private @Nullable HeaderBlock endTrailers;
    private Work work = Work.NONE;

    /** Input that arrives during a round requests another one. */
    private boolean again;

    private Progress progress = Progress.OPEN;

    /** The loop to which decoding yields; null: it never does. */
    private @Nullable Executor loop;

    /** The rest of the input waits for the next turn of the loop; its credit is kept meanwhile. */
    private boolean yielded;

    private @Nullable BodyFailure failure;

    BodyInput(Credit credit) {
        this.credit = credit;
    }

    /**
     * Decodes in turns of a few milliseconds, between which the loop does its other work: a few coded bytes can expand
     * to many megabytes.
     *
     * @param of the loop of the exchange
     */
    public final void yieldTo(Executor of) {
        loop = of;
    }

    // The sender's side.

    /** Accepts some of the body and its ownership. */
    public final void data(ByteBuf in) {
        int length = in.readableBytes();
        if (length == 0) {
            in.release();
        } else if (isDead()) {
            in.release();
            owed += length;
            settleCredit();
        } else {
            owed += length;
            if (input == null) {
                input = new ArrayDeque<>(2);
            }
            input.add(in);
            drive();
        }
    }

    /** The body is complete; takes ownership of the trailer fields, which may be empty. */
    public final void end(HeaderBlock trailerFields) {
        if (!isDead()) {
            endTrailers = trailerFields;
            drive();
        }
    }

    /**
     * The sender aborted the body. Fails the waiting reader and tells observers that the end is incomplete. Idempotent.
     */
    public final void abort() {
        if (!isDead()) {
            progress = Progress.ABORTED;
            drive();
        }
    }

    /** The body is no longer needed. Tells only observers, and drops further input. Idempotent. */
    public final void discard() {
        progress = Progress.OVER;
        if (work != Work.ROUND) {
            cleanUp();
        }
    }

    /** Whether the body is finished: delivered, failed or given up. */
    public final boolean done() {
        return progress == Progress.OVER;
    }

    // The rounds.

    /** Something has changed: runs a round, or another one after the current round. */
    final void drive() {
        if (work != Work.NONE) {
            again = true;
            return;
        }
        work = Work.ROUND;
        try {
            do {
                again = false;
                round();
            } while (again && !done());
        } finally {
            work = Work.NONE;
            if (done()) {
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
            if (progress == Progress.ABORTED) {
                throw new BodyException(BodyFailure.aborted(), null);
            }
            takeInput();
            proceed();
        } catch (BodyException e) {
            fail(e.failure());
        }
    }

    private void takeInput() {
        ArrayDeque<ByteBuf> in = input;
        if (in != null && !in.isEmpty() && !yielded) {
            Executor turns = loop;
            if (turns == null || !expands()) {
                takeAll(in);
            } else {
                takeInTurns(in, turns);
            }
        }
        HeaderBlock end = endTrailers;
        if (end != null && !yielded && !done()) {
            endTrailers = null;
            takeEnd(end);
        }
    }

    private void takeAll(ArrayDeque<ByteBuf> in) {
        while (!in.isEmpty() && !done()) {
            take(in.remove());
        }
    }

    private void takeInTurns(ArrayDeque<ByteBuf> in, Executor turns) {
        long began = System.nanoTime();
        while (!in.isEmpty() && !done()) {
            ByteBuf next = in.element();
            take(next.readableBytes() > CODED_PIECE ? next.readRetainedSlice(CODED_PIECE) : in.remove());
            if (!in.isEmpty() && System.nanoTime() - began > TURN_NANOS) {
                yielded = true;
                turns.execute(this::resume);
                return;
            }
        }
    }

    private void resume() {
        yielded = false;
        if (isDead()) {
            return;
        }
        try {
            drive();
        } catch (RuntimeException e) { // no channel would hear of it
            fail(new BodyFailure(BodyFailure.Kind.STAGE_FAILED, BodyFailure.NOBODY, "a fault while decoding"));
            drive();
            throw e;
        }
    }

    /** The body has failed. */
    final void fail(BodyFailure reason) {
        failure = reason;
        freeBuffers();
        if (work != Work.NONE) {
            deliver(reason);
        }
    }

    /** Calls a reader, which may call back in any way. */
    final void callBack(Runnable reader) {
        work = Work.CALLBACK;
        try {
            reader.run();
        } finally {
            work = Work.ROUND;
        }
    }

    /** Frees everything, and discards what the sender still sends. */
    private void freeBuffers() {
        freeStages();
        if (input != null) {
            input.forEach(ByteBuf::release);
            input.clear();
        }
        yielded = false;
        settleCredit();
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
        progress = Progress.OVER;
    }

    /** Whether the body is finished or has failed. */
    final boolean isDead() {
        return done() || failure != null;
    }

    /** Whether the call under way has become pointless. */
    final boolean isGivenUp() {
        return progress != Progress.OPEN;
    }

    /** Returns all credit that is owed, unless input waits; the sender may deliver more during the call. */
    final void settleCredit() {
        while (owed > 0 && !yielded) {
            int bytes = (int) Math.min(owed, Integer.MAX_VALUE);
            owed -= bytes;
            credit.consumed(bytes);
        }
    }

    /** Whether the stages decode: what is taken may become much more. */
    abstract boolean expands();

    /** Accepts some of the body; owns the buffer. */
    abstract void take(ByteBuf in);

    /** Accepts the end. */
    abstract void takeEnd(HeaderBlock trailerFields);

    /** Does all work that has become possible. */
    abstract void proceed();

    /** Fails the waiting reader, and remembers the failure for later ones. */
    abstract void deliver(BodyFailure reason);

    /** Frees everything behind the input. */
    abstract void freeStages();

    /** No reader waits any longer. */
    abstract void stopWaiting();
}
