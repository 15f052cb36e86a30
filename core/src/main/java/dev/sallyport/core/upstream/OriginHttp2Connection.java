package dev.sallyport.core.upstream;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.FrameWriter;
import dev.sallyport.core.http2.HeadCuts;
import dev.sallyport.core.http2.PeerSettings;
import dev.sallyport.core.http2.StreamTable;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.loop.PacedReads;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2Error;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection (RFC 9113): limits its streams to what the origin allows, flushes once for each turn of the
 * loop, and closes after it was retired and the last stream has ended. Until the origin's first SETTINGS frame it takes
 * only one stream. Confined to its loop.
 */
final class OriginHttp2Connection implements UpstreamConnection {

    /**
     * After this time without a frame, a new stream is accompanied by a PING that shows whether the origin is alive.
     */
    private static final Duration QUIET = Duration.ofSeconds(30);

    private static final Duration PING_LIMIT = Duration.ofSeconds(10);
    private static final long PING_DATA = 0x73616c6c79L;
    private static final int MAX_STREAM_ID = Integer.MAX_VALUE - 2;

    /** Which streams the connection takes. It only advances to a later state. */
    private enum State {
        OPEN,
        /** No stream that has not begun. */
        DRAINING,
        /** Nor one that has begun and is not open: the origin would not process it. */
        GOING_AWAY,
        CLOSED
    }

    private final Channel channel;
    private final OriginEndpoint endpoint;
    private final Destination destination;
    private final Owner owner;
    private final OriginHttp2Codec codec;
    private final DeadlineQueue heads;
    private final DeadlineQueue sends;
    private final Deadline silence;
    private final StreamTable<OriginHttp2Stream> streams = new StreamTable<>();

    /** Streams whose callers wait for credit; some may have resumed since. */
    private final Queue<OriginHttp2Stream> waiting = new ArrayDeque<>(2);

    private final Runnable tellReleased = this::tellReleased;
    private @Nullable OriginHttp2FrameHandler frames;
    private @Nullable PeerSettings settings;

    /** The number of streams that have begun and not ended, opened or not. */
    private int open;

    private long heardNanos = System.nanoTime();
    private boolean settled;
    private @Nullable Runnable onceSettled;
    private boolean used;
    private State state = State.OPEN;

    private OriginHttp2Connection(
            Channel channel, UpstreamProfile profile, Destination destination, OriginEndpoint endpoint, Owner owner) {
        this.channel = channel;
        this.endpoint = endpoint;
        this.destination = destination;
        this.owner = owner;
        this.codec = new OriginHttp2Codec(this, profile.limits().headerBytes().toInt());
        this.heads = new DeadlineQueue(channel.eventLoop());
        this.sends = new DeadlineQueue(channel.eventLoop());
        this.silence = new Deadline(channel.eventLoop(), this::onSilence);
    }

