package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Error;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the frames of one HTTP/2 connection, on either side: frames of the connection and heads at once, data in
 * turn, a frame for each stream, as far as the windows and the socket allow. Flushes once for each turn of the loop or
 * batch of reads. Confined to the connection's loop.
 */
public final class FrameScheduler {

    private static final int LINE_ESTIMATE = 32;
    private static final int MAX_ACKS = 1000;

    /** Less credit than this is waited with for more, unless all that is queued fits into it. */
    private static final int WORTHWHILE = 1024;

    private static final long PATIENCE_MILLIS = 5;

    /** A peer may credit each of these frames by itself, for the stream and for the connection. */
    private static final int SMALL_DATA = 256;

    private static final int MAX_ECHOES = 100_000;

    private final ChannelHandlerContext ctx;
    private final PeerSettings peer;
    private final HpackWriter hpack = new HpackWriter();
    private final ArrayDeque<SendingStream> line = new ArrayDeque<>();

    /** Streams blocked only by the connection's window, or that wait for more of it. */
    private final ArrayDeque<SendingStream> starved = new ArrayDeque<>();

    /** Streams with credit that is not worth a frame yet. */
    private final Set<SendingStream> held = new LinkedHashSet<>();

    private int window = FrameWriter.INITIAL_WINDOW;
    private int acks;
    private int echoes;
    private boolean patient = true;
    private boolean waiting;
    private boolean batch;
    private boolean dirty;
    private boolean scheduled;
    private boolean pumping;

    /** A scheduler that writes to this context, for a peer with these settings. */
    public FrameScheduler(ChannelHandlerContext ctx, PeerSettings peer) {
        this.ctx = ctx;
        this.peer = peer;
    }

    // The peer's credit.

    /** Takes one of the peer's settings; windows change with {@link PeerSettings#takeWindowChange}. */
    public void setting(int id, long value) throws ConnectionErrorException {
        peer.set(id, value);
        if (id == FrameWriter.SETTINGS_HEADER_TABLE_SIZE) {
            hpack.tableSize(value);
        }
    }

    /** How much data the peer accepts on the connection, in bytes. */
    public int window() {
        return window;
    }

