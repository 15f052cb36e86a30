package dev.sallyport.core.net.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http2.FrameReader;
import dev.sallyport.core.http2.FrameWriter;
import dev.sallyport.core.http2.HpackWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayDeque;

/**
 * What goes to the client of one HTTP/2 connection: frames of the connection and heads at once, data in turn, a frame for
 * each stream, as far as the windows and the socket take it. Flushed once for all that one turn of the loop, or one batch
 * of reads, brings. On the connection's loop.
 */
final class Http2Scheduler {

    private static final int LINE_ESTIMATE = 32;
    private static final int MAX_ACKS = 1000;

    private final ChannelHandlerContext ctx;
    private final HpackWriter hpack = new HpackWriter();
    private final ArrayDeque<ClientHttp2Stream> line = new ArrayDeque<>();

    /** Streams blocked only by the connection's window. */
    private final ArrayDeque<ClientHttp2Stream> starved = new ArrayDeque<>();

    private int window = FrameWriter.INITIAL_WINDOW;
    private int initialWindow = FrameWriter.INITIAL_WINDOW;
    private int maxFrame = FrameReader.MAX_FRAME;
    private int acks;
    private boolean batch;
    private boolean dirty;
    private boolean scheduled;
    private boolean pumping;

    Http2Scheduler(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    // What the client says about itself.

    /** The window that new streams have for their responses. */
    int initialWindow() {
        return initialWindow;
    }

    void initialWindow(int size) {
        initialWindow = size;
    }

    void maxFrame(int size) {
        maxFrame = size;
    }

    void tableSize(long size) throws Http2Exception {
        hpack.tableSize(size);
    }

    /** The connection's window has grown; false when it has left the range of the protocol. */
    boolean grow(int increment) {
        long next = (long) window + increment;
        if (next > Integer.MAX_VALUE) {
            return false;
        }
        window = (int) next;
        while (!starved.isEmpty()) {
            line.add(starved.remove());
        }
        schedule();
        return true;
    }

    // What is sent.

    /** Sends a head. */
    void head(ClientHttp2Stream exchange, int status, HeaderBlock headers, boolean keepLength, boolean end) {
        ByteBuf block = FrameWriter.block(allocator(), LINE_ESTIMATE * (headers.size() + 1));
        try {
            hpack.response(status, headers, keepLength, block);
        } catch (IllegalArgumentException e) {
            block.release();
            throw e;
        }
        write(FrameWriter.headers(block, exchange.stream(), end, maxFrame));
    }

    private void trailers(ClientHttp2Stream exchange, HeaderBlock trailers) {
        ByteBuf block = FrameWriter.block(allocator(), LINE_ESTIMATE * trailers.size());
        try {
            hpack.trailers(trailers, block);
        } catch (IllegalArgumentException e) {
            // The body is whole; trailers that cannot be sent must not look as if there had been none.
            block.release();
            exchange.unsendable(e);
            return;
        }
        write(FrameWriter.headers(block, exchange.stream(), true, maxFrame));
        exchange.written();
    }

    void reset(int stream, Http2Error code) {
        write(FrameWriter.reset(allocator(), stream, code));
    }

    void windowUpdate(int stream, int increment) {
        write(FrameWriter.windowUpdate(allocator(), stream, increment));
    }

    /** Answers PING or SETTINGS; false when the client makes more of them than it reads answers. */
    boolean acknowledge(ByteBuf answer) {
        acks = ctx.channel().isWritable() ? 0 : acks + 1;
        write(answer);
        return acks <= MAX_ACKS;
    }

    void write(ByteBuf frame) {
        ctx.write(frame, ctx.voidPromise());
        dirty = true;
        schedule();
    }

    /** A stream has something to send. */
    void ready(ClientHttp2Stream exchange) {
        StreamSendQueue outbox = exchange.outbox();
        if (outbox.isSendable() && outbox.line()) {
            line.add(exchange);
        }
        if (outbox.size() >= maxFrame) {
            pump();
        }
        schedule();
    }

    /** A batch of reads has begun; {@link #batchEnded} flushes. */
    void batchBegins() {
        batch = true;
    }

    void batchEnded() {
        batch = false;
        flush();
    }

    /** Sends what can be sent. */
    void flush() {
        pump();
        if (dirty) {
            dirty = false;
            ctx.flush();
        }
    }

    private void schedule() {
        if (!batch && !scheduled) {
            scheduled = true;
            ctx.executor().execute(this::turnEnded);
        }
    }

    private void turnEnded() {
        scheduled = false;
        flush();
    }

    private void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            while (!line.isEmpty() && ctx.channel().isWritable()) {
                turn(line.remove());
            }
        } finally {
            pumping = false;
        }
    }

    private void turn(ClientHttp2Stream exchange) {
        StreamSendQueue outbox = exchange.outbox();
        if (outbox.size() > 0 && window <= 0) {
            starved.add(exchange);
            return;
        }
        outbox.leaveLine();
        if (!outbox.isSendable()) {
            return;
        }
        boolean trailing = !outbox.trailers().isEmpty();
        if (outbox.size() == 0 && trailing) {
            trailers(exchange, outbox.trailers());
            return;
        }
        int length = Math.min(Math.min(outbox.size(), maxFrame), Math.min(outbox.window(), window));
        length = Math.max(0, length);
        boolean last = outbox.isEnded() && !trailing && length == outbox.size();
        data(exchange, outbox, length, last);
        if (last) {
            exchange.written();
        } else {
            if (outbox.isSendable() && outbox.line()) {
                line.add(exchange);
            }
            exchange.drained();
        }
    }

    private void data(ClientHttp2Stream exchange, StreamSendQueue outbox, int length, boolean last) {
        ctx.write(FrameWriter.data(allocator(), exchange.stream(), length, last), ctx.voidPromise());
        dirty = true;
        window -= length;
        int left = length;
        while (left > 0) {
            ByteBuf part = outbox.take(left);
            left -= part.readableBytes();
            ctx.write(part, ctx.voidPromise());
        }
    }

    ChannelHandlerContext context() {
        return ctx;
    }

    ByteBufAllocator allocator() {
        return ctx.alloc();
    }

    /** Nothing more is sent. */
    void close() {
        line.clear();
        starved.clear();
        hpack.close();
    }
}
