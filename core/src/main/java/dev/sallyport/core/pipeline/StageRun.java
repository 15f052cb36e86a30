package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Trace;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The common part of request and response runs: asks one stage after the other, inline or off the loop, about the head
 * or about a body that must first be read. Confined to the exchange's loop.
 *
 * <p>Methods that ask or settle return whether the next stage is due; false means that the run waits, or that its
 * verdict has been given.
 *
 * @param <D> the decision
 *
 */
abstract sealed class StageRun<D> permits RequestRun, ResponsePhaseRun {

    /** How much edits may add to a head without being charged. */
    private static final int UNCHARGED = 4 * 1024;

    private final EventLoop loop;
    private final PipelineSettings settings;
    private final RunningTransform mark;

    private boolean over;
    private long askedAt;
    private long inlineSince;
    private long stoppedAt;
    private boolean stopped;
    private boolean followsOn;
    private @Nullable TransformTrace trace;
    private @Nullable Body body;
    private @Nullable Buffered lastRead;
    private @Nullable AsyncStep<D> out;
    private @Nullable BodyReadWait bodyWait;
    private long grown;

    StageRun(EventLoop loop, PipelineSettings settings, RunningTransform mark) {
        this.loop = loop;
        this.settings = settings;
        this.mark = mark;
    }

    /** Starts the run; the verdict may come before this returns. */
    public final void start() {
        advance();
    }

    /** Abandons the run: no verdict follows. Idempotent. */
    public final void cancel() {
        over = true;
        if (bodyWait != null) {
            bodyWait.cancel();
        }
        AsyncStep<D> call = out;
        if (call != null) {
            out = null;
            call.cancel();
        }
        dropBodyEdits();
    }

    /** Asks the stages that are due; gives the verdict after the last one. */
    abstract void advance();

    /** Acts on a decision. */
    abstract boolean settle(Stage stage, @Nullable D decision);

    /** The stage is an observer and failed: continues with the next stage. */
    abstract boolean passOver();

    /** Verdict: the stage could not decide. */
    abstract void failed(Stage stage, StageException fault);

    /** Verdict: the body could not be read as the stage asked. */
    abstract void failed(Stage stage, BodyFailure failure);

    /** Takes memory for what edits add to the head; returns false when there is none. */
    abstract boolean mayGrow(long bytes);

    /** Drops the body edits that have not been applied. */
    abstract void dropBodyEdits();

    /** The body of the message. */
    abstract MessageBody messageBody();

    /** Whether the verdict has been given, or is no longer wanted. */
    final boolean over() {
        return over;
    }

    /** The last stage has continued; returns false when the run was already over. */
    final boolean complete() {
        boolean first = !over;
        over = true;
        return first;
    }

    final void beginStage(TransformTrace stageTrace) {
        trace = stageTrace;
        body = null;
        lastRead = null;
        askedAt = followsOn ? stoppedAt : System.nanoTime();
        inlineSince = askedAt;
        stopped = false;
        followsOn = false;
    }

    /** A step of the stage begins on the loop, after a read or a wait. */
    final void beginStep() {
        inlineSince = System.nanoTime();
        stopped = false;
    }

    /**
     * The stage has decided: reads the clock once, for the deadline, the trace and the start of the next stage.
     *
     */
    final void checkInTime(Stage stage) {
        stop();
        stage.checkInTime(inlineSince, stoppedAt);
    }

    private void stop() {
        stoppedAt = System.nanoTime();
        stopped = true;
    }

    final void finishStage(String action) {
        if (!stopped) {
            stop();
        }
        followsOn = true;
        current().action(action).durationNanos(stoppedAt - askedAt);
    }

    /** When the last stage had decided, by {@link System#nanoTime}; for the time at which the run is complete. */
    public final long decidedNanos() {
        return followsOn ? stoppedAt : System.nanoTime();
    }

    /** Marks the beginning of the stage's code; the result must be passed to {@link #left} afterwards. */
    final @Nullable Stage entered(Stage stage) {
        return mark.enter(stage);
    }

    final void left(@Nullable Stage before) {
        mark.leave(before);
    }

