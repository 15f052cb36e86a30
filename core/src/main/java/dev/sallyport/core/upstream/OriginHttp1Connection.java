package dev.sallyport.core.upstream;

import dev.sallyport.core.http1.ChunkWriter;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.loop.PacedReads;
import dev.sallyport.core.loop.Transition;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.tls.ConnectionReset;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection: owns the channel, reads on demand, flushes once for each turn of the loop, and passes
 * decoded messages to the open stream. Confined to its loop.
 */
final class OriginHttp1Connection extends ChannelInboundHandlerAdapter implements UpstreamConnection {

    /** The progress of the exchange on the connection. */
    private enum Phase {
        /** There is none, or there has been none yet. */
        IDLE,
        AWAITING_HEAD,
        /** The final head has arrived. */
        ANSWERED,
        /** The channel is closed, or is being closed. */
        CLOSED;

        Phase begins() {
            return to(AWAITING_HEAD, "begins", IDLE);
        }

        Phase answered() {
            return to(ANSWERED, "answered", AWAITING_HEAD);
        }

        Phase completes() {
            return to(IDLE, "completes", ANSWERED);
        }

        /** The decoder may still report what it holds when the channel has closed. */
        private Phase to(Phase next, String event, Phase source) {
            return this == CLOSED ? CLOSED : Transition.check(this, next, event, source);
        }
    }

    private final Channel channel;
    private final OriginEndpoint endpoint;
    private final @Nullable Parent forwarding;
    private final Destination destination;
    private final Owner owner;
    private final PacedReads reads;
    private final OriginHttp1Decoder decoder;
    private final ChunkWriter chunks = new ChunkWriter();
    private final Deadline headTimer;
    private final Runnable flush = this::flushScheduled;
    private final boolean secure;

    /** Whether the origin can end its half before this one: false when TLS is used, with the origin or with a parent. */
    private final boolean halves;

    private @Nullable OriginHttp1Stream stream;
    private @Nullable OriginTimeouts timeouts;
    private Phase phase = Phase.IDLE;
    private final Deadline sendTimer;
    private @Nullable SendStallDetector sends;
    private boolean used;
    private boolean flushScheduled;
    private boolean properlyClosed;

    private OriginHttp1Connection(
            Channel channel,
            int maxHeadBytes,
            Destination destination,
            OriginEndpoint endpoint,
            boolean forwarded,
            Owner owner) {
        this.channel = channel;
        this.endpoint = endpoint;
        this.forwarding = forwarded ? endpoint.via() : null;
        this.destination = destination;
        this.owner = owner;
        this.reads = new PacedReads(channel.eventLoop());
        this.decoder = new OriginHttp1Decoder(maxHeadBytes, this::onUnexpectedBytes);
        this.headTimer = new Deadline(channel.eventLoop(), this::onHeadTimeout);
        this.sendTimer = new Deadline(channel.eventLoop(), this::checkSends);
        this.secure = OriginTlsHandshakeHandler.tls(channel) != null;
        this.halves = channel.pipeline().get(SslHandler.class) == null;
    }

    /**
     * Makes a connection of a connected channel whose automatic reading is off.
     *
     * @param forwarded whether the channel leads to a parent that gets requests in absolute form
     */
    static OriginHttp1Connection install(
            Channel channel,
            int maxHeadBytes,
            Destination destination,
            OriginEndpoint endpoint,
            boolean forwarded,
            Owner owner) {
        OriginHttp1Connection connection =
                new OriginHttp1Connection(channel, maxHeadBytes, destination, endpoint, forwarded, owner);
        channel.pipeline().addLast(connection.reads, connection.decoder, connection);
        channel.closeFuture().addListener(done -> connection.onClosed());
        return connection;
    }

    @Override
    public OriginEndpoint endpoint() {
        return endpoint;
    }

    @Override
    public boolean isAlive() {
        return phase != Phase.CLOSED && channel.isActive();
    }

    @Override
    public boolean hasRoom() {
        return stream == null && isAlive();
    }

    @Override
    public boolean isIdle() {
        return stream == null;
    }

    @Override
    public void begin(UpstreamListener listener, Object client, @Nullable OriginTimeouts limits) {
        reads.onBehalfOf(client);
        timeouts = limits;
        phase = phase.begins();
        sends = null;
        OriginHttp1Stream opened = new OriginHttp1Stream(this, listener, used);
        used = true;
        stream = opened;
        channel.read();
        listener.onReady(opened);
    }

    @Override
    public void retire() {
        if (stream == null) {
            channel.close();
        }
    }

    // For the stream.

    @Override
    public Channel channel() {
        return channel;
    }

    @Override
    public Destination destination() {
        return destination;
    }

    /** The parent that receives the requests in absolute form; null when the connection leads to the origin itself. */
    @Nullable Parent forwarding() {
        return forwarding;
    }

    OriginHttp1Decoder decoder() {
        return decoder;
    }

    /** Each chunk is complete when it is flushed. */
    ChunkWriter chunks() {
        return chunks;
    }

    /** Whether the end of the connection is known to be intended by the origin: only TLS can tell (RFC 8446, 6.1). */
    boolean endIsGenuine() {
        return !secure || properlyClosed;
    }

    /** Writes, and flushes at the end of this turn of the loop. */
    ChannelFuture write(ByteBuf data) {
        if (!flushScheduled) {
            flushScheduled = true;
            channel.eventLoop().execute(flush);
        }
        return channel.write(data);
    }

