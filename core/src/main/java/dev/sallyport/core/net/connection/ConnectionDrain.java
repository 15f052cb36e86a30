package dev.sallyport.core.net.connection;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.tls.ConnectionReset;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * How draining affects a connection. As an event it tells the connection's handlers to close when idle; as a mark on
 * the channel it records why the connection was closed.
 */
public enum ConnectionDrain {
    /** The connection should end as soon as it is idle. */
    DRAIN,
    /** The connection was still busy when the time was over. */
    CUT_OFF,
    /** A reload refuses the target of the connection's tunnel: the connection ends when idle, and a second later anyway. */
    REFUSED;

    private static final AttributeKey<ConnectionDrain> MARK = AttributeKey.valueOf(ConnectionDrain.class, "mark");

    /** Marks a channel, from any thread. */
    public void mark(Channel channel) {
        channel.attr(MARK).set(this);
    }

    private static final long LAST_SECONDS = 1;

    /** Ends a connection whose tunnel a reload refuses. On its loop. */
    static void refuse(Channel channel) {
        REFUSED.mark(channel);
        channel.pipeline().fireUserEventTriggered(REFUSED);
        if (channel.isActive()) {
            Future<?> end =
                    channel.eventLoop().schedule(() -> ConnectionReset.reset(channel), LAST_SECONDS, TimeUnit.SECONDS);
            channel.closeFuture().addListener(closed -> end.cancel(false));
        }
    }

    /** Whether the connection should end as soon as it is idle; true before the first connection is notified. */
    public static boolean isDraining(Channel channel) {
        return channel.hasAttr(MARK);
    }

    /** The reason a connection closed: that of the mark if the proxy cut it off, otherwise the given one. */
    public static DisconnectReason reason(Channel channel, DisconnectReason otherwise) {
        ConnectionDrain mark = isDraining(channel) ? channel.attr(MARK).get() : DRAIN;
        if (mark == CUT_OFF) {
            return DisconnectReason.CUT_OFF;
        }
        return mark == REFUSED ? DisconnectReason.POLICY_CHANGED : otherwise;
    }
}