    /** The stage's decision is the last. */
    final void endWith(String action) {
        over = true;
        dropBodyEdits();
        finishStage(action);
    }

    /** Waits for a step that has left the loop, unless it has already ended. */
    final boolean leave(Stage stage, @Nullable CompletionStage<D> result, DeferredTrace notes) {
        if (result == null) {
            throw StageException.broken("decided nothing");
        }
        checkInTime(stage);
        stopped = false;
        AsyncStep<D> call =
                new AsyncStep<>(result, (decision, failure) -> back(stage, notes, decision, failure), this::advance);
        out = call;
        return call.settledAtOnce(loop, stage.deadlineNanos(), stage.name());
    }

    private boolean back(Stage stage, DeferredTrace notes, @Nullable D decision, @Nullable Throwable failure) {
        out = null;
        beginStep();
        if (failure != null) {
            return fault(stage, failure);
        }
        try {
            notes.mergeInto(current());
        } catch (RuntimeException invalid) {
            return fault(stage, invalid);
        }
        return settle(stage, decision);
    }

    /** Checks that the stage may read, and has not read as much before. */
    final void beginRead(Stage stage, Part part, Buffered access) {
        if (!stage.mayRead(part)) {
            throw StageException.broken("reading " + part + " was not declared");
        }
        if (lastRead != null && access.maxBytes() <= lastRead.maxBytes()) {
            throw StageException.broken("reading again what has been read");
        }
        lastRead = access;
        stopped = false;
    }

    /** A body that can be read is needed. */
    abstract void demandBody();

    /** Waits for the body, unless it is complete, and asks the step. */
    final boolean awaitBody(Stage stage, Buffered access, Predicate<Body> step, Predicate<BodyFailure> onFailure) {
        BodyReadWait wait =
                new BodyReadWait(loop, settings.bodyTimeout(), this::demandBody, step, onFailure, this::advance);
        bodyWait = wait;
        messageBody().read(stage.position(), access, wait);
        return wait.settledAtOnce();
    }

    /** The body could not be read as the stage asked. */
    final boolean readFailed(Stage stage, BodyFailure failure) {
        if (stage.observer()) {
            return fault(stage, StageException.broken(failure.detail()));
        }
        endWith("error");
        failed(stage, failure);
        return false;
    }

    /** A broken transform ends the exchange, unless it is an observer (docs/design.md, section 1, law 1). */
    final boolean fault(Stage stage, Throwable failure) {
        if (over) {
            return false;
        }
        StageException fault = StageException.of(failure);
        TransformFailureLog.log(stage, failure);
        current().error(fault.text());
        if (stage.observer()) {
            if (lastRead != null) {
                messageBody().stopReading();
            }
            finishStage("error");
            return passOver();
        }
        endWith("error");
        failed(stage, fault);
        return false;
    }

    /** Takes memory before an edit makes the head larger. */
    final void grow(Edit edit) {
        long bytes = HeadEditor.size(edit);
        grown += bytes;
        if (grown > StageException.MOST_GROWTH) {
            throw StageException.headTooLarge();
        }
        if (grown > UNCHARGED && !mayGrow(bytes)) {
            throw StageException.overloaded("no memory is left for what it adds to the head");
        }
    }

    final void hold(Body read) {
        body = read;
    }

    final @Nullable Body held() {
        return body;
    }

    final boolean holdsWholeBody() {
        return body != null && !body.truncated();
    }

    final long deadline(Stage stage) {
        return askedAt + stage.deadlineNanos();
    }

    final TransformTrace current() {
        TransformTrace present = trace;
        if (present == null) {
            throw new IllegalStateException("no stage is running");
        }
        return present;
    }

    // The part of the context of inline steps that both directions share.

    /** The body that the stage has read. */
    public final Body body() {
        Body read = body;
        if (read == null) {
            throw new IllegalStateException("the body has not been read (expected: a decision to read it first)");
        }
        return read;
    }

    /** The stage's entry in the audit record. */
    public final Trace trace() {
        return current();
    }

    final Duration remaining(Stage stage) {
        return Duration.ofNanos(deadline(stage) - System.nanoTime());
    }
}
