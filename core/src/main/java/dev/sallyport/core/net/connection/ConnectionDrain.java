package dev.sallyport.core.net.connection;

import dev.sallyport.core.exchange.DisconnectReason;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;

/**
 * How draining affects a connection. As an event it tells the connection's handlers to close when idle; as a mark on
 * the channel it records why the connection was closed.
 */
public enum ConnectionDrain {
    /** The connection should end as soon as it is idle. */
    DRAIN,
    /** The connection was still busy when the time was over. */
    CUT_OFF;

    private static final AttributeKey<ConnectionDrain> MARK = AttributeKey.valueOf(ConnectionDrain.class, "mark");

    /** Marks a channel, from any thread. */
    public void mark(Channel channel) {
        channel.attr(MARK).set(this);
    }

    /** Whether the connection should end as soon as it is idle; true before the first connection is notified. */
    public static boolean isDraining(Channel channel) {
        return channel.hasAttr(MARK);
    }

    /** The reason a connection closed: the drain's if the drain cut it off, otherwise the given one. */
    public static DisconnectReason reason(Channel channel, DisconnectReason otherwise) {
        return isDraining(channel) && channel.attr(MARK).get() == CUT_OFF ? DisconnectReason.CUT_OFF : otherwise;
    }
}
