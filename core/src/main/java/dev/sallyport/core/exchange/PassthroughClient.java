package dev.sallyport.core.exchange;

import dev.sallyport.core.tls.TlsAlert;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/**
 * The client's side of a connection that is passed through. All calls on its event loop; exactly one of {@link
 * #relay} and {@link #refuse} is called.
 *
 * <p>Of an {@link EarlyPassage} the origin may come before it is committed. Nothing is refused before that.
 */
public interface PassthroughClient {

    /** The loop of the client's connection, and so of the exchange. */
    EventLoop loop();

    /** Couples the client with its origin, what it has sent first. The client now owns both connections and closes them. */
    void relay(Channel origin);

    /**
     * Resets both connections of the relay, whose end is reported as usual. Before an {@link EarlyPassage} is committed, only
     * the origin's is closed.
     */
    void cutOff();

    /** Tells a client of TLS that there will be no handshake, and closes. */
    void refuse(TlsAlert alert);
}
