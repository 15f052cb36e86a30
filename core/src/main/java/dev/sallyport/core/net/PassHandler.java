package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Gone;
import dev.sallyport.core.exchange.HelloFacts;
import dev.sallyport.core.exchange.Passage;
import dev.sallyport.core.exchange.PassedClient;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.meter.Exhaustion;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds what the client sends while its host is judged and its origin dialled, then couples the two, or refuses. The first
 * bytes that come are the whole ClientHello.
 */
final class PassHandler extends ChannelInboundHandlerAdapter implements PassedClient {

    private static final Logger LOG = LoggerFactory.getLogger(PassHandler.class);

    /** Beyond the ClientHello, so that a client that leaves is seen. */
    private static final int READ_AHEAD = 64 * 1024;

    private enum State {
        NEW,
        WAITING,
        JUDGED,
        COUPLED,
        REFUSED
    }

    private final Entry entry;
    private final ClientHello hello;
    private final int port;
    private final Deadline linger;
    private final Queue<ByteBuf> held = new ArrayDeque<>(2);
    private @Nullable ChannelHandlerContext context;
    private State state = State.NEW;
    private Exchanges.@Nullable Client client;
    private int heldBytes;
    private int mayHold = READ_AHEAD;
    private Passage passage = Passage.NONE;

    /**
     * @param entry within TLS
     * @param port where to, unless the way in says otherwise
     */
    PassHandler(Entry entry, ClientHello hello, int port) {
        this.entry = entry;
        this.hello = hello;
        this.port = port;
        this.linger = new Deadline(entry.loop(), entry.channel()::close);
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
            state = State.WAITING;
            entry.requestRead();
            begin(ctx);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!ctx.isRemoved() && (state == State.REFUSED || heldBytes < mayHold)) {
            ctx.read();
        }
    }

    /** As soon as there is a permit. */
    private void begin(ChannelHandlerContext ctx) {
        if (state != State.WAITING || !entry.channel().isActive()) {
            return;
        }
        try {
            Exchanges.Permit permit = asking().tryPermit(entry.loop(), () -> begin(ctx));
            if (permit != null) {
                state = State.JUDGED;
                judge(permit);
            }
        } catch (RuntimeException e) {
            LOG.warn("connection of {} closed by a fault", entry.channel().remoteAddress(), e);
            ctx.close();
        }
    }

    private Exchanges.Client asking() {
        Exchanges.Client known = client;
        if (known == null) {
            known = entry.client(entry.info(Entry.TLS));
            client = known;
        }
        return known;
    }

    private void judge(Exchanges.Permit permit) {
        HelloFacts facts = new HelloFacts(hello.ech());
        String sni = entry.entrance().sni();
        if (sni == null) {
            Refusal unnamed =
                    new Refusal(400, "no_server_name", "the ClientHello names no server", "http_request_error");
            permit.refuse(this, entry.entrance().tunnel(), facts, unnamed);
            return;
        }
        Destination destination;
        try {
            destination = DestinationResolver.passed(entry.entrance(), sni, port);
        } catch (Refused e) {
            permit.refuse(this, e.destination(), facts, e.refusal());
            return;
        }
        passage = permit.pass(this, destination, facts);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        drop();
        Gone why = Connections.gone(entry.channel(), Gone.LEFT);
        if (state == State.JUDGED) {
            passage.gone(why);
        } else if (state == State.WAITING) {
            entry.record(asking(), Ended.gone(why, null, entry.entrance().tunnel()));
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Exhaustion.note(cause);
        LOG.debug("connection of {} failed: {}", entry.channel().remoteAddress(), cause.toString());
        ctx.close();
    }

    // What the exchange tells.

    @Override
    public EventLoop loop() {
        return entry.loop();
    }

    @Override
    public void relay(Channel origin) {
        state = State.COUPLED;
        Queue<ByteBuf> first = new ArrayDeque<>(held);
        held.clear();
        Relay.couple(this, entry.channel(), origin, first, entry.limits(), passage);
    }

    @Override
    public void refuse(TlsAlert alert) {
        state = State.REFUSED;
        drop();
        ChannelHandlerContext ctx = Objects.requireNonNull(context, "context");
        linger.in(entry.limits().idleTimeout());
        ctx.write(alert.record(ctx.alloc(), hello.version()));
        Endings.linger(ctx, () -> linger.in(entry.limits().lingerTimeout()));
        ctx.read();
    }

    private void drop() {
        for (ByteBuf data = held.poll(); data != null; data = held.poll()) {
            data.release();
        }
    }
}
