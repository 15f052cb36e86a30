package dev.sallyport.core.upstream;

import dev.sallyport.core.http2.OutgoingFields;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.collection.IntObjectHashMap;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection (RFC 9113): counts its streams against what the origin allows, flushes once for what is written
 * in one turn of the loop, and ends when it is told to and the last stream is gone. Until the origin's first SETTINGS
 * frame it takes no stream but the first. Confined to its loop.
 */
final class OriginHttp2Connection implements UpstreamConnection, OriginHttp2Codec.Faults {

    /** After so long without a frame, a new stream is accompanied by a PING that tells whether anybody is there. */
    private static final Duration QUIET = Duration.ofSeconds(30);

    private static final Duration PING_LIMIT = Duration.ofSeconds(10);
    private static final long PING_DATA = 0x73616c6c79L;

    private final Channel channel;
    private final InetSocketAddress remote;
    private final Destination destination;
    private final Owner owner;
    private final OriginHttp2FrameHandler frames = new OriginHttp2FrameHandler(this);
    private final OriginHttp2Codec codec;
    private final DeadlineQueue heads;
    private final DeadlineQueue sends;
    private final LazyTimer silence;
    private final Runnable flush = this::flushScheduled;
    private final IntObjectHashMap<OriginHttp2Stream> streams = new IntObjectHashMap<>();
    private int open;
    private int maxStreams = OriginHttp2Codec.MAX_STREAMS;
    private long maxListBytes = Long.MAX_VALUE;
    private long heardNanos = System.nanoTime();
    private boolean settled;
    private boolean protocols;
    private @Nullable Runnable onceSettled;
    private boolean used;
    /** Takes no stream that has not begun. */
    private boolean draining;

    /** Nor one that has begun and is not open: the origin would not look at it. */
    private boolean deaf;

    private boolean flushScheduled;
    private boolean closed;

    private OriginHttp2Connection(Channel channel, UpstreamProfile profile, Destination destination, Owner owner) {
        this.channel = channel;
        this.remote = (InetSocketAddress) channel.remoteAddress();
        this.destination = destination;
        this.owner = owner;
        this.codec = OriginHttp2Codec.create(profile.limits().headerBytes().toInt(), frames, this);
        this.heads = new DeadlineQueue(channel.eventLoop());
        this.sends = new DeadlineQueue(channel.eventLoop());
        this.silence = new LazyTimer(channel.eventLoop(), this::onSilence);
    }

    /** Makes a connection of a channel that is connected, and sends the preface with the next flush. */
    static OriginHttp2Connection install(
            Channel channel, UpstreamProfile profile, Destination destination, Owner owner) {
        OriginHttp2Connection connection = new OriginHttp2Connection(channel, profile, destination, owner);
        OriginHttp2Codec codec = connection.codec;
        codec.connection().addListener(connection.frames);
        codec.encoder().flowController().listener(connection.frames);
        channel.pipeline().addLast(codec);
        channel.closeFuture().addListener(done -> connection.onChannelClosed());
        connection.silence.set(profile.settingsTimeout());
        connection.scheduleFlush();
        channel.read();
        return connection;
    }

    // For the pool.

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public boolean isAlive() {
        return !closed && !draining && channel.isActive();
    }

    @Override
    public boolean hasRoom() {
        return settled && open < maxStreams && isAlive();
    }

    @Override
    public boolean isIdle() {
        return open == 0;
    }

    @Override
    public void begin(UpstreamListener listener, @Nullable OriginTimeouts patience) {
        OriginHttp2Stream stream = new OriginHttp2Stream(this, listener, used, patience);
        open++;
        used = true;
        if (settled && System.nanoTime() - heardNanos > QUIET.toNanos()) {
            codec.encoder().writePing(context(), false, PING_DATA, context().newPromise());
            silence.set(PING_LIMIT);
            scheduleFlush();
        }
        listener.onReady(stream);
    }

    @Override
    public void retire() {
        draining = true;
        closeWhenUnused();
    }

    // For the streams.

    Channel channel() {
        return channel;
    }

    Destination destination() {
        return destination;
    }

    DeadlineQueue heads() {
        return heads;
    }

    /** Streams whose bodies the origin is to take. */
    DeadlineQueue sends() {
        return sends;
    }

    /** How much more the origin takes of a stream. */
    int window(Http2Stream wire) {
        return codec.encoder().flowController().windowSize(wire);
    }

    /** How long a field section the origin takes. */
    long maxListBytes() {
        return maxListBytes;
    }

    /** Whether the origin takes an extended CONNECT (RFC 8441, 3). */
    boolean takesProtocols() {
        return protocols;
    }

    /**
     * Whether the origin's settings are still to come; then this is run when they have, or never will. There is but one
     * stream on a connection until then.
     */
    boolean awaitsSettings(Runnable task) {
        boolean waits = !settled && !closed && channel.isActive();
        if (waits) {
            onceSettled = task;
        }
        return waits;
    }

    private void runOnceSettled() {
        Runnable task = onceSettled;
        onceSettled = null;
        if (task != null) {
            task.run();
        }
    }

    /** Whether a stream that was begun can be opened now; else nothing of it has been sent, nor will be. */
    boolean canOpen() {
        return !deaf
                && !closed
                && channel.isActive()
                && codec.connection().local().canOpenStream();
    }

