package dev.sallyport.core.net.http2;

import static dev.sallyport.core.net.http2.ClientHttp2State.CLOSING;
import static dev.sallyport.core.net.http2.ClientHttp2State.DRAINING;
import static dev.sallyport.core.net.http2.ClientHttp2State.DRAIN_ANNOUNCED;
import static dev.sallyport.core.net.http2.ClientHttp2State.OPEN;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeadAccount;
import dev.sallyport.core.http2.ConnectionErrorException;
import dev.sallyport.core.http2.FrameReader;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.FrameWriter;
import dev.sallyport.core.http2.PeerSettings;
import dev.sallyport.core.http2.StreamTable;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.CallerLookup;
import dev.sallyport.core.net.connection.ChannelClosing;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.net.request.DecodedRequest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that speaks HTTP/2: many exchanges at a time, each a stream. Always keeps reading, because the streams'
 * windows bound what they may send; begins a request only when there is a permit, and when the client takes what is
 * written for it.
 */
public final class ClientHttp2Connection extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHttp2Connection.class);
    private static final long DRAIN_PING = 0x73616c6c79706f72L;

    /** What the client is to send next, as far as there is a deadline for it. */
    private enum Due {
        NOTHING,
        /** The rest of a header block. */
        BLOCK,
        /** A request: no stream is open. */
        REQUEST
    }

    private final ClientConnection connection;
    private final ConnectionInfo info;
    private final CallerLookup callerInfo;
    private final HeadAccount heads;
    private final RefusedStreamRecorder refused;
    private final StreamTable<ClientHttp2Stream> streams = new StreamTable<>();

    /** Requests that were read but have not begun: there is no permit, or the client does not read. */
    private final Queue<ClientHttp2Stream> waiting = new ArrayDeque<>(2);

    private final Deadline deadline;

    /** The deadline for the answer to SETTINGS, and to the PING of a drain. */
    private final Deadline answerDue;

    private final Deadline stalls;
    private final LingeringStreams linger;
    private @Nullable FrameReader reader;
    private @Nullable FrameScheduler output;
    private ClientHttp2State state = OPEN;
    private Due due = Due.NOTHING;

    /** The reason why the connection closes, unless the shutdown of the proxy closes it. */
    private DisconnectReason leaving = DisconnectReason.LEFT;

    /** A permit has been asked for and not been granted. */
    private boolean permitAwaited;

    private boolean requestsRead;
    private long unwritableSince = -1;

    public ClientHttp2Connection(ClientConnection connection) {
        this.connection = connection;
        this.info = connection.info(ClientConnection.HTTP_2);
        this.callerInfo = new CallerLookup(connection, info);
        this.heads = connection.heads();
        this.refused = new RefusedStreamRecorder(connection, info);
        this.deadline = new Deadline(connection.loop(), this::late);
        this.answerDue = new Deadline(connection.loop(), this::answerLate);
        this.stalls = new Deadline(connection.loop(), this::lookAtTime);
        this.linger =
                new LingeringStreams(connection.loop(), connection.limits().lingerTimeout(), this::reset);
    }

    // Events of the channel.

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        PeerSettings settings = new PeerSettings(PeerSettings.Peer.CLIENT);
        FrameScheduler out = new FrameScheduler(ctx, settings);
        ClientHttp2FrameHandler dispatch = new ClientHttp2FrameHandler(this, connection, heads, streams, out, settings);
        output = out;
        reader = FrameReader.fromClient(
                ctx.alloc(), 2 * connection.limits().headerBytes().toInt(), heads, dispatch);
        dispatch.sendPreface();
        deadline.in(connection.limits().headerReadTimeout());
        answerDue.in(connection.limits().headerReadTimeout());
        ctx.read();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        release();
        output().close();
    }

    private void release() {
        state = state.closed();
        deadline.cancel();
        answerDue.cancel();
        stalls.cancel();
        linger.cancel();
        reader().close();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        output().batchBegins();
        try {
            boolean more = true;
            while (more && state != CLOSING) {
                more = reader().read(in);
            }
        } catch (ConnectionErrorException fault) {
            fail(fault.code(), fault.detail());
        }
        if (state == CLOSING) {
            in.skipBytes(in.readableBytes());
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        // Incomplete messages stay incomplete.
    }

    /** Always asks for more: windows, not reading, hold a client back. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        discardSomeReadBytes();
        output().batchEnded();
        settle();
        ctx.read();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            beginWaiting();
            output().flush();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ConnectionDrain) {
            drain();
        } else if (event instanceof SslCloseCompletionEvent && state != CLOSING) {
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        release();
        endStreams();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        if (!ChannelClosing.isFault(cause)) {
            LOG.debug("connection of {} failed: {}", info.peer(), cause.toString());
        } else {
            leaving = DisconnectReason.FAULT;
            LOG.warn("connection of {} closed by a fault", info.peer(), cause);
        }
        ctx.close();
    }

    // Streams.

    /** A request has been read. */
    void opened(ClientHttp2Stream exchange) {
        requestsRead = true;
        connection.requestRead();
        if (due == Due.REQUEST) {
            due = Due.NOTHING;
        }
        deadline.clear();
        if (streams.size() == 1) {
            stalls.in(connection.limits().clientIdleTimeout());
        }
        waiting.add(exchange);
        if (!permitAwaited) {
            beginWaiting();
        }
    }

    /** A stream is being refused before it is a request. */
    void refused(RefusedStreamRecorder.RefusalReason why) {
        requestsRead = true;
        connection.requestRead();
        refused.add(why);
    }

    private void permitted() {
        permitAwaited = false;
        try {
            beginWaiting();
        } catch (RuntimeException e) {
            connection.channel().pipeline().fireExceptionCaught(e);
            connection.channel().close();
        }
    }

    /** Begins waiting requests, as far as there are permits and the client reads its answers. */
    private void beginWaiting() {
        while (!permitAwaited && !waiting.isEmpty() && connection.channel().isWritable()) {
            ClientHttp2Stream next = waiting.element();
            if (streams.get(next.id()) != next) {
                waiting.remove(); // The connection's end has been recorded.
                continue;
            }
            Exchanges.Permit permit = callerInfo.of(next.request()).tryPermit(connection.loop(), this::permitted);
            if (permit == null) {
                permitAwaited = true;
            } else {
                waiting.remove();
                begin(next, permit);
            }
        }
    }

    private void begin(ClientHttp2Stream exchange, Exchanges.Permit permit) {
        DecodedRequest request = exchange.request();
        exchange.permitted();
        Refusal refusal = request.refusal();
        if (refusal != null) {
            permit.refuse(exchange, request.head(), request.destination(), refusal);
        } else {
            exchange.begun(permit.begin(
                    exchange,
                    Objects.requireNonNull(request.head(), "head"),
                    Objects.requireNonNull(request.destination(), "destination"),
                    request.upgrade()));
        }
    }

    /** Both sides have ended a stream. */
    void finished(ClientHttp2Stream exchange) {
        close(exchange, false);
    }

    /** A stream has been answered before the client ended its request. */
    void linger(ClientHttp2Stream exchange) {
        linger.add(exchange);
    }

    /** The client has reset a stream, or the connection is gone. */
    void gone(ClientHttp2Stream exchange) {
        close(exchange, false);
        exchange.gone(gone());
    }

    /** The reason why the client cannot be answered. */
    private DisconnectReason gone() {
        return ConnectionDrain.reason(connection.channel(), leaving);
    }

    /** Ends a stream that the exchange has given up, or whose request is no longer wanted. */
    void reset(ClientHttp2Stream exchange, Http2Error code) {
        if (streams.get(exchange.id()) == exchange) {
            close(exchange, true);
            output().reset(exchange.id(), code);
        }
    }

    /** Resets a stream and tells its exchange. */
    void cancel(ClientHttp2Stream exchange, Http2Error code, DisconnectReason why) {
        reset(exchange, code);
        exchange.gone(why);
    }

    private void close(ClientHttp2Stream exchange, boolean resetHere) {
        streams.close(exchange.id(), resetHere);
        exchange.held().left();
        if (!exchange.isPermitted()) {
            waiting.remove(exchange); // nothing of it stays, however long others wait for permits
            DecodedRequest unbegun = exchange.request();
            connection.record(
                    callerInfo.of(unbegun), EarlyTermination.gone(gone(), unbegun.head(), unbegun.destination()));
        }
        if (streams.isEmpty()) {
            settle();
        }
    }

    // The connection.

    boolean isDraining() {
        return state == DRAINING;
    }

    EventLoop loop() {
        return connection.loop();
    }

    void settingsAcknowledged() {
        if (state == OPEN) {
            answerDue.cancel();
        }
    }

    void pingAcknowledged(long data) {
        if (data == DRAIN_PING) {
            refuseMore();
        }
    }

    /** Updates the timer to match the state. */
    private void settle() {
        if (state == CLOSING) {
            return;
        }
        Due next = due();
        switch (next) {
            case BLOCK -> {
                if (due != Due.BLOCK) {
                    deadline.in(connection.limits().headerReadTimeout());
                }
            }
            case REQUEST -> {
                if (state == DRAINING) {
                    close(Http2Error.NO_ERROR, "");
                } else if (due != Due.REQUEST) {
                    deadline.in(connection.limits().clientIdleTimeout());
                }
            }
            case NOTHING -> {
                if (due == Due.BLOCK) {
                    deadline.clear();
                }
            }
        }
        due = next;
    }

    private Due due() {
        if (reader().inBlock()) {
            return Due.BLOCK;
        }
        return streams.isEmpty() && !reader().inPreface() ? Due.REQUEST : Due.NOTHING;
    }

    private void late() {
        if (state == CLOSING) {
            connection.channel().close();
        } else if (reader().inPreface() || reader().inBlock()) {
            fail(Http2Error.PROTOCOL_ERROR, "the head of a request, or the preface, did not arrive in time");
        } else if (streams.isEmpty()) {
            close(Http2Error.NO_ERROR, "");
        }
    }

    private void answerLate() {
        if (state == DRAIN_ANNOUNCED) {
            refuseMore();
        } else if (state == OPEN && !reader().inPreface()) {
            fail(Http2Error.SETTINGS_TIMEOUT, "the client does not acknowledge SETTINGS");
        }
    }

    private void lookAtTime() {
        if (state == CLOSING || streams.isEmpty()) {
            return;
        }
        long toGo = connection.channel().bytesBeforeWritable();
        if (toGo > 0 && toGo == unwritableSince) {
            leaving = DisconnectReason.UNREAD;
            connection.channel().close();
            return;
        }
        unwritableSince = toGo > 0 ? toGo : -1;
        for (ClientHttp2Stream exchange : streams.snapshot()) {
            exchange.lookAtTime();
        }
        if (!streams.isEmpty()) {
            stalls.in(connection.limits().clientIdleTimeout());
        }
    }

    /** Announces the end first, so that no request crosses with it (RFC 9113, 6.8). */
    private void drain() {
        if (state != OPEN) {
            return;
        }
        state = state.drainAnnounced();
        if (streams.isEmpty()) {
            close(Http2Error.NO_ERROR, "");
        } else {
            output().write(FrameWriter.goAway(output().allocator(), Integer.MAX_VALUE, Http2Error.NO_ERROR, ""));
            output().write(FrameWriter.ping(output().allocator(), false, DRAIN_PING));
            answerDue.in(connection.limits().headerReadTimeout());
        }
    }

    private void refuseMore() {
        if (state == DRAIN_ANNOUNCED) {
            state = state.drains();
            output().write(FrameWriter.goAway(output().allocator(), streams.last(), Http2Error.NO_ERROR, ""));
            settle();
        }
    }

    /** The client has broken the protocol: the connection ends, with a record. */
    private void fail(Http2Error code, String detail) {
        String name = "http2_" + code.name().toLowerCase(Locale.ROOT);
        LOG.debug("connection of {} ends: {}: {}", info.peer(), name, detail);
        leaving = DisconnectReason.BROKE_PROTOCOL;
        close(code, detail);
        connection.broken(info, new Refusal(400, name, detail, "http_request_error"), requestsRead);
    }

    private void close(Http2Error code, String detail) {
        if (state == CLOSING) {
            return;
        }
        state = state.closes();
        answerDue.cancel();
        stalls.cancel();
        linger.cancel();
        deadline.in(connection.limits().clientIdleTimeout());
        output().write(FrameWriter.goAway(output().allocator(), streams.last(), code, detail));
        output().flush();
        endStreams();
        ChannelClosing.linger(
                output().context(), () -> deadline.in(connection.limits().lingerTimeout()));
    }

    private void endStreams() {
        waiting.clear();
        for (ClientHttp2Stream exchange : streams.snapshot()) {
            gone(exchange);
        }
    }

    private FrameReader reader() {
        return Objects.requireNonNull(reader, "reader");
    }

    private FrameScheduler output() {
        return Objects.requireNonNull(output, "output");
    }
}