    /** Makes a connection of a connected channel, and sends the preface with the next flush. */
    static OriginHttp2Connection install(
            Channel channel, UpstreamProfile profile, Destination destination, OriginEndpoint endpoint, Owner owner) {
        OriginHttp2Connection connection = new OriginHttp2Connection(channel, profile, destination, endpoint, owner);
        channel.pipeline().addLast(new PacedReads(channel.eventLoop(), new HeadCuts(0)), connection.codec);
        channel.closeFuture().addListener(done -> connection.onChannelClosed());
        connection.silence.in(profile.settingsTimeout());
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
    public OriginEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public boolean isAlive() {
        return state == State.OPEN && channel.isActive();
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
    public void begin(UpstreamListener listener, Object client, @Nullable OriginTimeouts timeouts) {
        OriginHttp2Stream stream = new OriginHttp2Stream(this, listener, used, timeouts);
        open++;
        used = true;
        if (settled && System.nanoTime() - heardNanos > QUIET.toNanos()) {
            output().write(FrameWriter.ping(output().allocator(), false, PING_DATA));
            silence.in(PING_LIMIT);
        }
        listener.onReady(stream);
    }

    @Override
    public void retire() {
        advance(State.DRAINING);
        closeWhenUnused();
    }

    // For the streams.

    @Override
    public Channel channel() {
        return channel;
    }

    @Override
    public Destination destination() {
        return destination;
    }

    DeadlineQueue heads() {
        return heads;
    }

    /** The deadlines for the bodies that streams send. */
    DeadlineQueue sends() {
        return sends;
    }

    /** Whether the origin takes an extended CONNECT (RFC 8441, 3). */
    boolean takesProtocols() {
        return settings().connectProtocol();
    }

    /**
     * Whether the origin's SETTINGS are still to arrive; if so, runs the task when they have arrived or the connection
     * has closed. Until then a connection has only one stream.
     */
    boolean awaitsSettings(Runnable task) {
        boolean waits = !settled && state != State.CLOSED && channel.isActive();
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

    /** Whether a stream that has begun can be opened now. If not, nothing of it has been or will be sent. */
    boolean canOpen() {
        return (state == State.OPEN || state == State.DRAINING)
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

    /** A stream has something to send. */
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
        if (state != State.CLOSED && remove(stream, true)) {
            output().reset(stream.id(), error);
            channel.eventLoop().execute(tellReleased); // not inside of what the caller does
        }
    }

    /**
     * A stream was given up because the origin made no progress. If the origin gives the connection no credit, or reads
     * nothing, other streams would end in the same way: they get another connection.
     */
    void suspect() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        if (output().window() <= 0 || (unsent != null && unsent.totalPendingWriteBytes() > 0)) {
            advance(State.DRAINING);
        }
    }

    void consumed(OriginHttp2Stream stream, int bytes) {
        if (state != State.CLOSED && streams.get(stream.id()) == stream) {
            frames().consumed(stream, bytes);
        }
    }

    /** This side of a stream has ended; the stream ends if the other side has ended. */
    void localEnded(OriginHttp2Stream stream) {
        if (stream.isRemoteEnded()) {
            ended(stream);
        }
    }

    /** A stream that has begun ends before it was opened. */
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

    /** Resets a stream whose message the origin malformed. */
    void breakOff(OriginHttp2Stream stream, Http2Error error) {
        stream.onMalformed();
        if (remove(stream, true)) {
            output().reset(stream.id(), error);
            tellReleased();
        }
    }

    /** The origin has ended its side of a stream; the stream ends if this side has ended. */
    void remoteEnded(OriginHttp2Stream stream) {
        if (stream.remoteEnded()) {
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
        int unconsumed = stream.receiveWindow().backlog();
        if (unconsumed > 0) {
            frames().consumed(unconsumed);
        }
        open--;
        return true;
    }

    private void advance(State next) {
        if (next.compareTo(state) > 0) {
            state = next;
        }
    }

    void onGoAway(int lastId, long code) {
        advance(State.GOING_AWAY);
        Http2Error error = Http2Error.valueOf(code);
        forEach(stream -> {
            stream.onGoAway(lastId, error);
            if (stream.id() > lastId) {
                ended(stream);
            }
        });
        closeWhenUnused();
    }

    /** The origin requires HTTP/1.1 for a request (RFC 9113, 7). */
    void requireHttp1() {
        advance(State.DRAINING);
        owner.requiresHttp1();
    }

    private void released() {
        open--;
        tellReleased();
    }

    private void tellReleased() {
        if (state != State.OPEN) {
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

    /** Bytes have been read. */
    void heard() {
        heardNanos = System.nanoTime();
        if (settled) {
            silence.clear();
        }
    }

    /** The origin has violated HTTP/2; the connection is about to close. */
    void connectionFault(Http2Error error) {
        advance(State.GOING_AWAY);
        forEach(stream -> stream.onConnectionFault(error));
    }

    /** Reading or writing has failed; the connection is about to close. */
    void transportFault(Throwable cause) {
        advance(State.GOING_AWAY);
        forEach(stream -> stream.onBroken(cause));
    }

    /** The origin does not respond: closes without GOAWAY and without waiting for streams. */
    private void onSilence() {
        advance(State.GOING_AWAY);
        forEach(stream -> stream.onBroken(null));
        if (!settled) {
            owner.silent();
        }
        codec.finish();
        channel.close();
    }

    private void onChannelClosed() {
        state = State.CLOSED;
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

    /** Iterates over a copy: a listener may open and close streams. */
    private void forEach(Consumer<OriginHttp2Stream> action) {
        streams.snapshot().forEach(action);
    }
}
