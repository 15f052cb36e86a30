package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.PassthroughClient;
import dev.sallyport.core.exchange.RelayListener;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ChannelClosing;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.tls.ConnectionReset;
import dev.sallyport.core.tls.TlsAlert;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Buffers the client's bytes while policy decides and the origin is dialled, then relays or refuses. The first bytes say what
 * is spoken.
 */
abstract class PassthroughHandler extends ChannelInboundHandlerAdapter implements PassthroughClient {

    private static final Logger LOG = LoggerFactory.getLogger(PassthroughHandler.class);

    /** Room beyond the first bytes, so that the handler notices when the client leaves. */
    private static final int READ_AHEAD = 64 * 1024;

    private enum State {
        NEW,
        WAITING,
        JUDGED,
        COUPLED,
        REFUSED
    }

    final ClientConnection connection;
    private final String protocol;
    private final Deadline linger;
    private final Queue<ByteBuf> held = new ArrayDeque<>(2);
    private @Nullable ChannelHandlerContext context;
    private State state = State.NEW;
    private Exchanges.@Nullable Client client;
    private int heldBytes;
    private int mayHold = READ_AHEAD;
    private boolean ended;
    private RelayListener passage = RelayListener.NONE;

    /** @param protocol what is spoken, as records name it */
    PassthroughHandler(ClientConnection connection, String protocol) {
        this.connection = connection;
        this.protocol = protocol;
        this.linger = new Deadline(connection.loop(), connection.channel()::close);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        linger.cancel();
        drop();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf data = (ByteBuf) message;
        if (state == State.REFUSED) {
            data.release();
            return;
        }
        held.add(data);
        heldBytes += data.readableBytes();
        if (state == State.NEW) {
            mayHold += heldBytes;
            start(ctx);
        }
    }

    /** The client has said what is spoken. */
    void start(ChannelHandlerContext ctx) {
        state = State.WAITING;
        connection.requestRead();
        begin(ctx);
    }

    /** Continues what has begun before the client said what is spoken; instead of {@link #start}. */
    final void takeOver(RelayListener begun) {
        state = State.JUDGED;
        passage = begun;
        connection.requestRead();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!ctx.isRemoved() && (state == State.REFUSED || heldBytes < mayHold)) {
            ctx.read();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ended |= event instanceof ChannelInputShutdownEvent;
        ctx.fireUserEventTriggered(event);
    }

    /** Starts as soon as there is a permit. */
    private void begin(ChannelHandlerContext ctx) {
        if (state != State.WAITING || !connection.channel().isActive()) {
            return;
        }
        try {
            Exchanges.Permit permit = asking().tryPermit(connection.loop(), () -> begin(ctx));
            if (permit != null) {
                state = State.JUDGED;
                passage = judge(permit);
            }
        } catch (RuntimeException e) {
            LOG.warn("connection of {} closed by a fault", connection.channel().remoteAddress(), e);
            ctx.close();
        }
    }

    private Exchanges.Client asking() {
        Exchanges.Client known = client;
        if (known == null) {
            known = connection.client(connection.info(protocol));
            client = known;
        }
        return known;
    }

    /** Asks for the verdict, which uses the permit up; it comes in a call of the exchange. */
    abstract RelayListener judge(Exchanges.Permit permit);

    /** What looks for requests among the client's bytes, where those may not be relayed; null for nothing. */
    abstract @Nullable RequestWatch watch();

    /** What the client is told of a refusal, before the connection is closed; null for nothing. */
    abstract @Nullable ByteBuf farewell(ChannelHandlerContext ctx, TlsAlert alert);

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        drop();
        DisconnectReason why = ConnectionDrain.reason(connection.channel(), DisconnectReason.LEFT);
        if (state == State.JUDGED) {
            passage.gone(why);
        } else if (state == State.WAITING) {
            connection.record(
                    asking(),
                    EarlyTermination.gone(why, null, connection.ingress().tunnel()));
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        LOG.debug("connection of {} failed: {}", connection.channel().remoteAddress(), cause.toString());
        ctx.close();
    }

    // Calls of the exchange.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void relay(Channel origin) {
        state = State.COUPLED;
        Queue<ByteBuf> first = new ArrayDeque<>(held);
        held.clear();
        TcpRelay.couple(this, connection.channel(), origin, first, ended, connection.limits(), passage, watch());
    }

    @Override
    public void cutOff() {
        ConnectionReset.reset(connection.channel());
    }

    @Override
    public void refuse(TlsAlert alert) {
        state = State.REFUSED;
        drop();
        ChannelHandlerContext ctx = Objects.requireNonNull(context, "context");
        linger.in(connection.limits().clientIdleTimeout());
        ByteBuf farewell = farewell(ctx, alert);
        if (farewell != null) {
            ctx.write(farewell);
        }
        ChannelClosing.linger(ctx, () -> linger.in(connection.limits().lingerTimeout()));
        ctx.read();
    }

    private void drop() {
        for (ByteBuf data = held.poll(); data != null; data = held.poll()) {
            data.release();
        }
    }
}
