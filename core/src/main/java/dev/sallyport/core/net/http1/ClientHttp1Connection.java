package dev.sallyport.core.net.http1;

import static dev.sallyport.core.net.http1.ClientHttp1State.ADMITTING;
import static dev.sallyport.core.net.http1.ClientHttp1State.AWAITING_HEAD;
import static dev.sallyport.core.net.http1.ClientHttp1State.BACKPRESSURED;
import static dev.sallyport.core.net.http1.ClientHttp1State.CLOSING;
import static dev.sallyport.core.net.http1.ClientHttp1State.IN_EXCHANGE;
import static dev.sallyport.core.net.http1.ClientHttp1State.UPGRADED;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http1.ResponseHeadWriter;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.loop.PacedReads;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ChannelClosing;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.net.connection.TunnelInterior;
import dev.sallyport.core.net.http1.ClientHttp1Decoder.Malformed;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.net.request.PartialRequest;
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
 * A connection that speaks HTTP/1.1: one exchange after the other, in the order of the requests, read on its {@link
 * ClientHalf}. Its state is a {@link ClientHttp1State}, which changes here alone; a transition that the state does not
 * have closes the connection as a fault.
 */
public final class ClientHttp1Connection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHttp1Connection.class);

    private static final Refusal LATE = Refusal.timeout("the head of the request did not arrive in time");

    private final ClientConnection connection;
    private final ClientHttp1Decoder decoder;
    private final ClientHalf half;
    private final RequestAdmission admission;
    private final Deadline deadline;
    private @Nullable ChannelHandlerContext context;
    private @Nullable CoalescingWriter writer;
    private ClientHttp1State state = AWAITING_HEAD;

    /** The request that has been read and not begun, in {@code AWAITING_END} and {@code ADMITTING}. */
    private @Nullable DecodedRequest pending;

    /** The exchange, in {@code IN_EXCHANGE} and {@code UPGRADED}. */
    private @Nullable ClientHttp1Exchange exchange;

    /** The reason why the connection closes, unless the shutdown of the proxy closes it. */
    private DisconnectReason leaving = DisconnectReason.LEFT;

    /** @param reads what paces the reads of this connection */
    public ClientHttp1Connection(ClientConnection connection, ClientHttp1Decoder decoder, PacedReads reads) {
        this.connection = connection;
        this.decoder = decoder;
        this.half = new ClientHalf(this, connection, decoder, reads);
        this.admission = new RequestAdmission(connection);
        this.deadline = new Deadline(connection.loop(), this::late);
    }

    // Events of the channel.

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        writer = new CoalescingWriter(ctx, decoder);
        half.open(ctx, connection.ingress().secure() || connection.ingress().proxyTls());
        deadline.in(connection.limits().clientIdleTimeout());
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
        half.cancel();
        state = state.closed();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch (state) {
            case CLOSING, HANDED_OVER, CLOSED -> ReferenceCountUtil.release(message);
            case UPGRADED -> raw(message);
            default -> decoded(message);
        }
    }

    private void decoded(Object message) {
        if (message instanceof HttpRequest request) {
            deadline.clear();
            head(request);
        } else if (message instanceof HttpContent content) {
            content(content);
        } else if (message instanceof Malformed malformed) {
            malformed(malformed);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        settle();
        writer().flush();
        half.passAlert();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        half.check();
        if (!ctx.channel().isWritable()) {
            return;
        }
        if (state == BACKPRESSURED) {
            state = state.writable();
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
        } else if (event instanceof SslCloseCompletionEvent close && state != CLOSING) {
            if (state == UPGRADED && close.isSuccess()) {
                inputEnded();
                if (ClientHalf.endsAlone(ctx)) {
                    return;
                }
            }
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        deadline.cancel();
        half.cancel();
        state = state.closed();
        DecodedRequest unbegun = pending;
        ClientHttp1Exchange current = exchange;
        pending = null;
        exchange = null;
        if (unbegun != null) {
            admission.gone(unbegun, gone());
        } else if (current != null) {
            current.gone(gone());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        if (!ChannelClosing.isFault(cause)) {
            LOG.debug("connection of {} failed: {}", admission.info().peer(), cause.toString());
        } else {
            leaving = DisconnectReason.FAULT;
            decoder.discard();
            LOG.warn("connection of {} closed by a fault", admission.info().peer(), cause);
        }
        giveUp(leaving);
    }

    /**
     * A client may close its half after its request and still receive the response; in mid-message it is treated as
     * gone.
     */
    private void inputEnded() {
        half.end();
        switch (state) {
            case UPGRADED -> {
                current().rawEnded();
                half.check();
            }
            case CLOSING -> channel().close();
            case IN_EXCHANGE -> {
                if (current().isRequestComplete()) {
                    settle();
                } else {
                    channel().close();
                }
            }
            case ADMITTING -> {
                // Whoever has left and whoever only sends no more look alike: neither waits for a permit for ever.
                deadline.in(connection.limits().clientIdleTimeout());
                settle();
            }
            default -> settle();
        }
    }

    private void late() {
        switch (state) {
            case READING_HEAD -> {
                PartialRequest outline = decoder.begun();
                decoder.discard();
                try {
                    refuse(outline.refused(connection.ingress(), LATE));
                } catch (RuntimeException e) {
                    exceptionCaught(context(), e);
                }
            }
            case ADMITTING -> {
                if (half.hasEnded()) {
                    channel().close();
                }
            }
            case AWAITING_END, IN_EXCHANGE -> {}
            default -> channel().close();
        }
    }

    // Requests.

    private void head(HttpRequest request) {
        DecodedRequest next = admission.read(request);
        state = state.headDecoded(next.bodyless());
        pending = next;
        if (state == ADMITTING) {
            admit(next);
        }
    }

    private void content(HttpContent content) {
        half.received(content.content().readableBytes());
        ClientHttp1Exchange current = exchange;
        if (current != null && !current.isRequestComplete()) {
            current.received(content);
            return;
        }
        content.release();
        if (current == null && state != ADMITTING) {
            state = state.endDecoded();
            decoder.pause();
            admit(Objects.requireNonNull(pending, "pending"));
        }
    }

    private void malformed(Malformed malformed) {
        if (state == IN_EXCHANGE) {
            current().broken(malformed.refusal());
        } else {
            refuse(malformed.outline().refused(connection.ingress(), malformed.refusal()));
        }
    }

    /** What has arrived cannot be understood, or did not arrive in time. */
    private void refuse(DecodedRequest refused) {
        state = state.refused();
        pending = refused;
        admit(refused);
    }

    /** Begins the pending request as soon as there is a permit. */
    private void admit(DecodedRequest next) {
        Exchanges.Permit permit = admission.tryPermit(next, this::permitted);
        if (permit == null) {
            decoder.pause();
            return;
        }
        ClientHttp1Exchange begun = new ClientHttp1Exchange(this, writer(), next);
        state = state.admitted();
        pending = null;
        exchange = begun;
        if (next.malformed()) {
            decoder.discard();
        }
        ClientConnection inside = admission.begin(begun, next, permit);
        if (inside != null) {
            becomeTunnel(inside);
        }
    }

    /** A permit for the waiting request may be available. */
    private void permitted() {
        DecodedRequest next = pending;
        if (state != ADMITTING || next == null) {
            return;
        }
        try {
            admit(next);
            if (state == IN_EXCHANGE && !current().isRequestComplete()) {
                decoder.resume();
            }
            settle();
        } catch (RuntimeException e) {
            exceptionCaught(context(), e);
        }
    }

    /** The requested tunnel is open; its interior takes over. */
    private void becomeTunnel(ClientConnection inside) {
        state = state.handedOver();
        exchange = null;
        decoder.releaseHead();
        context().writeAndFlush(ResponseHeadWriter.established());
        channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        context().pipeline().replace(this, TunnelInterior.STAGE, inside.interior());
        inside.channel().pipeline().remove(decoder);
    }

    // Events of an exchange.

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
        try {
            if (state == UPGRADED || !done.reusable() || isDraining()) {
                close(!done.isRequestComplete() || state == UPGRADED || decoder.buffered() > 0);
            } else {
                // Keeps a client that never reads from filling memory with responses.
                state = state.answered(channel().isWritable());
                next();
            }
        } catch (IllegalStateException e) {
            exceptionCaught(context(), e);
        }
    }

    private void next() {
        if (state == AWAITING_HEAD) {
            decoder.resume();
        }
        if (!decoder.emitting()) {
            settle();
            half.passAlert();
        }
    }

    /** The exchange has given up: the client must not mistake what it got for a complete message. */
    void aborted(boolean reset) {
        try {
            state = state.aborted();
        } catch (IllegalStateException e) {
            exceptionCaught(context(), e);
            return;
        }
        exchange = null;
        decoder.discard();
        writer().flush();
        if (reset) {
            ConnectionReset.reset(channel());
        } else {
            channel().close();
        }
    }

    /** After 101; bytes that have already arrived follow. */
    void switchProtocol() {
        connection.loop().execute(() -> {
            try {
                upgraded();
            } catch (RuntimeException e) {
                exceptionCaught(context(), e);
            }
        });
    }

    private void upgraded() {
        if (state == IN_EXCHANGE) {
            state = state.upgraded();
            context().pipeline().remove(decoder);
            if (half.hasEnded()) {
                inputEnded();
            }
            settle();
        }
    }

    /** Closes the half towards the client, after 101. */
    void endOutput() {
        ChannelClosing.endOutput(context());
    }

    /** Whether the response that begins now is the last. */
    boolean isDraining() {
        return ConnectionDrain.isDraining(channel());
    }

    /** Ends the connection through the exchange's failure. */
    void giveUp(DisconnectReason why) {
        leaving = why;
        if (state == UPGRADED) {
            ConnectionReset.reset(channel());
        } else {
            channel().close();
        }
    }

    /** The reason why the client cannot be answered, once the connection has closed. */
    private DisconnectReason gone() {
        return ConnectionDrain.reason(channel(), leaving);
    }

    EventLoop loop() {
        return connection.loop();
    }

    ClientHttp1State state() {
        return state;
    }

    /** The exchange; null where there is none. */
    @Nullable ClientHttp1Exchange exchange() {
        return exchange;
    }

    // Internals.

    /** Updates timers and reading to match the state. */
    private void settle() {
        boolean begun = decoder.inHead();
        boolean ends = switch (state) {
            case AWAITING_HEAD -> half.hasEnded() || (isDraining() && !begun);
            case READING_HEAD -> half.hasEnded();
            case BACKPRESSURED -> isDraining();
            default -> false;
        };
        if (ends) {
            close(false);
            return;
        }
        if (state == AWAITING_HEAD && begun) {
            state = state.headBegins();
            deadline.in(connection.limits().headerReadTimeout());
        } else if (state == AWAITING_HEAD || state == BACKPRESSURED) {
            deadline.in(connection.limits().clientIdleTimeout());
        }
        readMore();
    }

    /** Reads, as far as there is credit. */
    void readMore() {
        half.read();
    }

    private void raw(Object message) {
        if (message instanceof ByteBuf data) {
            current().receivedRaw(data);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void close(boolean linger) {
        state = state.closes();
        decoder.discard();
        deadline.in(connection.limits().clientIdleTimeout());
        if (linger && !half.hasEnded()) {
            ChannelClosing.linger(
                    context(), () -> deadline.in(connection.limits().lingerTimeout()));
            readMore();
        } else {
            ChannelClosing.closeAfterWrites(context());
        }
    }

    private Channel channel() {
        return connection.channel();
    }

    /** The exchange, in {@code IN_EXCHANGE} and {@code UPGRADED}. */
    ClientHttp1Exchange current() {
        return Objects.requireNonNull(exchange, "exchange");
    }

    CoalescingWriter writer() {
        return Objects.requireNonNull(writer, "writer");
    }

    ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "context");
    }
}