    /** Opens a stream with its head. */
    ChannelFuture open(OriginHttp2Stream stream, OutgoingFields fields, boolean end) {
        int id = codec.connection().local().incrementAndGetNextStreamId();
        streams.put(id, stream);
        stream.numbered(id);
        ChannelFuture sent = sendFields(id, fields, end);
        stream.opened(codec.connection().stream(id));
        return sent;
    }

    ChannelFuture sendFields(int id, OutgoingFields fields, boolean end) {
        frames.progress();
        scheduleFlush();
        return codec.encoder()
                .writeHeaders(context(), id, fields, 0, end, context().newPromise());
    }

    ChannelFuture sendData(int id, ByteBuf data, boolean end) {
        frames.progress();
        scheduleFlush();
        return codec.encoder().writeData(context(), id, data, 0, end, context().newPromise());
    }

    boolean isWritable(Http2Stream wire) {
        return codec.encoder().flowController().isWritable(wire);
    }

    void reset(int id, Http2Error error) {
        if (!closed) {
            scheduleFlush();
            codec.encoder()
                    .writeRstStream(context(), id, error.code(), context().newPromise());
        }
    }

    /**
     * A stream is given up for what the origin did not do. When it gives the connection no credit, or takes nothing of what
     * is written, others would only wait for the same end: they get another connection.
     */
    void suspect() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        if (window(codec.connection().connectionStream()) <= 0
                || (unsent != null && unsent.totalPendingWriteBytes() > 0)) {
            draining = true;
        }
    }

    void consumed(Http2Stream wire, int bytes) {
        try {
            if (codec.decoder().flowController().consumeBytes(wire, bytes)) {
                scheduleFlush();
            }
        } catch (Http2Exception e) {
            codec.onError(context(), true, e);
        }
    }

    /** A stream that was begun ends before it was opened. */
    void unopened() {
        released();
    }

    private ChannelHandlerContext context() {
        return codec.context();
    }

    private void scheduleFlush() {
        if (!flushScheduled) {
            flushScheduled = true;
            channel.eventLoop().execute(flush);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        if (!closed) {
            codec.flush(context());
        }
    }

    // For the frames.

    @Nullable OriginHttp2Stream stream(int id) {
        return streams.get(id);
    }

    void onSettings(Http2Settings settings) {
        Long streamLimit = settings.maxConcurrentStreams();
        if (streamLimit != null) {
            maxStreams = (int) Math.min(streamLimit, OriginHttp2Codec.MAX_STREAMS);
        }
        Long listLimit = settings.maxHeaderListSize();
        if (listLimit != null) {
            maxListBytes = listLimit;
        }
        Boolean extended = settings.connectProtocolEnabled();
        if (extended != null) {
            protocols = extended;
        }
        if (!settled) {
            settled = true;
            silence.clear();
            runOnceSettled();
            owner.available();
        } else if (hasRoom()) {
            owner.available();
        }
    }

    private void stopListening() {
        draining = true;
        deaf = true;
    }

    void onGoAway(int lastId, long code) {
        stopListening();
        Http2Error error = Http2Error.valueOf(code);
        forEach(stream -> stream.onGoAway(lastId, error));
        closeWhenUnused();
    }

    /** The origin wants HTTP/1.1 for this (RFC 9113, 7). */
    void requireHttp1() {
        draining = true;
        owner.requiresHttp1();
    }

    void onClosed(int id) {
        OriginHttp2Stream stream = streams.remove(id);
        if (stream != null) {
            stream.onBroken(null);
            stream.onClosed();
            released();
        }
    }

    private void released() {
        open--;
        if (draining) {
            closeWhenUnused();
        } else if (hasRoom()) {
            owner.available();
        }
    }

    private void closeWhenUnused() {
        if (open == 0 && channel.isActive()) {
            codec.goAway(
                    context(),
                    0,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            codec.flush(context());
            channel.close();
        }
    }

    // Faults.

    @Override
    public void heard() {
        heardNanos = System.nanoTime();
        if (settled) {
            silence.clear();
        }
    }

    @Override
    public void streamFault(int streamId, Http2Error error) {
        OriginHttp2Stream stream = streams.get(streamId);
        if (stream != null) {
            stream.onMalformed();
        }
    }

    @Override
    public void connectionFault(Http2Error error) {
        stopListening();
        forEach(stream -> stream.onConnectionFault(error));
    }

    @Override
    public void transportFault(Throwable cause) {
        stopListening();
        forEach(stream -> stream.onBroken(cause));
    }

    /** Nobody is there: nothing is said to anybody, and no stream is waited for. */
    private void onSilence() {
        stopListening();
        forEach(stream -> stream.onBroken(null));
        if (!settled) {
            owner.silent();
        }
        context().close();
    }

    private void onChannelClosed() {
        closed = true;
        heads.cancel();
        sends.cancel();
        silence.cancel();
        forEach(stream -> stream.onBroken(null));
        runOnceSettled();
        owner.closed();
    }

    /** Over a copy: what a stream tells its listener may open and close others. */
    private void forEach(Consumer<OriginHttp2Stream> action) {
        List.copyOf(streams.values()).forEach(action);
    }
}
