package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.loop.Turn;
import dev.sallyport.core.loop.Turns;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The sender's side of a body: input is queued and processed in rounds, which never
 * nest, even under re-entrant calls.
 */
abstract sealed class BodyInput permits MessageBody {

    /** Input is taken in such pieces, between which the turn may end. */
    private static final int PIECE = 16 << 10;

    /** Each of these bytes may decode to many. */
    private static final int CODED_PIECE = 256;

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

    /** The turns of the loop; null: all is done at once. */
    private @Nullable Turns turns;

    private @Nullable Object client;

    private @Nullable Turn turn;

    /** The rest of the work waits for its turn; its credit is kept meanwhile. */
    private boolean yielded;

    private @Nullable BodyFailure failure;

    BodyInput(Credit credit) {
        this.credit = credit;
    }

    /**
     * Takes turns with what else is to be done on the loop: a few coded bytes can expand to many megabytes.
     *
     * @param onBehalfOf the client
     */
    public final void takeTurns(Turns loop, Object onBehalfOf) {
        turns = loop;
        client = onBehalfOf;
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
        if (yielded || !hasWork()) {
            return;
        }
        if (!staged() || turns == null) {
            while (work()) {
                // All at once.
            }
        } else if (beginTurn()) {
            try {
                workUntilOver();
            } finally {
                endTurn();
            }
        }
    }

    private void workUntilOver() {
        while (work()) {
            if (overTurn()) {
                if (hasWork()) {
                    yieldTurn();
                }
                return;
            }
        }
    }

    /** Begins a turn; otherwise the work will be done in a later one. */
    final boolean beginTurn() {
        Turn own = turn();
        if (own == null || own.begin()) {
            return true;
        }
        yieldTurn();
        return false;
    }

    final void endTurn() {
        if (turn != null) {
            turn.end();
        }
    }

    /** Whether the rest is for a later turn. */
    final boolean overTurn() {
        return turn != null && turn.over();
    }

    /** Leaves the rest for a later turn. */
    final void yieldTurn() {
        if (turn != null) {
            yielded = true;
            turn.later();
        }
    }

    private @Nullable Turn turn() {
        Turn known = turn;
        Turns loop = turns;
        Object owner = client;
        if (known == null && loop != null && owner != null) {
            known = loop.join(this::resume);
            known.onBehalfOf(owner);
            turn = known;
        }
        return known;
    }

    private boolean hasWork() {
        return !done() && (busy() || hasInput() || endTrailers != null) && !blocked();
    }

    private boolean hasInput() {
        return input != null && !input.isEmpty();
    }

    /** Does a piece of work; returns whether there was one. */
    private boolean work() {
        if (!hasWork()) {
            return false;
        }
        ArrayDeque<ByteBuf> in = input;
        if (busy()) {
            step();
        } else if (in != null && !in.isEmpty()) {
            takePiece(in);
        } else {
            HeaderBlock end = endTrailers;
            if (end != null) {
                endTrailers = null;
                takeEnd(end);
            }
        }
        return true;
    }

    private void takePiece(ArrayDeque<ByteBuf> in) {
        int most = turns == null || !staged() ? Integer.MAX_VALUE : expands() ? CODED_PIECE : PIECE;
        ByteBuf next = in.element();
        take(next.readableBytes() > most ? next.readRetainedSlice(most) : in.remove());
    }

    /** Counts bytes that were made. */
    final void made(int bytes) {
        Turn own = turn;
        if (own != null) {
            own.made(bytes);
        }
    }

    private void resume() {
        yielded = false;
        driveAlone();
    }

    /** A round outside of any call of the sender or the receiver. */
    final void driveAlone() {
        if (isDead()) {
            return;
        }
        try {
            drive();
        } catch (RuntimeException e) { // no channel would hear of it
            fail(new BodyFailure(BodyFailure.Kind.STAGE_FAILED, BodyFailure.NOBODY, "a fault in a round of its own"));
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

    /** Whether something is left for another turn. */
    final boolean yielded() {
        return yielded;
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
        while (owed > 0 && !yielded && (isDead() || !hasInput())) {
            int bytes = (int) Math.min(owed, Integer.MAX_VALUE);
            owed -= bytes;
            credit.consumed(bytes);
        }
    }

    /** Whether the stages decode: what is taken may become much more. */
    abstract boolean expands();

    /** Whether there are stages, which make work. */
    abstract boolean staged();

    /** Whether bytes are on their way between the stages. */
    abstract boolean busy();

    /** Moves some of these on. */
    abstract void step();

    /** Whether the receiver must take something first. */
    abstract boolean blocked();

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
