package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.http1.ResponseHeadWriter;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ChannelClosing;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.net.connection.StallDetector;
import dev.sallyport.core.net.connection.TunnelInterior;
import dev.sallyport.core.net.http1.ClientHttp1Decoder.Malformed;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.tls.ConnectionReset;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that speaks HTTP/1.1: one exchange after the other, in the order of the requests. Reads as far as there
 * is credit, and a little ahead, so that it sees the client leave.
 */
public final class ClientHttp1Connection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHttp1Connection.class);

    private enum State {
        OPEN,
        /** Another protocol, after 101. */
        RAW,
        /** The last byte has been written; what still comes is thrown away. */
        CLOSING,
        /** Another stage has taken over, or the connection is closed. */
        LEFT
    }

    private final ClientConnection connection;
    private final ClientHttp1Decoder decoder;
    private final RequestAdmission reception;
    private final Deadline deadline;
    private final StallDetector stall;
    private @Nullable ChannelHandlerContext context;
    private @Nullable CoalescingWriter outbox;
    private State state = State.OPEN;

    /** Whether decoding waits until the client reads what was written. */
    private boolean held;

    private @Nullable ClientHttp1Exchange exchange;
    private long received;
    private boolean inHead;
    private boolean inputEnded;

    /** Why the connection closes, unless the proxy's end closes it. */
    private DisconnectReason leaving = DisconnectReason.LEFT;

    public ClientHttp1Connection(ClientConnection connection, ClientHttp1Decoder decoder) {
        this.connection = connection;
        this.decoder = decoder;
        this.reception = new RequestAdmission(this, connection, decoder);
        this.deadline = new Deadline(connection.loop(), this::late);
        this.stall = new StallDetector(connection.loop(), connection.limits(), new StallProbe(this));
    }

    // What the channel tells.

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        outbox = new CoalescingWriter(ctx, decoder);
        if (!connection.ingress().secure()) {
            // Over TLS only an alert ends one half, and both TLS libraries then end the other.
            ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        deadline.in(connection.limits().idleTimeout());
        if (ctx.channel().isActive()) {
            ctx.read();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        deadline.cancel();
        stall.cancel();
        state = State.LEFT;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch (state) {
            case CLOSING, LEFT -> ReferenceCountUtil.release(message);
            case RAW -> raw(message);
            case OPEN -> {
                if (message instanceof HttpRequest request) {
                    deadline.clear();
                    reception.head(request);
                } else if (message instanceof HttpContent content) {
                    content(content);
                } else if (message instanceof Malformed malformed) {
                    malformed(malformed);
                } else {
                    ReferenceCountUtil.release(message);
                }
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        settle();
        outbox().flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        stall.check();
        if (!ctx.channel().isWritable()) {
            return;
        }
        if (held && state == State.OPEN) {
            held = false;
            next();
        } else if (exchange != null) {
            exchange.writable();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ConnectionDrain) {
            settle();
        } else if (event instanceof ChannelInputShutdownEvent) {
            inputEnded();
        } else if (event instanceof SslCloseCompletionEvent close && state != State.CLOSING) {
            if (state == State.RAW && close.isSuccess()) {
                inputEnded();
            }
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        deadline.cancel();
        stall.cancel();
        state = State.CLOSING;
        reception.clear();
        ClientHttp1Exchange current = exchange;
        exchange = null;
        if (current != null) {
            current.gone(gone());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        if (!ChannelClosing.isFault(cause)) {
            LOG.debug("connection of {} failed: {}", reception.info().peer(), cause.toString());
        } else {
            leaving = DisconnectReason.FAULT;
            LOG.warn("connection of {} closed by a fault", reception.info().peer(), cause);
        }
        giveUp(leaving);
    }

    /**
     * A client may half-close after its request and still receive the response; in mid-message it is treated as gone.
     */
    private void inputEnded() {
        inputEnded = true;
        ClientHttp1Exchange current = exchange;
        if (state == State.RAW && current != null) {
            current.rawEnded();
            stall.check();
        } else if (state == State.CLOSING || (current != null && !current.isRequestComplete())) {
            channel().close();
        } else {
            settle();
        }
    }

    private void late() {
        if (state != State.OPEN) {
            channel().close();
        } else if (exchange == null && !reception.isPending()) {
            if (decoder.inHead()) {
                decoder.discard();
                reception.refuse(DecodedRequest.late());
            } else {
                channel().close();
            }
        }
    }

    // Requests.

    private void content(HttpContent content) {
        received += content.content().readableBytes();
        if (reception.end(content)) {
            return;
        }
        if (exchange != null && !exchange.isRequestComplete()) {
            exchange.received(content);
        } else {
            content.release();
        }
    }

    private void malformed(Malformed malformed) {
        if (exchange != null) {
            exchange.broken(malformed.refusal());
        } else {
            reception.refuse(malformed.outline().refused(connection.ingress(), malformed.refusal()));
        }
    }

    // What the reception of requests asks for.

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** An exchange for this request. */
    ClientHttp1Exchange open(DecodedRequest next) {
        ClientHttp1Exchange opened = new ClientHttp1Exchange(this, outbox(), next);
        exchange = opened;
        return opened;
    }

    /** There is a permit for the request that waits. */
    void permitted(Runnable start) {
        try {
            start.run();
            if (!reception.isWaiting() && exchange != null && !exchange.isRequestComplete()) {
                decoder.resume();
            }
            settle();
        } catch (RuntimeException e) {
            exceptionCaught(context(), e);
        }
    }

    /** The tunnel that was asked for is open; its inside takes over, with the bytes that the decoder holds. */
    void becomeTunnel(ClientConnection inside) {
        exchange = null;
        decoder.releaseHead();
        context().writeAndFlush(ResponseHeadWriter.established());
        channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        context().pipeline().replace(this, TunnelInterior.STAGE, inside.interior());
        inside.channel().pipeline().remove(decoder);
    }

    // What an exchange tells.

    /** The request has been received to its end: the next one waits until this one is answered. */
    void requestComplete() {
        decoder.pause();
    }

    /** The response has been written to its end. */
    void finished(ClientHttp1Exchange done) {
        if (exchange != done) {
            return;
        }
        exchange = null;
        decoder.releaseHead();
        if (state == State.RAW || !done.reusable() || isDraining()) {
            close(!done.isRequestComplete() || state == State.RAW || decoder.buffered() > 0);
            return;
        }
        // Keeps a client that never reads from filling memory with responses.
        held = !channel().isWritable();
        next();
    }

    private void next() {
        if (!held) {
            decoder.resume();
        }
        if (!decoder.decoding()) {
            settle();
        }
    }

    /** The exchange gave up: the client must not take what it got for a complete message. */
    void aborted(boolean reset) {
        state = State.CLOSING;
        exchange = null;
        decoder.discard();
        if (reset) {
            outbox().flush();
            ConnectionReset.reset(channel());
        } else {
            channel().close();
        }
    }

    /** After 101; bytes that are here already follow. */
    void switchProtocol() {
        connection.loop().execute(() -> {
            if (state == State.OPEN && exchange != null) {
                state = State.RAW;
                context().pipeline().remove(decoder);
                if (inputEnded) {
                    inputEnded();
                }
                settle();
            }
        });
    }

    /** Ends the half towards the client, after 101. */
    void endOutput() {
        ChannelClosing.endOutput(context());
    }

    /** Whether the response that begins now is to be the last. */
    boolean isDraining() {
        return ConnectionDrain.isDraining(channel());
    }

    // For the watch.

    @Nullable ClientHttp1Exchange exchange() {
        return exchange;
    }

    boolean isInputEnded() {
        return inputEnded;
    }

    /** Bytes of bodies that have arrived. */
    long received() {
        return received;
    }

    long written() {
        return outbox().written();
    }

    /** Ends the connection over the head of its exchange. */
    void giveUp(DisconnectReason why) {
        leaving = why;
        if (state == State.RAW) {
            ConnectionReset.reset(channel());
        } else {
            channel().close();
        }
    }

    /** Why nobody is left to answer, once the connection has closed. */
    DisconnectReason gone() {
        return ConnectionDrain.reason(channel(), leaving);
    }

    /** What still comes is thrown away. */
    void discardInput() {
        decoder.discard();
    }

    EventLoop loop() {
        return connection.loop();
    }

    // Inside.

    /** Updates timers and reading to match the state. */
    private void settle() {
        if (state == State.OPEN && exchange == null && !reception.isPending()) {
            boolean head = decoder.inHead();
            if ((inputEnded && !held) || (isDraining() && !head)) {
                close(false);
                return;
            }
            if (!head) {
                deadline.in(connection.limits().idleTimeout());
            } else if (!inHead) {
                deadline.in(connection.limits().headerReadTimeout());
            }
            inHead = head;
        } else {
            inHead = false;
        }
        readMore();
    }

    /** Reads, as far as there is credit. */
    void readMore() {
        stall.check();
        if (wantsMore()) {
            context().read();
        }
    }

    boolean wantsMore() {
        if (inputEnded || reception.isWaiting() || held) {
            return false;
        }
        ClientHttp1Exchange current = exchange;
        return switch (state) {
            case CLOSING -> true;
            case LEFT -> false;
            case RAW -> current != null && current.outstanding() < ClientHttp1Decoder.WINDOW;
            case OPEN -> current == null || current.outstanding() + decoder.buffered() < ClientHttp1Decoder.WINDOW;
        };
    }

    private void raw(Object message) {
        ClientHttp1Exchange current = exchange;
        if (current != null && message instanceof ByteBuf data) {
            current.receivedRaw(data);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void close(boolean linger) {
        state = State.CLOSING;
        decoder.discard();
        deadline.in(connection.limits().idleTimeout());
        if (linger && !inputEnded) {
            ChannelClosing.linger(
                    context(), () -> deadline.in(connection.limits().lingerTimeout()));
            readMore();
        } else {
            ChannelClosing.closeAfterWrites(context());
        }
    }

    Channel channel() {
        return connection.channel();
    }

    private CoalescingWriter outbox() {
        return Objects.requireNonNull(outbox, "outbox");
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "context");
    }
}