    /** Writes a part of the request, which the origin must take in time until its response begins. */
    ChannelFuture writeTimed(ByteBuf data) {
        ChannelFuture written = write(data);
        OriginTimeouts limits = timeouts;
        if (limits == null || phase != Phase.AWAITING_HEAD) {
            return written;
        }
        SendStallDetector watch = sends;
        if (watch == null) {
            watch = new SendStallDetector(limits.body(), this::unsent, () -> false, sendTimer::in, this::onSendTimeout);
            sends = watch;
        }
        watch.sent(written);
        return written;
    }

    /** How much the transport holds, in bytes, partially written buffers included. */
    private long unsent() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }

    ChannelFuture writeAndFlush(ByteBuf data) {
        flushScheduled = false;
        return channel.writeAndFlush(data);
    }

    private void flushScheduled() {
        if (flushScheduled) {
            flushScheduled = false;
            ByteBuf chunkEnd = chunks.complete();
            if (chunkEnd != null) {
                channel.write(chunkEnd);
            }
            channel.flush();
        }
    }

    void awaitHead() {
        OriginTimeouts limits = timeouts;
        if (limits != null) {
            headTimer.in(limits.head());
        }
    }

    /** The final head has arrived: sending the rest has no time limit. */
    void stopAwaitingHead() {
        stopTimers();
        phase = phase.answered();
    }

    private void stopTimers() {
        headTimer.clear();
        sendTimer.clear();
    }

    /** The stream is complete; the connection returns to its pool if it can be used again. */
    void complete(boolean reusable) {
        stream = null;
        stopTimers();
        if (reusable && isAlive() && !decoder.hasLeftover()) {
            phase = phase.completes();
            decoder.rest();
            channel.read(); // to see it close
            owner.available();
        } else {
            phase = Phase.CLOSED;
            channel.close();
        }
    }

    /** The stream has ended early. */
    void discard() {
        stream = null;
        phase = Phase.CLOSED;
        stopTimers();
        channel.close();
    }

    /** Passes bytes unchanged from now on. Over TLS the end of the origin's half ends both. */
    void becomeRaw() {
        if (halves) {
            channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        channel.pipeline().remove(decoder);
    }

    /** Ends this half when everything has been written. */
    void endOutput() {
        SslHandler own = OriginTlsHandshakeHandler.tls(channel);
        SslHandler tls = own == null ? channel.pipeline().get(SslHandler.class) : own;
        writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (tls != null) {
                tls.closeOutbound();
            } else if (channel instanceof DuplexChannel duplex && channel.isActive()) {
                duplex.shutdownOutput();
            }
        });
    }

    /** Closes when everything has been written; the origin must keep making progress. */
    void closeAfterWrites() {
        stream = null;
        phase = Phase.CLOSED;
        ChannelFuture last = writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        OriginTimeouts limits = timeouts;
        if (limits != null) {
            SendStallDetector watch =
                    new SendStallDetector(limits.body(), this::unsent, () -> false, sendTimer::in, this::reset);
            sends = watch;
            watch.sent(last);
        }
    }

    /** Closes in a way that the origin cannot mistake for a regular end. */
    void reset() {
        stream = null;
        phase = Phase.CLOSED;
        stopTimers();
        channel.flush();
        ConnectionReset.reset(channel);
    }

    // For the channel.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        OriginHttp1Stream current = stream;
        if (current == null) {
            ReferenceCountUtil.release(message);
            channel.close();
        } else if (message instanceof HttpResponse response) {
            current.onResponse(response);
            ReferenceCountUtil.release(message);
        } else if (message instanceof LastHttpContent last) {
            current.onLast(last);
        } else if (message instanceof HttpContent content) {
            current.onData(content.content());
        } else if (message instanceof ByteBuf bytes) {
            // Only after a 101 does the decoder let bytes pass, or is gone.
            current.onData(bytes);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        OriginHttp1Stream current = stream;
        if (current == null || current.wantsMore()) {
            context.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        OriginHttp1Stream current = stream;
        if (current != null && channel.isWritable()) {
            current.onWritable();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslCloseCompletionEvent close) {
            properlyClosed |= close.isSuccess();
            if (close.isSuccess()) {
                channel.close();
            }
        } else if (event instanceof ChannelOutputShutdownEvent && stream != null) {
            stream.onOutputClosed();
        } else if (event instanceof ChannelInputShutdownEvent && stream != null) {
            stream.onInputEnded();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        HeapExhaustion.note(cause);
        OriginHttp1Stream current = stream;
        if (current != null) {
            current.onBroken(cause);
        }
        channel.close();
    }

    /** The decoder has already seen the end: a body that lasts until the close has ended. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        OriginHttp1Stream current = stream;
        if (current != null) {
            current.onBroken(null);
        }
    }

    private void onClosed() {
        phase = Phase.CLOSED;
        headTimer.cancel();
        sendTimer.cancel();
        owner.closed();
    }

    private void onUnexpectedBytes() {
        OriginHttp1Stream current = stream;
        if (current != null) {
            current.onUnexpectedBytes();
        }
        channel.close();
    }

    private void checkSends() {
        SendStallDetector watch = sends;
        if (watch != null) {
            watch.check();
        }
    }

    private void onSendTimeout() {
        OriginHttp1Stream current = stream;
        if (current != null) {
            current.onSendTimeout();
        }
    }

    private void onHeadTimeout() {
        OriginHttp1Stream current = stream;
        if (current != null) {
            current.onHeadTimeout();
        }
    }
}
