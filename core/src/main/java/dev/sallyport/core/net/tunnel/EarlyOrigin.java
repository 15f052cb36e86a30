package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.EarlyPassage;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.PassthroughClient;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
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
 * The origin of a client that is silent: in some protocols, such as SMTP, FTP and MySQL, the server speaks first. It is judged
 * and dialled as other TCP is that is relayed, and not at all where none is.
 *
 * <p>A handler takes over what has begun once the origin has spoken, or the client shows that it speaks neither HTTP nor TLS.
 * Where one of these is spoken, the connection is closed without a byte having been sent, and what was begun is forgotten. On
 * the client's loop.
 */
public final class EarlyOrigin implements PassthroughClient {

    private static final Logger LOG = LoggerFactory.getLogger(EarlyOrigin.class);

    private final ClientConnection connection;
    private final Destination destination;
    private final Runnable spoken;
    private final Exchanges.Client asking;
    private @Nullable EarlyPassage passage;
    private @Nullable Greeting greeting;

    /** The handler that has taken over. */
    private @Nullable PassthroughHandler relay;

    private boolean over;

    /**
     * @param destination which the client has named before it sent anything
     * @param spoken called once when the origin has sent its first bytes, unless these are of HTTP or TLS; they are held
     */
    public EarlyOrigin(ClientConnection connection, Destination destination, Runnable spoken) {
        this.connection = connection;
        this.destination = destination;
        this.spoken = spoken;
        this.asking = connection.client(connection.info(ClientConnection.TCP));
    }

    /** Starts as soon as there is a permit. */
    public void begin() {
        if (isOver() || !connection.channel().isActive()) {
            return;
        }
        Exchanges.Permit permit = asking.tryPermit(connection.loop(), this::begin);
        if (permit != null) {
            passage = permit.passEarly(this, destination);
        }
    }

    private boolean isOver() {
        return over || relay != null;
    }

    /** HTTP or TLS is spoken. No effect once a handler has taken over. */
    public void revoke() {
        if (isOver()) {
            return;
        }
        over = true;
        EarlyPassage begun = passage;
        if (begun != null) {
            begun.revoke();
        }
        closeOrigin();
    }

    /** Nobody has said anything in time. Returns whether that is recorded; the client's connection is the caller's to close. */
    public boolean expired(Refusal why) {
        EarlyPassage begun = end();
        if (begun != null) {
            begun.expired(why);
        }
        return begun != null;
    }

    /** The client leaves, or is made to, and has said nothing. */
    public void gone() {
        EarlyPassage begun = end();
        if (begun != null) {
            Channel client = connection.channel();
            begun.gone(ConnectionDrain.reason(
                    client, ConnectionDrain.isDraining(client) ? DisconnectReason.CUT_OFF : DisconnectReason.LEFT));
        }
    }

    /** Returns what is to be recorded; null for nothing. */
    private @Nullable EarlyPassage end() {
        EarlyPassage begun = passage;
        if (isOver() || begun == null) {
            over = true;
            return null;
        }
        over = true;
        closeOrigin();
        connection.requestRead();
        return begun;
    }

    /** Lets a handler take over what has begun. Returns false when there is nothing, and the handler begins by itself. */
    boolean handOver(PassthroughHandler to) {
        EarlyPassage begun = passage;
        if (isOver() || begun == null) {
            over = true;
            return false;
        }
        relay = to;
        to.takeOver(begun);
        begun.commit();
        Greeting heard = greeting;
        if (heard != null) {
            to.relay(heard.origin);
            heard.deliver();
        }
        return true;
    }

    private void closeOrigin() {
        Greeting heard = greeting;
        greeting = null;
        if (heard != null) {
            heard.origin.close();
        }
    }

    // Calls of the exchange.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void relay(Channel origin) {
        PassthroughHandler by = relay;
        if (by != null) {
            by.relay(origin);
            return;
        }
        greeting = new Greeting(origin);
        origin.pipeline().addLast(greeting);
        origin.read();
    }

    @Override
    public void cutOff() {
        PassthroughHandler by = relay;
        if (by != null) {
            by.cutOff();
        } else {
            closeOrigin();
        }
    }

    @Override
    public void refuse(TlsAlert alert) {
        Objects.requireNonNull(relay, "taken over").refuse(alert);
    }

    /** Waits for the first bytes of the origin, and holds them. One that ends without any is not told from a silent one. */
    private final class Greeting extends ChannelInboundHandlerAdapter {

        final Channel origin;
        private final Queue<ByteBuf> held = new ArrayDeque<>(1);
        private boolean heard;

        Greeting(Channel origin) {
            this.origin = origin;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf data = (ByteBuf) message;
            held.add(data);
            if (heard) {
                return;
            }
            heard = true;
            if (OriginGreeting.isOfHttpOrTls(data)) {
                revoke();
            } else {
                spoken.run();
            }
        }

        /** Passes on what is held to the relay, which stands behind it. */
        void deliver() {
            ChannelHandlerContext ctx = origin.pipeline().context(this);
            if (ctx != null) {
                for (ByteBuf data = held.poll(); data != null; data = held.poll()) {
                    ctx.fireChannelRead(data);
                }
                ctx.fireChannelReadComplete();
                origin.pipeline().remove(this);
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            for (ByteBuf data = held.poll(); data != null; data = held.poll()) {
                data.release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            HeapExhaustion.note(cause);
            LOG.debug("connection with {} failed: {}", origin.remoteAddress(), cause.toString());
            ctx.close();
        }
    }
}