    /** Grows the connection's window; returns false when it leaves the protocol's range (RFC 9113, 6.9.1). */
    public boolean grow(int increment) {
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

    /**
     * Whether a small WINDOW_UPDATE may belong to a DATA frame that was small because there was no more to send; each
     * such frame accounts for two.
     */
    public boolean takeEcho() {
        if (echoes == 0) {
            return false;
        }
        echoes--;
        return true;
    }

    // What is sent.

    /**
     * Sends the head of a response.
     *
     * @param keepLength whether its {@code Content-Length} is sent
     * @throws IllegalArgumentException when a field cannot be sent; then nothing is
     */
    public void response(SendingStream stream, int status, HeaderBlock headers, boolean keepLength, boolean end) {
        ByteBuf block = FrameWriter.block(allocator(), LINE_ESTIMATE * (headers.size() + 1));
        try {
            hpack.response(status, headers, keepLength, block);
        } catch (IllegalArgumentException e) {
            block.release();
            throw e;
        }
        headers(stream, block, end);
    }

    /**
     * Encodes the head of a request, which {@link #headers} must send before anything else is encoded.
     *
     * @return the block, or null when it is longer than the peer accepts
     * @throws IllegalArgumentException when a field cannot be sent
     * @see HpackWriter#request
     */
    public @Nullable ByteBuf encode(RequestMessage head, String scheme, String authority, @Nullable String protocol) {
        ByteBuf block =
                FrameWriter.block(allocator(), LINE_ESTIMATE * (head.headers().size() + 4));
        boolean encoded = false;
        try {
            encoded = hpack.request(head, scheme, authority, protocol, peer.maxHeaderListBytes(), block);
        } finally {
            if (!encoded) {
                block.release();
            }
        }
        return encoded ? block : null;
    }

    /** Sends a header block. */
    public void headers(SendingStream stream, ByteBuf block, boolean end) {
        write(FrameWriter.headers(block, stream.id(), end, FrameReader.MAX_FRAME), stream.promise(end));
    }

    private void trailers(SendingStream stream, HeaderBlock trailers) {
        ByteBuf block = FrameWriter.block(allocator(), LINE_ESTIMATE * trailers.size());
        try {
            hpack.trailers(trailers, block);
        } catch (IllegalArgumentException e) {
            block.release();
            stream.unsendable(e);
            return;
        }
        headers(stream, block, true);
        stream.sendQueue().finish();
        stream.written();
    }

    /** Sends RST_STREAM. */
    public void reset(int stream, Http2Error code) {
        write(FrameWriter.reset(allocator(), stream, code));
    }

    /** Sends WINDOW_UPDATE, for the connection when {@code stream} is 0. */
    public void windowUpdate(int stream, int increment) {
        write(FrameWriter.windowUpdate(allocator(), stream, increment));
    }

    /** Answers PING or SETTINGS; returns false when the peer requests more answers than it reads. */
    public boolean acknowledge(ByteBuf answer) {
        acks = ctx.channel().isWritable() ? 0 : acks + 1;
        write(answer);
        return acks <= MAX_ACKS;
    }

    /** Sends a frame. */
    public void write(ByteBuf frame) {
        write(frame, ctx.voidPromise());
    }

    private void write(ByteBuf frame, ChannelPromise promise) {
        ctx.write(frame, promise);
        dirty = true;
        schedule();
    }

    /** A stream has something to send. */
    public void ready(SendingStream stream) {
        StreamSendQueue sendQueue = stream.sendQueue();
        if (sendQueue.isSendable() && sendQueue.line()) {
            line.add(stream);
        }
        if (sendQueue.size() >= FrameReader.MAX_FRAME) {
            pump();
        }
        schedule();
    }

    /** A batch of reads has begun; {@link #batchEnded} flushes. */
    public void batchBegins() {
        batch = true;
    }

    /** Ends a batch of reads. */
    public void batchEnded() {
        batch = false;
        flush();
    }

    /** Sends what can be sent. */
    public void flush() {
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

    private void turn(SendingStream stream) {
        StreamSendQueue sendQueue = stream.sendQueue();
        if (sendQueue.size() > 0 && window <= 0) {
            starved.add(stream);
            return;
        }
        int credit = Math.min(sendQueue.window(), window);
        if (patient && credit > 0 && credit < Math.min(sendQueue.size(), worthwhile())) {
            hold(stream);
            return;
        }
        sendQueue.leaveLine();
        if (!sendQueue.isSendable()) {
            return;
        }
        boolean trailing = !sendQueue.trailers().isEmpty();
        if (sendQueue.size() == 0 && trailing) {
            trailers(stream, sendQueue.trailers());
            return;
        }
        int length = Math.max(0, Math.min(Math.min(sendQueue.size(), FrameReader.MAX_FRAME), credit));
        if (length > 0 && length < SMALL_DATA && length == sendQueue.size()) {
            echoes = Math.min(MAX_ECHOES, echoes + 2);
        }
        boolean last = sendQueue.isEnded() && !trailing && length == sendQueue.size();
        data(stream, sendQueue, length, last);
        if (last) {
            sendQueue.finish();
            stream.written();
        } else {
            if (sendQueue.isSendable() && sendQueue.line()) {
                line.add(stream);
            }
            stream.drained();
        }
    }

    /**
     * Waits with a little credit for more of it. Otherwise a peer that credits each frame by itself gets ever smaller
     * ones: what splits a frame once splits it in each round (the silly window syndrome of RFC 1122, 4.2.3.4). As there,
     * the wait is limited: more may never come.
     */
    private void hold(SendingStream stream) {
        if (window <= stream.sendQueue().window()) {
            starved.add(stream);
        } else {
            stream.sendQueue().leaveLine(); // the stream's next credit lines it up again
            held.add(stream);
        }
        if (!waiting) {
            waiting = true;
            ctx.executor().schedule(this::patienceEnded, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void patienceEnded() {
        waiting = false;
        for (SendingStream stream : held) {
            if (stream.sendQueue().isSendable() && stream.sendQueue().line()) {
                line.add(stream);
            }
        }
        held.clear();
        line.addAll(starved);
        starved.clear();
        patient = false;
        try {
            flush();
        } finally {
            patient = true;
        }
    }

    private int worthwhile() {
        return Math.min(WORTHWHILE, peer.initialWindow() / 2);
    }

    private void data(SendingStream stream, StreamSendQueue sendQueue, int length, boolean last) {
        ByteBuf header = FrameWriter.data(allocator(), stream.id(), length, last);
        ctx.write(header, length == 0 ? stream.promise(last) : ctx.voidPromise());
        dirty = true;
        window -= length;
        int left = length;
        while (left > 0) {
            ByteBuf part = sendQueue.take(left);
            left -= part.readableBytes();
            ctx.write(part, left == 0 ? stream.promise(last) : ctx.voidPromise());
        }
    }

    /** The context to which frames are written. */
    public ChannelHandlerContext context() {
        return ctx;
    }

    /** The allocator for frames. */
    public ByteBufAllocator allocator() {
        return ctx.alloc();
    }

    /** Nothing more is sent. */
    public void close() {
        line.clear();
        starved.clear();
        held.clear();
        hpack.close();
    }
}
