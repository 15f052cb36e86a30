package dev.sallyport.core.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a decoder and gives it what was read in turns of limited length, in pieces the smaller the dearer they
 * turn out to be, and none beyond the end of something that is dear however short it is. What is left over waits for its
 * turn; reads are off meanwhile, and go on, as usual, when the handlers behind ask for more. For channels whose automatic
 * reading is off. One for each channel.
 */
public final class PacedReads extends ChannelDuplexHandler {

    private static final int SMALLEST = 512;
    private static final int FIRST = 4096;
    private static final int LARGEST = 64 << 10;

    /** A piece should take about this long. */
    private static final long PIECE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** Where something ends that is dear however short it is, such as a request. Confined to the loop. */
    public interface Cuts {

        /**
         * Returns how many bytes to hand on next: up to the first such end, or the most. Exactly these are handed on before
         * the next call.
         *
         * @param in what was read; its indices stay
         * @param most at least 1, and at most what is readable
         */
        int next(ByteBuf in, int most);
    }

    private final Turn turn;
    private final Cuts cuts;

    /** What was read and waits: buffers, and the events of their end. */
    private final ArrayDeque<Object> held = new ArrayDeque<>(2);

    private @Nullable ChannelHandlerContext context;
    private int piece = FIRST;

    /** Whether the handlers behind have asked for more than they got. */
    private boolean wanted = true;

    /** Whether they got something since they were last told that a read is complete. */
    private boolean incomplete;

    private boolean resuming;

    /** @param loop that of the channel */
    public PacedReads(EventLoop loop) {
        this(loop, (in, most) -> most);
    }

    /**
     * As above, with cuts.
     *
     * @param loop that of the channel
     */
    public PacedReads(EventLoop loop, Cuts cuts) {
        this(Turns.of(loop), cuts);
    }

    PacedReads(Turns turns, Cuts cuts) {
        this.turn = turns.join(this::resume);
        this.cuts = cuts;
    }

    /** What is read from now on is read on behalf of this client; told on the loop. */
    public PacedReads onBehalfOf(Object client) {
        turn.onBehalfOf(client);
        return this;
    }

    /** Whether something that was read waits for its turn; asked on the loop. */
    public boolean isHolding() {
        return !held.isEmpty();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!held.isEmpty()) {
            held.add(message);
        } else if (!(message instanceof ByteBuf in)) {
            ctx.fireChannelRead(message);
        } else if (turn.begin()) {
            long last = 0;
            long took = 0;
            try {
                last = deliver(ctx, in, 0);
            } finally {
                took = turn.end();
            }
            adaptToLast(took - last);
            if (!held.isEmpty()) {
                turn.later();
            }
        } else {
            held.add(in);
            turn.later();
        }
    }

    /**
     * Passes on as much as there is time for.
     *
     * @param now the nanoseconds of the turn so far
     * @return what they were when the last piece was passed on
     */
    private long deliver(ChannelHandlerContext ctx, ByteBuf in, long now) {
        incomplete = true;
        wanted = false;
        long before = now;
        int bytes = next(in);
        while (bytes < in.readableBytes() && !ctx.isRemoved()) {
            ByteBuf part = in.readRetainedSlice(bytes);
            try {
                ctx.fireChannelRead(part);
            } catch (RuntimeException | Error e) {
                in.release();
                throw e;
            }
            turn.made(bytes);
            long after = turn.elapsed();
            adapt(bytes, after - before);
            before = after;
            if (turn.over()) {
                held.addFirst(in);
                return before;
            }
            bytes = next(in);
        }
        turn.made(in.readableBytes());
        ctx.fireChannelRead(in);
        return before;
    }

    private int next(ByteBuf in) {
        int most = Math.min(piece, in.readableBytes());
        return most == 0 ? 0 : cuts.next(in, most);
    }

    /** The last piece may have been short: it says only that pieces are too dear. */
    private void adaptToLast(long nanos) {
        if (nanos > PIECE_NANOS) {
            adapt(piece, nanos);
        }
    }

    private void adapt(int bytes, long nanos) {
        if (nanos > PIECE_NANOS) {
            piece = Math.max(SMALLEST, piece / 2);
        } else if (nanos < PIECE_NANOS / 4 && bytes == piece) {
            piece = Math.min(LARGEST, piece * 2);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (held.isEmpty() || incomplete) {
            incomplete = false;
            ctx.fireChannelReadComplete();
        }
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        wanted = true;
        if (!held.isEmpty()) {
            turn.later();
        } else if (!resuming) {
            ctx.read();
        }
    }

    /** A turn for what waits; only when it was asked for, so that nobody gets more than before. */
    private void resume() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || held.isEmpty() || !wanted) {
            return;
        }
        if (!turn.begin()) {
            turn.later();
            return;
        }
        resuming = true;
        try {
            do {
                deliverNext(ctx);
            } while (!held.isEmpty() && !turn.over());
            incomplete = false;
            ctx.fireChannelReadComplete();
        } finally {
            resuming = false;
            turn.end();
        }
        if (wanted) {
            read(ctx);
        }
    }

    private void deliverNext(ChannelHandlerContext ctx) {
        Object next = held.remove();
        if (next instanceof ByteBuf in) {
            long last = deliver(ctx, in, turn.elapsed());
            adaptToLast(turn.elapsed() - last);
        } else {
            pass(ctx, next);
        }
    }

    private static void pass(ChannelHandlerContext ctx, Object next) {
        if (next instanceof Event event) {
            ctx.fireUserEventTriggered(event.event());
        } else {
            ctx.fireChannelRead(next);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!held.isEmpty() && isEnd(event)) {
            held.add(new Event(event));
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private static boolean isEnd(Object event) {
        return event instanceof ChannelInputShutdownEvent || event instanceof SslCloseCompletionEvent;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        passAll(ctx);
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        passAll(ctx);
        ctx.fireExceptionCaught(cause);
    }

    /** At the end of the channel nothing can wait any more; it is at most what one read brings. */
    private void passAll(ChannelHandlerContext ctx) {
        if (held.isEmpty()) {
            return;
        }
        for (Object next = held.poll(); next != null; next = held.poll()) {
            pass(ctx, next);
        }
        incomplete = false;
        ctx.fireChannelReadComplete();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        turn.cancel();
        context = null;
        for (Object next = held.poll(); next != null; next = held.poll()) {
            ReferenceCountUtil.release(next);
        }
    }

    private record Event(Object event) {}
}
