package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Headers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The body of one message on its way from the sender to the receiver. Confined to the event loop of its exchange; what
 * it calls may call back at once.
 *
 * <p>First the transforms decide, in the order of the pipeline: they {@link #read} and register stages, and nothing
 * leaves. Whatever has come is in one queue, which stands behind the stages applied so far; further stages are applied to
 * it, once, when somebody looks at it or it leaves. Then {@link #release} lets it go, whole, and the rest streams
 * through the stages.
 *
 * <p>Credit is given back as bytes leave, and at once while a read, or the wait for an exact length, wants more. While a
 * step is out, the sender can go no further than its credit.
 */
public final class MessageBody {

    private final ByteBufAllocator allocator;
    private final BodyAccount account;
    private final BodyLimits limits;
    private final HeaderBlock head;
    private final long declaredLength;
    private final CreditLedger credit;
    private final BodyNotes notes;
    private final ByteQueue queue;
    private final TrailerFields trailers = new TrailerFields();

    private @Nullable Chain chain;

    /** The read that waits, or whose bytes are being looked at. */
    private @Nullable Reading reading;

    private boolean waiting;
    private boolean replaceable;
    private @Nullable BodySink sink;
    private boolean begun;
    private boolean altered;
    private boolean trailing;

    /** Set once nothing more will be called: delivered, failed or given up. */
    private boolean over;

    private @Nullable BodyFailure failure;
    private boolean ended;

    /** Whether a call is under way; what comes meanwhile waits in the inbox, and asks for another round. */
    private boolean busy;

    /** Whether the call under way is a reader's, with nothing of the chain in the middle of its work. */
    private boolean callingBack;

    private boolean again;
    private boolean aborting;
    private @Nullable ArrayDeque<ByteBuf> inbox;
    private @Nullable HeaderBlock endInbox;

    /**
     * @param head the message's head; {@code Content-Encoding} and {@code Content-Type} are looked at
     * @param declaredLength bytes that the sender announced, -1 when it did not
     */
    public MessageBody(
            ByteBufAllocator allocator,
            BodyBudget budget,
            BodyLimits limits,
            HeaderBlock head,
            long declaredLength,
            Credit credit,
            BodyNotes notes) {
        this.allocator = allocator;
        this.account = new BodyAccount(budget);
        this.limits = limits;
        this.head = head;
        this.declaredLength = declaredLength;
        this.credit = new CreditLedger(credit);
        this.notes = notes;
        this.queue = new ByteQueue(allocator, account);
    }

    // The sender's side.

    /** Some of the body; takes ownership. */
    public void data(ByteBuf in) {
        int length = in.readableBytes();
        if (length == 0) {
            in.release();
        } else if (over || failure != null) {
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
    public void end(HeaderBlock trailerFields) {
        if (!over && failure == null) {
            endInbox = trailerFields;
            drive();
        }
    }

    /** The sender broke off. Who waits is told; observers hear that there is no complete end. Idempotent. */
    public void abort() {
        if (!over && failure == null) {
            aborting = true;
            drive();
        }
    }

    /** Nobody wants the body any longer. Only observers are told; what still comes is dropped. Idempotent. */
    public void discard() {
        over = true;
        if (!busy || callingBack) {
            cleanUp();
        }
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
        reading = new Reading(position, access, limits.cap(), callback);
        waiting = true;
        replaceable = false;
        account.expectRoom();
        chain();
        drive();
    }

    /** Gives up a read that waits; its callback is not called. Idempotent. */
    public void stopReading() {
        if (waiting) {
            waiting = false;
            forgetReading();
        }
    }

    /** Rewrites the body. */
    public void rewrite(int position, BodyRewriter rewriter, boolean identity) {
        requireDeciding();
        chain().add(new Stage.Rewrite(position, rewriter, identity));
    }

    /** Shows the body to an observer, whose end is called exactly once. */
    public void observe(int position, BodyObserver observer, boolean identity) {
        requireDeciding();
        Watcher watcher = new Watcher(observer, position, notes);
        if (over || failure != null) {
            watcher.end(false);
        } else {
            chain().add(new Stage.Observe(position, watcher, identity));
        }
    }

    /** Edits the trailer fields once they have come. */
    public void editTrailers(int position, TrailerStep step) {
        requireDeciding();
        trailers.add(position, step);
    }

    /**
     * Puts these bytes in the place of the body, in the form in which it was read last: when that was without its content
     * coding, they are coded. Takes ownership of the array.
     *
     * @throws IllegalStateException unless the last read brought the complete body
     */
    public void replace(byte[] body) {
        requireDeciding();
        Reading last = reading;
        if (failure != null || over) {
            return;
        }
        if (!replaceable || last == null) {
            throw new IllegalStateException("replace: the body has not been read (expected: a complete read before)");
        }
        forgetReading();
        try {
            chain().replace(body, last.identity());
        } catch (BodyException e) {
            fail(e.failure());
        }
    }

    /** Whether nobody has read or registered anything: the body passes through. */
    public boolean idle() {
        return chain == null && trailers.untouched();
    }

    /** Whether a rewriter, an observer or a trailer editor is still to be called. */
    public boolean bound() {
        return !over && failure == null && (trailers.waiting() || (chain != null && chain.inUse()));
    }

    // All transforms have continued.

    /** Lets the body go. {@link BodySink#begin} is called at once, or when the length is known. */
    public void release(BodySink receiver) {
        requireDeciding();
        forgetReading();
        sink = Objects.requireNonNull(receiver, "receiver");
        account.expectRoom();
        drive();
    }

    /** The sink takes more again. */
    public void writable() {
        if (begun && !over) {
            drive();
        }
    }

    /** Whether the bytes that leave may differ from those that came. Known from {@link BodySink#begin} on. */
    public boolean altered() {
        return altered;
    }

    /**
     * Whether trailer fields are there already. Known from {@link BodySink#begin} on; where the body streams, fields may
     * come all the same.
     */
    public boolean trailing() {
        return trailing;
    }

    /** Whether the sender's end has been seen. */
    public boolean ended() {
        return ended;
    }

    /** Whether it is over: delivered, failed or given up. */
    public boolean done() {
        return over;
    }

    private void requireDeciding() {
        if (sink != null) {
            throw new IllegalStateException("body: already released (expected: calls before release)");
        }
        if (waiting) {
            throw new IllegalStateException("body: a read is waiting (expected: one call after the other)");
        }
    }

    // The engine room: every change makes a round, and rounds do not nest.

    private void drive() {
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
            ByteBuf buffer = in.remove();
            if (chain == null) {
                emit(buffer);
            } else {
                chain.write(buffer);
            }
        }
        HeaderBlock end = endInbox;
        if (end != null && !over) {
            endInbox = null;
            trailers.arrived(end);
            ended = true;
            if (chain != null) {
                chain.end();
            }
        }
    }

    /** Takes what comes out behind the last stage. */
    private void emit(ByteBuf out) {
        BodySink receiver = sink;
        if (over || aborting) {
            out.release();
        } else if (begun && receiver != null && queue.isEmpty()) {
            receiver.data(out);
        } else {
            queue.add(out);
        }
    }

    private void proceed() {
        if (over || (!waiting && sink == null)) {
            return;
        }
        if (begun) {
            flow();
        } else if (chain != null && !chain.advance()) {
            credit.settle();
        } else if (waiting) {
            look();
        } else {
            tryBegin();
        }
    }

    private void look() {
        Reading current = Objects.requireNonNull(reading);
        Reading.Result result;
        try {
            result = current.look(chain(), queue, account);
        } catch (BodyException e) {
            waiting = false;
            forgetReading();
            tell(current, e.failure());
            return;
        }
        if (result == null) {
            credit.settle();
            return;
        }
        Headers fields = result.complete() ? trailers.snapshot() : TrailerFields.none();
        waiting = false;
        replaceable = result.complete();
        current.close();
        callingBack = true;
        try {
            current.callback().ready(new HeapBody(result.array(), result.length(), !result.complete(), fields));
        } finally {
            callingBack = false;
        }
    }

    private void tell(Reading reader, BodyFailure reason) {
        callingBack = true;
        try {
            reader.callback().failed(reason);
        } finally {
            callingBack = false;
        }
    }

    private void tryBegin() {
        long length = declaredLength;
        Chain stages = chain;
        if (stages == null) {
            length = ended ? queue.bytes() : length;
        } else if (stages.ended()) {
            stages.leaveRegion(true);
            length = queue.bytes();
        } else {
            length = stages.length();
            if (length < 0 && stages.worthHolding()) {
                credit.settle();
                return;
            }
            stages.leaveRegion(true);
        }
        altered = stages != null && stages.altered();
        trailing =
                (stages == null ? ended : stages.ended()) && !trailers.edited().isEmpty();
        begun = true;
        Objects.requireNonNull(sink).begin(length);
        again = true;
    }

    private void flow() {
        BodySink receiver = Objects.requireNonNull(sink);
        if (chain != null) {
            chain.flush();
        }
        while (!over && !aborting && !queue.isEmpty() && receiver.isWritable()) {
            receiver.data(queue.poll());
        }
        if (over || aborting || !queue.isEmpty()) {
            return;
        }
        if (chain == null ? ended : chain.ended()) {
            HeaderBlock fields = trailers.edited();
            over = true;
            receiver.end(fields);
        } else if (receiver.isWritable()) {
            credit.settle();
        }
    }

    private void fail(BodyFailure reason) {
        failure = reason;
        freeBuffers();
        if (busy) {
            deliver(reason);
        }
    }

    /** Tells a failure to whoever waits for the body; it is remembered for who will. */
    private void deliver(BodyFailure reason) {
        BodySink receiver = sink;
        if (waiting) {
            Reading current = Objects.requireNonNull(reading);
            waiting = false;
            tell(current, reason);
        } else if (receiver != null && !over) {
            over = true;
            receiver.failed(reason);
        }
    }

    private void forgetReading() {
        Reading last = reading;
        if (last != null) {
            reading = null;
            last.forget();
        }
    }

    private void cleanUp() {
        waiting = false;
        freeBuffers();
    }

    /** Frees everything, and lets the sender send on into the void. */
    private void freeBuffers() {
        Reading last = reading;
        if (last != null) {
            last.forget();
        }
        if (chain != null) {
            chain.close();
        }
        queue.clear();
        if (inbox != null) {
            inbox.forEach(ByteBuf::release);
            inbox.clear();
        }
        credit.settle();
    }

    private Chain chain() {
        Chain known = chain;
        if (known == null) {
            known = new Chain(BodyHead.of(head, declaredLength), limits, account, allocator, queue, this::emit, ended);
            chain = known;
        }
        return known;
    }
}
