package dev.sallyport.core.upstream;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.FrameWriter;
import dev.sallyport.core.http2.PeerSettings;
import dev.sallyport.core.http2.StreamTable;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2Error;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection (RFC 9113): counts its streams against what the origin allows, flushes once for what is written
 * in one turn of the loop, and ends when it is told to and the last stream is gone. Until the origin's first SETTINGS
 * frame it takes no stream but the first. Confined to its loop.
 */
final class OriginHttp2Connection implements UpstreamConnection {

    /** After so long without a frame, a new stream is accompanied by a PING that tells whether anybody is there. */
    private static final Duration QUIET = Duration.ofSeconds(30);

    private static final Duration PING_LIMIT = Duration.ofSeconds(10);
    private static final long PING_DATA = 0x73616c6c79L;
    private static final int MAX_STREAM_ID = Integer.MAX_VALUE - 2;

    private final Channel channel;
    private final InetSocketAddress remote;
    private final Destination destination;
    private final Owner owner;
    private final OriginHttp2Codec codec;
    private final DeadlineQueue heads;
    private final DeadlineQueue sends;
    private final LazyTimer silence;
    private final StreamTable<OriginHttp2Stream> streams = new StreamTable<>();

    /** Streams whose callers wait until more is taken; some may have gone on since. */
    private final Queue<OriginHttp2Stream> waiting = new ArrayDeque<>(2);

    private final Runnable tellReleased = this::tellReleased;
    private @Nullable OriginHttp2FrameHandler frames;
    private @Nullable PeerSettings settings;

    /** Streams that were begun and have not ended, opened or not. */
    private int open;

    private long heardNanos = System.nanoTime();
    private boolean settled;
    private @Nullable Runnable onceSettled;
    private boolean used;
    /** Takes no stream that has not begun. */
    private boolean draining;

    /** Nor one that has begun and is not open: the origin would not look at it. */
    private boolean deaf;

    private boolean closed;

    private OriginHttp2Connection(Channel channel, UpstreamProfile profile, Destination destination, Owner owner) {
        this.channel = channel;
        this.remote = (InetSocketAddress) channel.remoteAddress();
        this.destination = destination;
        this.owner = owner;
        this.codec = new OriginHttp2Codec(this, profile.limits().headerBytes().toInt());
        this.heads = new DeadlineQueue(channel.eventLoop());
        this.sends = new DeadlineQueue(channel.eventLoop());
        this.silence = new LazyTimer(channel.eventLoop(), this::onSilence);
    }

    /** Makes a connection of a channel that is connected, and sends the preface with the next flush. */
    static OriginHttp2Connection install(
            Channel channel, UpstreamProfile profile, Destination destination, Owner owner) {
        OriginHttp2Connection connection = new OriginHttp2Connection(channel, profile, destination, owner);
        channel.pipeline().addLast(connection.codec);
        channel.closeFuture().addListener(done -> connection.onChannelClosed());
        connection.silence.set(profile.settingsTimeout());
        channel.read();
        return connection;
    }

    /** The codec is in the pipeline. */
    void attached(OriginHttp2FrameHandler handler, PeerSettings peer) {
        frames = handler;
        settings = peer;
    }

    private OriginHttp2FrameHandler frames() {
        return Objects.requireNonNull(frames, "frames");
    }

    private PeerSettings settings() {
        return Objects.requireNonNull(settings, "settings");
    }

    FrameScheduler output() {
        return codec.output();
    }

    StreamTable<OriginHttp2Stream> streams() {
        return streams;
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
        return settled && open < maxStreams() && isAlive();
    }

    private int maxStreams() {
        return Math.min(settings().maxConcurrentStreams(), OriginHttp2FrameHandler.MAX_STREAMS);
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
            output().write(FrameWriter.ping(output().allocator(), false, PING_DATA));
            silence.set(PING_LIMIT);
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

    /** Whether the origin takes an extended CONNECT (RFC 8441, 3). */
    boolean takesProtocols() {
        return settings().connectProtocol();
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
                && streams.last() < MAX_STREAM_ID
                && streams.size() < settings().maxConcurrentStreams();
    }

    /** Encodes a request, to be opened at once; null when it is longer than the origin accepts. */
    @Nullable ByteBuf encode(RequestMessage head, @Nullable String protocol) {
        return output().encode(head, destination.secure() ? "https" : "http", destination.authority(), protocol);
    }

    /** Opens a stream with its encoded head. */
    void open(OriginHttp2Stream stream, ByteBuf head, boolean end) {
        int id = streams.last() == 0 ? 1 : streams.last() + 2;
        streams.last(id);
        stream.opened(id, settings().initialWindow());
        streams.add(stream);
        frames().progress();
        output().headers(stream, head, end);
    }

    /** A stream has something in its outbox. */
    void ready(OriginHttp2Stream stream) {
        frames().progress();
        output().ready(stream);
    }

    /** A stream has been told to wait until there is credit. */
    void awaitsCredit(OriginHttp2Stream stream) {
        waiting.add(stream);
    }

    /** The connection's window has grown. */
    void creditGranted() {
        for (int left = waiting.size(); left > 0; left--) {
            OriginHttp2Stream stream = waiting.remove();
            if (!stream.leavesCreditQueue()) {
                waiting.add(stream);
            }
        }
    }

    /** Ends a stream with RST_STREAM; does nothing to one that has ended. */
    void reset(OriginHttp2Stream stream, Http2Error error) {
        if (!closed && remove(stream, true)) {
            output().reset(stream.id(), error);
            channel.eventLoop().execute(tellReleased); // not inside of what the caller does
        }
    }

    /**
     * A stream is given up for what the origin did not do. When it gives the connection no credit, or takes nothing of what
     * is written, others would only wait for the same end: they get another connection.
     */
    void suspect() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        if (output().window() <= 0 || (unsent != null && unsent.totalPendingWriteBytes() > 0)) {
            draining = true;
        }
    }

