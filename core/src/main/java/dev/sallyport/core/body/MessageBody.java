package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.coding.Codings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The body of one message on its way from the sender to the receiver. Confined to the event loop of its exchange; what
 * it calls may call back at once.
 *
 * <p>First the transforms decide, in the order of the pipeline: they {@link #read} and register stages, and nothing
 * leaves. All received bytes are in one queue behind the stages applied so far; further stages are applied to it, once,
 * when a reader looks at it or it leaves. Then {@link #release} lets the queue go as a whole, and the rest streams
 * through the stages.
 *
 * <p>Credit is returned as bytes leave, and at once while a read, or the wait for an exact length, needs more. While a
 * step runs off the loop, the sender is limited to its credit.
 */
public final class MessageBody extends BodyInput {

    /** The last read. */
    private enum Reading {
        NONE,
        WAITING,
        /** It brought a prefix of the body. */
        PREFIX,
        /** It brought the whole body, which may be replaced. */
        COMPLETE
    }

    /** The way of the body to the receiver. */
    private enum Delivery {
        /** The transforms decide. */
        HELD,
        /** All transforms have continued. */
        RELEASED,
        /** The receiver knows the length, and bytes leave. */
        BEGUN
    }

    /** With so much before a receiver that takes nothing, the stages stand still. */
    private static final int FULL = 64 << 10;

    private final ByteBufAllocator allocator;
    private final BodyAccount account;
    private final BodyLimits limits;
    private final BodyHead head;
    private final long declaredLength;
    private final BodyEventListener notes;
    private final ByteQueue queue;
    private final TrailerFields trailers = new TrailerFields();

    private @Nullable StageChain chain;
    private boolean tolerant;

    /** The read that waits, or whose bytes are in use. */
    private @Nullable BodyRead reading;

    private Reading state = Reading.NONE;
    private @Nullable BodySink sink;
    private Delivery delivery = Delivery.HELD;
    private boolean altered;
    private boolean trailing;

    private boolean ended;

    /** Runs a task after a tick; null: the body is held as long as that is worth it. */
    private @Nullable Executor afterTick;

    /** Ends the hold of a body whose sender pauses; made when one is held. */
    private @Nullable HoldTicks ticks;

    /**
     * @param head the message's head as the sender wrote it; {@code Content-Encoding} and {@code Content-Type} are
     * looked at now, and later edits of them do not count
     * @param declaredLength bytes that the sender announced, -1 when it did not
     */
    public MessageBody(
            ByteBufAllocator allocator,
            BodyBudget budget,
            BodyLimits limits,
            HeaderBlock head,
            long declaredLength,
            Credit credit,
            BodyEventListener notes) {
        super(credit);
        this.allocator = allocator;
        this.account = new BodyAccount(budget);
        this.limits = limits;
        this.head = BodyHead.of(head, declaredLength);
        this.declaredLength = declaredLength;
        this.notes = notes;
        this.queue = new ByteQueue(allocator, account);
    }

    // While the transforms decide.

    /**
     * Waits for bytes from the start of the body, as the stages registered so far leave it.
     *
     * @param position the transform, by its place in the pipeline; so for all stages
     */
    public void read(int position, Buffered access, ReadCallback callback) {
        requireDeciding();
        forgetReading();
        reading = new BodyRead(position, access, limits.cap(), callback);
        state = Reading.WAITING;
        account.expectRoom();
        chain();
        drive();
    }

    /** Cancels a waiting read; its callback is not called. Idempotent. */
    public void stopReading() {
        if (isWaiting()) {
            state = Reading.NONE;
            forgetReading();
        }
    }

    /** Rewrites the body. */
    public void rewrite(int position, BodyRewriter rewriter, boolean identity) {
        requireDeciding();
        chain().add(new BodyStage.Rewrite(position, rewriter, identity));
    }

    /** Checks the body before it is forwarded. */
    public void check(int position, BodyCheck check, boolean identity) {
        requireDeciding();
        chain().add(new BodyStage.Check(position, check, identity));
    }

    /**
     * Decompresses the messages of a gRPC call. A message that inflates beyond the buffering cap fails.
     *
     * @param codings those of each message
     */
    public void inflateMessages(Codings codings) {
        requireDeciding();
        chain().add(new BodyStage.InflateMessages(codings));
    }

    /** Shows the body to an observer, whose end is called exactly once. */
    public void observe(int position, BodyObserver observer, boolean identity) {
        requireDeciding();
        ObserverGuard watcher = new ObserverGuard(observer, position, notes);
        if (isDead()) {
            watcher.end(false);
        } else {
            chain().add(new BodyStage.Observe(position, watcher, identity));
        }
    }

    /** Edits the trailer fields once they have come. */
    public void editTrailers(int position, TrailerStep step) {
        requireDeciding();
        trailers.add(position, step);
    }

    /**
     * Puts these bytes in the place of the body, in the form in which it was read last: when that was without its
     * content coding, they are coded. Takes ownership of the array.
     *
     * @throws IllegalStateException unless the last read brought the complete body
     */
    public void replace(byte[] body) {
        requireDeciding();
        BodyRead last = reading;
        if (isDead()) {
            return;
        }
        if (state != Reading.COMPLETE || last == null) {
            throw new IllegalStateException("replace: the body has not been read (expected: a complete read before)");
        }
        forgetReading();
        try {
            chain().replace(body, last.identity());
        } catch (BodyException e) {
            fail(e.failure());
        }
    }

    /** Whether no transform has read the body or registered a stage: it passes through. */
    public boolean idle() {
        return chain == null && trailers.untouched();
    }

    /** Whether a transform rewrites the body, and so needs all of it, whatever the receiver needs. */
    public boolean rewritten() {
        return chain != null && chain.rewrites();
    }

    /** Whether a rewriter, a check, an observer or a trailer editor is still to be called. */
    public boolean bound() {
        return !isDead() && (trailers.waiting() || (chain != null && chain.inUse()));
    }

    // All transforms have continued.

    /**
     * Limits the time for which a released body is held back so that its length is exact and an unchanged one keeps its
     * original bytes: until a tick without input, and at most for a few.
     *
     * @param tick runs a task on the loop after a tick
     */
    public void holdBriefly(Executor tick) {
        afterTick = tick;
    }

    /**
     * Decodes for rewriters what the sender has coded badly, as browsers do, and does not hand its bytes on. The listener
     * hears what was wrong.
     */
    public void tolerateCodings() {
        tolerant = true;
    }

    /** Releases the body. {@link BodySink#begin} is called at once, or when the length is known. */
    public void release(BodySink receiver) {
        requireDeciding();
        forgetReading();
        sink = Objects.requireNonNull(receiver, "receiver");
        delivery = Delivery.RELEASED;
        account.expectRoom();
        drive();
    }

    /** The sink accepts more again. */
    public void writable() {
        if (delivery == Delivery.BEGUN && !done()) {
            drive();
        }
    }

    /** Whether the bytes that leave may differ from those that came. Known from {@link BodySink#begin} on. */
    public boolean altered() {
        return altered;
    }

    /**
     * Whether trailer fields are there already. Known from {@link BodySink#begin} on; where the body streams, fields
     * may still come.
     *
     */
    public boolean trailing() {
        return trailing;
    }

    /** Whether the sender's end has been seen. */
    public boolean ended() {
        return ended;
    }

    private void requireDeciding() {
        if (delivery != Delivery.HELD) {
            throw new IllegalStateException("body: already released (expected: calls before release)");
        }
        if (isWaiting()) {
            throw new IllegalStateException("body: a read is waiting (expected: one call after the other)");
        }
    }

    private boolean isWaiting() {
        return state == Reading.WAITING;
    }

    // The rounds.

    @Override
    boolean expands() {
        return chain != null && chain.decodes();
    }

    @Override
    boolean staged() {
        return chain != null;
    }

    @Override
    boolean busy() {
        return chain != null && chain.busy();
    }

    @Override
    void step() {
        if (chain != null) {
            made(chain.step());
        }
    }

    @Override
    boolean blocked() {
        return chain != null
                && delivery == Delivery.BEGUN
                && queue.bytes() > FULL
                && sink != null
                && !sink.isWritable();
    }

    @Override
    void take(ByteBuf in) {
        if (ticks != null) {
            ticks.heard();
        }
        made(in.readableBytes());
        if (chain == null) {
            emit(in);
        } else {
            chain.write(in);
        }
    }

    @Override
    void takeEnd(HeaderBlock trailerFields) {
        trailers.arrived(trailerFields);
        ended = true;
        if (chain != null) {
            chain.end();
        }
    }

    /** Accepts the output of the last stage. */
    private void emit(ByteBuf out) {
        BodySink receiver = sink;
        made(out.readableBytes());
        if (isGivenUp()) {
            out.release();
        } else if (delivery == Delivery.BEGUN && receiver != null && queue.isEmpty() && receiver.isWritable()) {
            receiver.data(out);
        } else {
            queue.add(out);
        }
    }

    @Override
    void proceed() {
        if (done() || (!isWaiting() && delivery == Delivery.HELD)) {
            return;
        }
        if (delivery == Delivery.BEGUN) {
            flow();
        } else if (busy()) {
            proceedLater();
        } else if (chain != null && !chain.advance()) {
            proceedLater();
        } else if (isWaiting()) {
            look();
        } else {
            tryBegin();
        }
        if (afterTick != null && chain != null && delivery == Delivery.RELEASED && !done()) {
            if (ticks == null) {
                ticks = new HoldTicks(afterTick, this::tick);
            }
            ticks.await();
        }
    }

    private void tick(boolean patient) {
        StageChain stages = chain;
        if (delivery == Delivery.RELEASED && !isDead() && stages != null) {
            if (!patient) {
                stages.stopHolding();
            }
            driveAlone();
        }
    }

    private void holdNoMore() {
        if (ticks != null) {
            ticks.end();
            ticks = null;
        }
    }

    /** Goes on when what is on its way has arrived, or when more has come. */
    private void proceedLater() {
        if (!busy()) {
            settleCredit();
        } else if (!yielded()) {
            again();
        }
    }

    private void look() {
        BodyRead current = Objects.requireNonNull(reading);
        if (!beginTurn()) {
            return;
        }
        BodyRead.Result result;
        try {
            result = current.look(chain(), queue, account, this::overTurn);
        } catch (BodyException e) {
            state = Reading.NONE;
            forgetReading();
            callBack(() -> current.callback().failed(e.failure()));
            return;
        } finally {
            endTurn();
        }
        if (result == null) {
            if (current.unfinished()) {
                yieldTurn();
            }
            proceedLater();
            return;
        }
        Headers fields = result.complete() ? trailers.snapshot() : TrailerFields.none();
        state = result.complete() ? Reading.COMPLETE : Reading.PREFIX;
        current.close();
        callBack(() ->
                current.callback().ready(new ReadBody(result.array(), result.length(), !result.complete(), fields)));
    }

    private void tryBegin() {
        long length = declaredLength;
        StageChain stages = chain;
        if (stages == null) {
            length = ended ? queue.bytes() : length;
        } else if (stages.ended()) {
            stages.leaveRegion(true);
            if (stages.busy()) {
                proceedLater();
                return;
            }
            length = queue.bytes();
        } else {
            length = stages.length();
            if (length < 0 && stages.worthHolding()) {
                settleCredit();
                return;
            }
            stages.leaveRegion(true);
            if (stages.busy()) {
                proceedLater();
                return;
            }
        }
        altered = stages != null && stages.altered();
        trailing =
                (stages == null ? ended : stages.ended()) && !trailers.edited().isEmpty();
        delivery = Delivery.BEGUN;
        holdNoMore();
        Objects.requireNonNull(sink).begin(length);
        again();
    }

    private void flow() {
        BodySink receiver = Objects.requireNonNull(sink);
        if (chain != null && !busy()) {
            chain.flush();
        }
        while (!isGivenUp() && !queue.isEmpty() && receiver.isWritable()) {
            receiver.data(queue.poll());
        }
        if (isGivenUp() || !queue.isEmpty()) {
            return;
        }
        if (busy()) {
            proceedLater();
            return;
        }
        if (chain == null ? ended : chain.ended()) {
            HeaderBlock fields = trailers.edited();
            finish();
            receiver.end(fields);
        } else if (receiver.isWritable()) {
            settleCredit();
        }
    }

    @Override
    void deliver(BodyFailure reason) {
        BodySink receiver = sink;
        if (isWaiting()) {
            BodyRead current = Objects.requireNonNull(reading);
            state = Reading.NONE;
            callBack(() -> current.callback().failed(reason));
        } else if (receiver != null && !done()) {
            finish();
            receiver.failed(reason);
        }
    }

    private void forgetReading() {
        BodyRead last = reading;
        if (last != null) {
            reading = null;
            last.forget();
        }
    }

    @Override
    void stopWaiting() {
        if (isWaiting()) {
            state = Reading.NONE;
        }
    }

    @Override
    void freeStages() {
        holdNoMore();
        BodyRead last = reading;
        if (last != null) {
            last.forget();
        }
        if (chain != null) {
            chain.close();
        }
        queue.clear();
    }

    private StageChain chain() {
        StageChain known = chain;
        if (known == null) {
            known = new StageChain(head, limits, account, allocator, queue, this::emit, ended);
            if (tolerant) {
                known.tolerate(notes);
            }
            chain = known;
        }
        return known;
    }
}
