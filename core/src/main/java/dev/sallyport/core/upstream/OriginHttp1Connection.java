package dev.sallyport.core.upstream;

import dev.sallyport.core.http1.ChunkWriter;
import dev.sallyport.core.meter.HeapExhaustion;
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
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection: owns the channel, reads on demand, flushes once for all that one turn of the loop writes,
 * and passes decoded messages to the open stream. Confined to its loop.
 */
final class OriginHttp1Connection extends ChannelInboundHandlerAdapter implements UpstreamConnection {

    private final Channel channel;
    private final InetSocketAddress remote;
    private final Destination destination;
    private final Owner owner;
    private final OriginHttp1Decoder decoder;
    private final ChunkWriter chunks = new ChunkWriter();
    private final LazyTimer headTimer;
    private final Runnable flush = this::flushScheduled;
    private final boolean secure;
    private @Nullable OriginHttp1Stream stream;
    private @Nullable OriginTimeouts patience;
    private boolean answered;
    private final LazyTimer sendTimer;
    private @Nullable SendStallDetector sends;
    private boolean used;
    private boolean flushScheduled;
    private boolean properlyClosed;
    private boolean raw;
    private boolean closed;

    private OriginHttp1Connection(Channel channel, int maxHeadBytes, Destination destination, Owner owner) {
        this.channel = channel;
        this.remote = (InetSocketAddress) channel.remoteAddress();
        this.destination = destination;
        this.owner = owner;
        this.decoder = new OriginHttp1Decoder(maxHeadBytes, this::onUnexpectedBytes);
        this.headTimer = new LazyTimer(channel.eventLoop(), this::onHeadTimeout);
        this.sendTimer = new LazyTimer(channel.eventLoop(), this::checkSends);
        this.secure = channel.pipeline().get(SslHandler.class) != null;
    }

    /** Makes a connection of a connected channel whose automatic reading is off. */
    static OriginHttp1Connection install(Channel channel, int maxHeadBytes, Destination destination, Owner owner) {
        OriginHttp1Connection connection = new OriginHttp1Connection(channel, maxHeadBytes, destination, owner);
        channel.pipeline().addLast(connection.decoder, connection);
        channel.closeFuture().addListener(done -> connection.onClosed());
        return connection;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public boolean isAlive() {
        return !closed && channel.isActive();
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
    public void begin(UpstreamListener listener, @Nullable OriginTimeouts limits) {
        patience = limits;
        answered = false;
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

    Channel channel() {
        return channel;
    }

    Destination destination() {
        return destination;
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
        OriginTimeouts limits = patience;
        if (limits == null || answered) {
            return written;
        }
        SendStallDetector watch = sends;
        if (watch == null) {
            watch = new SendStallDetector(
                    limits.body(), this::unsent, () -> false, sendTimer::set, this::onSendTimeout);
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
        OriginTimeouts limits = patience;
        if (limits != null) {
            headTimer.set(limits.head());
        }
    }

    /** The final head has come: there is no limit any more on sending the rest. */
    void stopAwaitingHead() {
        stopTimers();
        answered = true;
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
            decoder.rest();
            channel.read(); // to see it close
            owner.available();
        } else {
            channel.close();
        }
    }

    /** The stream has ended early. */
    void discard() {
        stream = null;
        stopTimers();
        channel.close();
    }

    /** Bytes pass unchanged from here on. Over TLS the end of one half is the end of both. */
    void becomeRaw() {
        raw = true;
        if (!secure) {
            channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        channel.pipeline().remove(decoder);
    }

    /** Ends this half when everything has been written. */
    void endOutput() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (tls != null) {
                tls.closeOutbound();
            } else if (channel instanceof DuplexChannel duplex && channel.isActive()) {
                duplex.shutdownOutput();
            }
        });
    }

    /** Closes when everything has been written, of which the origin must take some from time to time. */
    void closeAfterWrites() {
        stream = null;
        ChannelFuture last = writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        OriginTimeouts limits = patience;
        if (limits != null) {
            SendStallDetector watch =
                    new SendStallDetector(limits.body(), this::unsent, () -> false, sendTimer::set, this::reset);
            sends = watch;
            watch.sent(last);
        }
    }

    /** Closes in a way that the origin cannot mistake for a regular end. */
    void reset() {
        stream = null;
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
        } else if (raw && message instanceof ByteBuf bytes) {
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
        if (!closed) {
            closed = true;
            headTimer.cancel();
            sendTimer.cancel();
            owner.closed();
        }
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