    void consumed(OriginHttp2Stream stream, int bytes) {
        if (!closed && streams.get(stream.id()) == stream) {
            frames().consumed(stream, bytes);
        }
    }

    /** This side of a stream has ended; with the other side, the stream. */
    void localEnded(OriginHttp2Stream stream) {
        if (stream.isRemoteEnded()) {
            ended(stream);
        }
    }

    /** A stream that was begun ends before it was opened. */
    void unopened() {
        released();
    }

    // For the frames.

    void onSettings() {
        if (!settled) {
            settled = true;
            silence.clear();
            runOnceSettled();
            owner.available();
        } else if (hasRoom()) {
            owner.available();
        }
    }

    /** The origin has broken a stream: resets it. */
    void breakOff(OriginHttp2Stream stream, Http2Error error) {
        stream.onMalformed();
        if (remove(stream, true)) {
            output().reset(stream.id(), error);
            tellReleased();
        }
    }

    /** The origin has ended its side of a stream; with this side, the stream. */
    void remoteEnded(OriginHttp2Stream stream) {
        stream.remoteEnded();
        if (stream.isLocalEnded()) {
            ended(stream);
        }
    }

    /** Both sides have ended a stream, or the origin has reset it. */
    void ended(OriginHttp2Stream stream) {
        if (remove(stream, false)) {
            stream.onBroken(null);
            tellReleased();
        }
    }

    private boolean remove(OriginHttp2Stream stream, boolean resetHere) {
        if (stream.id() == 0 || streams.get(stream.id()) != stream) {
            return false;
        }
        streams.close(stream.id(), resetHere);
        stream.onClosed();
        int unconsumed = stream.inbox().backlog();
        if (unconsumed > 0) {
            frames().consumed(unconsumed);
        }
        open--;
        return true;
    }

    private void stopListening() {
        draining = true;
        deaf = true;
    }

    void onGoAway(int lastId, long code) {
        stopListening();
        Http2Error error = Http2Error.valueOf(code);
        forEach(stream -> {
            stream.onGoAway(lastId, error);
            if (stream.id() > lastId) {
                ended(stream);
            }
        });
        closeWhenUnused();
    }

    /** The origin wants HTTP/1.1 for this (RFC 9113, 7). */
    void requireHttp1() {
        draining = true;
        owner.requiresHttp1();
    }

    private void released() {
        open--;
        tellReleased();
    }

    private void tellReleased() {
        if (draining) {
            closeWhenUnused();
        } else if (hasRoom()) {
            owner.available();
        }
    }

    private void closeWhenUnused() {
        if (open == 0 && channel.isActive()) {
            codec.close(Http2Error.NO_ERROR, "");
        }
    }

    // Faults.

    /** Something has been read. */
    void heard() {
        heardNanos = System.nanoTime();
        if (settled) {
            silence.clear();
        }
    }

    /** The origin has broken HTTP/2; the connection is about to be closed. */
    void connectionFault(Http2Error error) {
        stopListening();
        forEach(stream -> stream.onConnectionFault(error));
    }

    /** Reading or writing has failed; the connection is about to be closed. */
    void transportFault(Throwable cause) {
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
        codec.finish();
        channel.close();
    }

    private void onChannelClosed() {
        closed = true;
        heads.cancel();
        sends.cancel();
        silence.cancel();
        forEach(stream -> {
            stream.onBroken(null);
            stream.onClosed();
        });
        runOnceSettled();
        owner.closed();
    }

    /** Over a copy: what a stream tells its listener may open and close others. */
    private void forEach(Consumer<OriginHttp2Stream> action) {
        streams.snapshot().forEach(action);
    }
}
